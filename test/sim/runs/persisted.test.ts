import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { digestOf } from "../../../src/core/log/digest.ts";
import type { Entry } from "../../../src/core/log/entry.ts";
import { fold, migrate } from "../../../src/core/state/apply.ts";
import { EMPTY_STATE, STATE_SCHEMA, type State } from "../../../src/core/state/state.ts";
import { SqlStore } from "../../../src/session/storage/store.ts";
import { FakePlatform } from "../platform/platform.ts";

/**
 * What schema 1 stores, frozen by test/sim/scripts/freeze.ts: a session whose second run waits for a person while a third
 * is queued. Once a version is released its file is never made again: a change of a stored shape adds a file of its own.
 */
const { entries, state, digest } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "../../fixtures/persisted/v1-waiting.json"), "utf8"),
) as { readonly entries: readonly Entry[]; readonly state: State; readonly digest: string };

test("a log of schema 1 folds to the state that was stored with it", () => {
  expect([digestOf(state), state.schema]).toEqual([digest, 1]);
  expect(fold(EMPTY_STATE, entries)).toEqual(migrate(1, state));
  expect(state.run).toMatchObject({
    failures: { retries: 1 },
    loop: { stuck: { level: 1 }, bans: [{ error: "not_found" }] },
  });
  expect(state.memory.facts.map(({ key }) => key)).toEqual(["page", "tone"]);
});

test("a session of schema 1 is loaded, decided and worked to its end by today's code", async () => {
  const platform = new FakePlatform((request) => ({ text: `Answer of ${request.step}.` }));
  platform.inherit(entries, state);
  expect(platform.decide("approve").ok).toBe(true);
  await platform.settle();
  const ends = platform.log.flatMap((entry) =>
    entry.kind === "run_ended" ? [[entry.run, entry.body.outcome]] : [],
  );
  expect(ends).toEqual([
    ["r1", "completed"],
    ["r2", "completed"],
    ["r3", "completed"],
  ]);
  expect(JSON.stringify(platform.requests[0]?.messages)).toContain("And the team page too");
  expect(JSON.stringify(platform.requests[0]?.messages.at(-1))).toContain("friendly");
  expect(platform.effects.keyed.size).toBe(1);
  expect(platform.folded).toEqual(platform.state);
});

test("a session of a newer version is left alone", () => {
  const platform = new FakePlatform([]);
  const store = new SqlStore(platform.disk);
  store.saveCursor({
    state: { ...state, schema: STATE_SCHEMA + 1 } as unknown as State,
    claimNo: 0,
    claim: null,
    armedAt: null,
    alarmFloor: 0,
  });
  expect(() => platform.state).toThrow(`newer version (schema ${STATE_SCHEMA + 1})`);
});
