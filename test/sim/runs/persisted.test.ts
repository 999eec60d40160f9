import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { digestOf } from "../../../src/core/log/digest.ts";
import type { Entry } from "../../../src/core/log/entry.ts";
import { fold, migrate } from "../../../src/core/state/apply.ts";
import { EMPTY_STATE, STATE_SCHEMA, type State } from "../../../src/core/state/state.ts";
import { SqlStore } from "../../../src/session/storage/store.ts";
import { World } from "../platform/platform.ts";

/**
 * What version 1 wrote, frozen: a session whose first run waits for a person while a second is queued. These files are
 * never made again from newer code; a change of a persisted shape adds files of its own version beside them.
 */
interface Frozen {
  readonly entries: readonly Entry[];
  readonly state: State;
  readonly digest: string;
}
const load = (name: string): Frozen =>
  JSON.parse(
    readFileSync(path.join(import.meta.dirname, `../../fixtures/persisted/${name}.json`), "utf8"),
  ) as Frozen;
const frozen = load("v1-waiting");

test("a log of version 1 folds to the state that version 1 had, in today's shape", () => {
  expect(digestOf(frozen.state)).toBe(frozen.digest);
  expect(frozen.state.schema).toBe(1);
  const today = migrate(1, frozen.state);
  expect(fold(EMPTY_STATE, frozen.entries)).toEqual(today);
  expect([today.schema, today.memory.facts, today.memory.entities.map((entity) => entity.tool)]).toEqual([
    STATE_SCHEMA,
    [],
    [null],
  ]);
});

test("a session of version 1 is loaded, decided and worked to its end by today's code", async () => {
  const world = new World((request) =>
    request.step === "r1s2" ? { text: "Published." } : { text: "Second." },
  );
  world.inherit(frozen.entries, frozen.state);
  expect(world.decide("approve").ok).toBe(true);
  await world.settle();
  const ends = world.log.flatMap((entry) =>
    entry.kind === "run_ended" ? [[entry.run, entry.body.outcome]] : [],
  );
  expect(ends).toEqual([
    ["r1", "completed"],
    ["r2", "completed"],
  ]);
  expect(world.folded).toEqual(world.state);
  expect([...world.effects.keyed.keys()]).toEqual(["ses/r1s1c1"]);
});

test("a session of version 2, with facts, a retry, twins and joined words, is worked to its end by today's code", async () => {
  const { entries, state, digest } = load("v2-waiting");
  expect(digestOf(state)).toBe(digest);
  expect(fold(EMPTY_STATE, entries)).toEqual(migrate(2, state));
  const world = new World((request) => ({ text: `Answer of ${request.step}.` }));
  world.inherit(entries, state);
  expect(world.decide("approve").ok).toBe(true);
  await world.settle();
  const ends = world.log.flatMap((entry) =>
    entry.kind === "run_ended" ? [[entry.run, entry.body.outcome]] : [],
  );
  expect(ends).toEqual([
    ["r1", "completed"],
    ["r2", "completed"],
    ["r3", "completed"],
  ]);
  expect(JSON.stringify(world.requests[0]?.messages)).toContain("And this too");
  expect(JSON.stringify(world.requests[0]?.messages.at(-1))).toContain("friendly");
  expect(world.effects.keyed.size).toBe(1);
  expect(world.folded).toEqual(world.state);
});

test("a session of version 3, hinted at a loop, with a ban and a reused result, is worked to its end by today's code", async () => {
  const { entries, state, digest } = load("v3-waiting");
  expect(digestOf(state)).toBe(digest);
  expect(fold(EMPTY_STATE, entries)).toEqual(migrate(3, state));
  expect(state.run?.guard.stuck.level).toBe(1);
  const world = new World((request) => ({ text: `Answer of ${request.step}.` }));
  const store = new SqlStore(world.disk);
  store.appendEntries(entries);
  store.saveCursor({ state, claimNo: 9, claim: null, armedAt: null, alarmFloor: 0 });
  world.now = state.at + 1_000;
  world.restart();
  expect(world.decide("approve").ok).toBe(true);
  await world.settle();
  expect(
    world.log.flatMap((entry) => (entry.kind === "run_ended" ? [[entry.run, entry.body.outcome]] : [])),
  ).toEqual([
    ["r1", "completed"],
    ["r2", "completed"],
  ]);
  expect(world.folded).toEqual(world.state);
});

test("a session of a newer version is left alone", () => {
  const world = new World([]);
  const store = new SqlStore(world.disk);
  store.saveCursor({
    state: { ...frozen.state, schema: STATE_SCHEMA + 1 } as unknown as State,
    claimNo: 0,
    claim: null,
    armedAt: null,
    alarmFloor: 0,
  });
  expect(() => world.state).toThrow("newer version");
});
