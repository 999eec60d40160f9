import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { digestOf } from "../../../src/cairn/core/log/digest.ts";
import { reportOf } from "../../../src/cairn/core/family/tree.ts";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import { fold, migrate } from "../../../src/cairn/core/state/apply.ts";
import { EMPTY_STATE, STATE_SCHEMA, type State } from "../../../src/cairn/core/state/state.ts";
import { SqlStore } from "../../../src/cairn/session/storage/store.ts";
import { FakePlatform } from "../platform/platform.ts";
import { webPlatform } from "../platform/web.ts";

/**
 * Storage of schema 1, frozen by test/sim/scripts/freeze.ts: a session whose second run waits for a person while a
 * third is queued. Never regenerate the file of a released version: a change of a stored shape adds a new file.
 */
const frozen = (name: string) =>
  JSON.parse(
    readFileSync(path.join(import.meta.dirname, `../../fixtures/persisted/${name}.json`), "utf8"),
  ) as {
    readonly entries: readonly Entry[];
    readonly state: State;
    readonly digest: string;
    readonly blobs?: Readonly<Record<string, string>>;
  };
const { entries, state, digest } = frozen("v1-waiting");

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

test("a session of schema 1 that waits for its client folds to its state, and takes the answer", async () => {
  const client = frozen("v1-client");
  expect(digestOf(client.state)).toBe(client.digest);
  expect(fold(EMPTY_STATE, client.entries)).toEqual(migrate(1, client.state));
  expect(client.state.run?.phase).toMatchObject({ at: "waiting_client", client: { call: "r1s2c0" } });
  const platform = new FakePlatform((request) => ({ text: `Answer of ${request.step}.` }));
  platform.service.admitOrCreate({ subject: "ada", scopes: ["read", "send"], via: "http" });
  platform.inherit(client.entries, client.state);
  const actor = { subject: "ada", scopes: ["read", "send"], via: "http" } as const;
  const result = { kind: "output", value: "there" } as const;
  expect(await platform.api.answerCall(actor, { call: "r1s2c0", result })).toMatchObject({ ok: true });
  await platform.settle();
  expect(platform.log.at(-1)).toMatchObject({ kind: "run_ended", run: "r1", body: { outcome: "completed" } });
  expect(platform.folded).toEqual(platform.state);
});

test("a session of schema 1 that has searched, read and cited folds to its state, and goes on with its names", async () => {
  const research = frozen("v1-research");
  expect(digestOf(research.state)).toBe(research.digest);
  expect(fold(EMPTY_STATE, research.entries)).toEqual(migrate(1, research.state));
  const { platform, asked } = webPlatform([], {
    next: [{}, {}, { text: "On 15 May [e1], and nothing else." }],
  });
  platform.inherit(research.entries, research.state);
  for (const [page, text] of Object.entries(research.blobs ?? {})) platform.store.saveBlob(page, text);
  expect(platform.decide("approve").ok).toBe(true);
  await platform.settle();
  expect(asked).toEqual(["http://evil.example.net/?q=words"]);
  const settled = platform.log.findLast((entry) => entry.kind === "call_settled");
  expect(settled?.body).toMatchObject({ sources: { pages: [{ page: "p3" }] } });
  const answer = platform.log.findLast((entry) => entry.kind === "answer");
  expect(answer?.body.citations?.items).toMatchObject([{ id: "e1", page: "p1" }]);
  expect(platform.folded).toEqual(platform.state);
});

test("a tree of schema 1 folds to its states, and its child is decided and tells its parent", async () => {
  const [tree, child] = [frozen("v1-tree"), frozen("v1-child")];
  for (const one of [tree, child]) {
    expect(digestOf(one.state)).toBe(one.digest);
    expect(fold(EMPTY_STATE, one.entries)).toEqual(migrate(1, one.state));
  }
  const below = migrate(1, tree.state).run?.children;
  expect(below?.open).toMatchObject([{ call: "r1s2c0", child: "ses~r1s2c0", wait: true }]);
  expect(below).toMatchObject({ started: 3, sessions: 2, used: { steps: 2 } });
  const platform = new FakePlatform(({ step }) => ({ text: `The page is out (${step}).` }), "ses~r1s2c0");
  platform.inherit(child.entries, child.state);
  expect(platform.decide("approve").ok).toBe(true);
  await platform.settle();
  expect(reportOf("ses~r1s2c0", platform.log)).toMatchObject({
    outcome: "completed",
    answer: "The page is out (r1s2).",
    sessions: 1,
    used: { steps: 2, toolCalls: 1 },
  });
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
