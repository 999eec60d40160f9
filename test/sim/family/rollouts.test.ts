import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { JsonObject } from "../../../src/cairn/core/log/json.ts";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import type { Plan } from "../choices.ts";
import { FOUND, giveWeb, readWeb } from "../platform/web.ts";
import { exploreTree, playTree } from "./explore.ts";
import { attempt, of, SAYS, WAITS, worked } from "./attempts.ts";
import { call, calls, ROOT, type Parts } from "./scripts.ts";
import type { TreeScript, World } from "./world.ts";

/** A run that is worked several times side by side, and one answer that is made of the reports. */

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const USUAL: Plan = new Map();
async function play(script: TreeScript): Promise<World> {
  const { world, faults } = await playTree(script, USUAL);
  expect(faults).toEqual([]);
  return world;
}

/** Which attempts were started with what. */
const asked = (world: World): Entry<"model_replied">["body"]["calls"] =>
  of(world, ROOT, "model_replied")[0]?.body.calls ?? [];

test("each attempt has another approach, an equal part of what is left, and the temperature is spread", async () => {
  const world = await play(worked(3, {}, { temperature: 0.6 }));
  const inputs = asked(world).map(({ tool, input }) => [tool, input] as const);
  expect(inputs.map(([tool]) => tool)).toEqual(["run_agent", "run_agent", "run_agent"]);
  expect(inputs.map(([, input]) => input)).toMatchObject([
    { objective: "Words of m1.", temperature: 0.6 },
    { objective: "Words of m1.", temperature: 0.8 },
    { objective: "Words of m1.", temperature: 0.4 },
  ]);
  expect(new Set(inputs.map(([, input]) => JSON.stringify(input))).size).toBe(3);
  const shares = of(world, ROOT, "call_intended").flatMap(({ body }) => body.share ?? []);
  const limits = of(world, ROOT, "run_started")[0]?.body.limits;
  expect(shares.map(({ steps }) => steps)).toEqual([12, 12, 11]);
  expect(new Set(shares.map(({ tokens }) => tokens)).size).toBe(1);
  expect(shares[0]?.tokens).toBeLessThanOrEqual(((limits?.tokens ?? 0) * 0.9) / 3);
  // A request of its own has no attempts, and is worked once.
  for (const n of [0, 1, 2])
    expect(of(world, attempt(n), "run_queued")[0]?.body.spec.rollouts).toBeUndefined();
});

test("an attempt is asked for no more than a call may ask, however much its run has", async () => {
  const world = await play(
    worked(2, {}, { profile: "time_capsule", limits: { activeMs: 3_600_000, cost: 1_000_000 } }),
  );
  expect(
    asked(world).map(({ input, refused }) => [(input as JsonObject)["max_iterations"], refused]),
  ).toEqual([
    [200, null],
    [200, null],
  ]);
  expect(of(world, ROOT, "child_reported")).toHaveLength(2);
});

test("no model is asked for the attempts, and the step behind them has no tools", async () => {
  const seen: {
    readonly session: string;
    readonly step: string;
    readonly tools: number;
    readonly words: string;
  }[] = [];
  const script = worked(2, { [ROOT]: [call("put", "a"), { text: "One answer of both." }] });
  const spied: TreeScript = {
    ...script,
    says: (session, request) => {
      const words = JSON.stringify(request.messages);
      seen.push({ session, step: request.step, tools: request.tools.length, words });
      return script.says(session, request);
    },
  };
  const world = await play(spied);
  const root = seen.filter(({ session }) => session === ROOT);
  expect(root.map(({ step, tools }) => [step, tools])).toEqual([["r1s2", 0]]);
  expect(root[0]?.words).toContain("Several runs have worked on this task");
  expect(of(world, ROOT, "step_started")[0]?.body).toMatchObject({ attempts: 2, reservedTokens: 0 });
  expect(of(world, ROOT, "answer").map(({ body }) => body.text)).toEqual(["One answer of both."]);
});

test("once two of the first three say the same, the others are stopped", async () => {
  const world = await play(
    worked(4, {
      [ROOT]: [{ text: "never asked" }, { text: "It is 2,104 m high." }],
      [attempt(0)]: SAYS("**2,104 m**"),
      [attempt(1)]: SAYS("2,104 m."),
      [attempt(2)]: WAITS,
      [attempt(3)]: WAITS,
    }),
  );
  const reported = of(world, ROOT, "child_reported").map(({ body }) => [body.call, body.outcome]);
  expect(reported.slice(0, 2)).toEqual([
    ["r1s1c0", "completed"],
    ["r1s1c1", "completed"],
  ]);
  expect(of(world, ROOT, "child_stopped").map(({ body }) => body.call)).toEqual(["r1s1c2", "r1s1c3"]);
  expect(reported.slice(2).map(([, outcome]) => outcome)).toEqual(["cancelled", "cancelled"]);
  expect(of(world, ROOT, "answer").map(({ body }) => body.text)).toEqual(["It is 2,104 m high."]);
});

test("attempts that say different things are all heard", async () => {
  const world = await play(
    worked(3, {
      [ROOT]: [{ text: "never asked" }, { text: "They differ." }],
      ...Object.fromEntries([0, 1, 2].map((n) => [attempt(n), SAYS(`It is ${n}.`)])),
    }),
  );
  expect(of(world, ROOT, "child_stopped")).toEqual([]);
  expect(of(world, ROOT, "child_reported")).toHaveLength(3);
});

test("attempts that found nothing do not agree, and the others go on", async () => {
  const world = await play(
    worked(3, {
      [ROOT]: [{ text: "never asked" }, { text: "It is 2,104 m high. Two attempts did not find it." }],
      [attempt(0)]: SAYS("I could not find it."),
      [attempt(1)]: SAYS("I could not find it."),
      [attempt(2)]: SAYS("2,104 m."),
    }),
  );
  expect(of(world, ROOT, "child_stopped")).toEqual([]);
  const outcomes = of(world, ROOT, "child_reported").map(({ body }) => body.outcome);
  expect(outcomes).toEqual(["completed", "completed", "completed"]);
});

const FAILS: Parts[string] = [
  { fail: { class: "auth", message: "It failed.", retryAfterMs: null, usage: null } },
];

test("scenario 41: three attempts, one fails, and a crash anywhere: one answer is made of what is there", async () => {
  const parts: Parts = {
    [ROOT]: [
      { text: "never asked" },
      { text: "It is a or c. One of the three attempts failed and said nothing." },
    ],
    [attempt(0)]: [call("look", "a"), { text: "It is a." }],
    [attempt(1)]: FAILS,
    [attempt(2)]: SAYS("It is c."),
  };
  const script = worked(3, parts);
  const ends = new Set<string>();
  const { faults, crashes } = await exploreTree(script, {
    reach: "family",
    inspect: (world) => {
      const reports = of(world, ROOT, "child_reported").map(({ body }) => [body.call, body.outcome]);
      expect(reports.toSorted()).toEqual([
        ["r1s1c0", "completed"],
        ["r1s1c1", "failed_auth"],
        ["r1s1c2", "completed"],
      ]);
      ends.add(JSON.stringify(of(world, ROOT, "run_ended").map(({ body }) => body.outcome)));
      const told = of(world, ROOT, "call_settled").find(({ body }) => body.call === "r1s1c1");
      expect(told?.body).toMatchObject({ status: "error", failure: { code: "child_failed" } });
    },
  });
  expect(faults).toEqual([]);
  expect(crashes).toBeGreaterThan(10);
  expect([...ends]).toEqual(['["completed"]']);
});

test("scenario 41: the answer cites what its attempts have read, by names of its own session, and nothing else", async () => {
  const reads = (more: string): Parts[string] => [
    calls(readWeb(FOUND)),
    { text: `The Grimsel opens on 28 May 2026 [e1].${more}` },
  ];
  const said = "The Grimsel opens on 28 May 2026 [e1], as the other attempt found too [e2]. It snows [e7].";
  const world = await play({
    ...worked(3, {
      [ROOT]: [{ text: "never asked" }, { text: said }, { text: said }],
      [attempt(0)]: reads(""),
      [attempt(1)]: reads(" So it is open in June."),
      [attempt(2)]: FAILS,
    }),
    prepare: (platform) => {
      giveWeb(platform);
      // The agent names no tool, not even run_agent: a person who asks for attempts may start them.
      const agent = platform.agent();
      platform.agent = () => ({ ...agent, spec: { ...agent.spec, tools: null } });
    },
  });
  const evidence = of(world, ROOT, "call_settled").flatMap(({ body }) => body.sources?.evidence ?? []);
  expect(evidence.map(({ id }) => id)).toEqual(["e1", "e2"]);
  const { store } = world.session(ROOT);
  for (const { page, start, end, quote } of evidence) {
    expect(quote).toContain("Grimsel");
    expect(store.loadBlob(page)?.slice(start, end)).toBe(quote);
  }
  const [answer] = of(world, ROOT, "answer");
  expect(answer?.body.citations?.items.map(({ id }) => id)).toEqual(["e1", "e2"]);
  expect(answer?.body.text).not.toContain("[e7]");
  expect(of(world, ROOT, "review").flatMap(({ body }) => body.codes)).toContain("BAD_CITATION");
  // Outside pages that the attempts read have tainted the run that reads their reports.
  expect(of(world, ROOT, "child_reported").map(({ body }) => body.tainted)).toEqual([false, true, true]);
});

test("the receipt says what the attempts have changed, and not that they were started", async () => {
  const world = await play(
    worked(2, {
      [ROOT]: [{ text: "never asked" }, { text: "A is put." }],
      [attempt(0)]: [call("put", "a"), { text: "I put a." }],
      [attempt(1)]: [call("look", "a"), { text: "I looked at a." }],
    }),
  );
  const [answer] = of(world, ROOT, "answer");
  expect(answer?.body.receipt).toMatchObject({ failed: [], unknown: [], more: 0 });
  expect(answer?.body.receipt.changed.map(({ call: from, tool, targets }) => [from, tool, targets])).toEqual([
    ["r1s1c0", "put", ["a"]],
  ]);
});
