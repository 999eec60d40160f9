import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  CALLS_PER_REPLY_MAX,
  INTERRUPTIONS_PER_RUN_MAX,
  REPLY_CHARS_MAX,
} from "../../../src/cairn/core/limits.ts";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import { Crash } from "../../../src/cairn/testing/disk.ts";
import { byStep, REPORT, type Line } from "../platform/fake-model.ts";
import { FakePlatform } from "../platform/platform.ts";

/** Handling of a model's reply: which of its calls run, their results, and the charge for a failed call. */

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const settled = (platform: FakePlatform): unknown[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "call_settled"
      ? [[entry.body.call, entry.body.status, entry.body.failure?.code ?? null, entry.body.reusedFrom]]
      : [],
  );
const ended = (platform: FakePlatform): unknown =>
  platform.log.flatMap((entry) =>
    entry.kind === "run_ended" ? [[entry.run, entry.body.outcome, entry.body.reason]] : [],
  );
const failures = (platform: FakePlatform): unknown =>
  platform.log.flatMap((entry) =>
    entry.kind === "model_failed"
      ? [[entry.body.class, entry.body.then, entry.body.usage === null ? "free" : "charged"]]
      : [],
  );

describe("the calls of a reply", () => {
  test("that was cut off by its length do not run, whole as they may look", async () => {
    const platform = new FakePlatform(
      byStep(
        {
          finish: "length",
          calls: [
            ["look", { name: "a" }],
            ["send", { name: "b" }],
          ],
        },
        { text: REPORT },
      ),
    );
    platform.say("go");
    await platform.settle();
    expect(settled(platform)).toEqual([
      ["r1s1c0", "refused", "truncated", null],
      ["r1s1c1", "refused", "truncated", null],
    ]);
    expect([platform.effects.reads, platform.effects.once]).toEqual([0, []]);
    expect(platform.kinds).toEqual([
      "user_message",
      "run_queued",
      "run_started",
      "step_started",
      "model_replied",
      "call_settled",
      "call_settled",
      "step_started",
      "model_replied",
      "review",
      "answer",
      "run_ended",
    ]);
  });

  test("that is cut off twice in a row are asked for no more; a whole one between begins the count anew", async () => {
    const cut: Line = { finish: "length", calls: [["look", { name: "a" }]] };
    const twice = new FakePlatform((request) => (request.tools.length === 0 ? { text: "So far." } : cut));
    twice.say("go");
    await twice.settle();
    expect(twice.requests.map((request) => request.tools.length > 0)).toEqual([true, true, false]);
    expect(ended(twice)).toEqual([["r1", "completed_partial", "invalid_output"]]);
    const between = new FakePlatform(
      byStep(
        cut,
        { calls: [["look", { name: "b" }]] },
        { ...cut, finish: "content-filter" },
        { text: REPORT },
      ),
    );
    between.say("go");
    await between.settle();
    expect(ended(between)).toEqual([["r1", "completed", null]]);
  });

  test(`are at most ${CALLS_PER_REPLY_MAX}; the others are told to come later`, async () => {
    const names = Array.from({ length: CALLS_PER_REPLY_MAX + 2 }, (_, at) => `p${at}`);
    const platform = new FakePlatform(
      byStep({ calls: names.map((name) => ["look", { name }]) }, { text: REPORT }),
    );
    platform.say("go");
    await platform.settle();
    const codes = (settled(platform) as unknown[][]).map(([, , code]) => code);
    expect(codes.filter((code) => code === "too_many_calls")).toHaveLength(2);
    expect(platform.effects.reads).toBe(CALLS_PER_REPLY_MAX);
  });

  test("that are equal share one result, unless something was changed between them", async () => {
    const platform = new FakePlatform(
      byStep(
        {
          calls: [
            ["look", { name: "a" }],
            ["bulk", { name: "a" }],
            ["look", { name: "a" }],
            ["look", { nme: "a" }],
            ["look", { name: "a" }],
            ["put", { name: "a" }],
            ["look", { name: "a" }],
          ],
        },
        { text: REPORT },
      ),
    );
    platform.effects.bulk = "much";
    platform.say("go");
    await platform.settle();
    expect(settled(platform)).toEqual([
      ["r1s1c3", "refused", "invalid_input", null],
      ["r1s1c0", "ok", null, null],
      ["r1s1c2", "ok", null, "r1s1c0"],
      ["r1s1c4", "ok", null, "r1s1c0"],
      ["r1s1c1", "ok", null, null],
      ["r1s1c5", "ok", null, null],
      ["r1s1c6", "ok", null, null],
    ]);
    expect(platform.effects.reads).toBe(2);
  });

  test("do not run beside complete, which then does not end the run", async () => {
    const platform = new FakePlatform(
      byStep(
        {
          calls: [
            ["look", { name: "a" }],
            ["complete", { answer: "All good." }],
          ],
        },
        { text: REPORT },
      ),
    );
    platform.say("go");
    await platform.settle();
    expect(settled(platform)).toEqual([
      ["r1s1c1", "refused", "complete_alone", null],
      ["r1s1c0", "ok", null, null],
    ]);
  });

  test("that only keep books run beside complete, which then ends the run", async () => {
    const platform = new FakePlatform([
      {
        calls: [
          ["complete", { answer: "All good." }],
          ["log_progress", { message: "Looked at all of it." }],
          ["store_memory", { key: "tone", value: "plain" }],
        ],
      },
    ]);
    platform.say("go");
    await platform.settle();
    expect(settled(platform)).toEqual([
      ["r1s1c1", "ok", null, null],
      ["r1s1c2", "ok", null, null],
      ["r1s1c0", "ok", null, null],
    ]);
    expect(platform.state.memory.facts.map(({ key }) => key)).toEqual(["tone"]);
    expect(platform.log.at(-1)).toMatchObject({
      kind: "run_ended",
      body: { outcome: "completed", steps: 1 },
    });
    expect(platform.log.findLast((entry) => entry.kind === "answer")?.body).toMatchObject({
      text: "All good.",
    });
    const [replied, ended] = ["model_replied", "run_ended"].map((kind) =>
      platform.log.find((entry) => entry.kind === kind),
    );
    expect(ended?.body).toMatchObject({
      usage: replied?.kind === "model_replied" ? replied.body.usage : null,
    });
  });

  test("that only keep books run beside a completion that is sent back", async () => {
    const platform = new FakePlatform([
      { calls: [["put", { name: "a" }]] },
      {
        calls: [
          ["log_progress", { message: "Nearly." }],
          ["complete", { answer: "I will now look into it and report back." }],
        ],
      },
      { text: REPORT },
    ]);
    platform.say("go");
    await platform.settle();
    expect(settled(platform).slice(1)).toEqual([
      ["r1s2c0", "ok", null, null],
      ["r1s2c1", "refused", "sent_back", null],
    ]);
    expect(platform.log.filter((entry) => entry.kind === "run_ended")).toHaveLength(1);
  });

  test("of a forced answer are dropped, and that is told", async () => {
    const platform = new FakePlatform((request) =>
      request.tools.length === 0
        ? { text: "So far.", calls: [["send", { name: "a" }]] }
        : { calls: [["look", { name: request.step }]] },
    );
    platform.say("go", { limits: { steps: 2 } });
    await platform.settle();
    expect(platform.effects.once).toEqual([]);
    const codes = platform.log.flatMap((entry) => (entry.kind === "verdict" ? [entry.body.code] : []));
    expect(codes.filter((code) => code === "CALLS_DROPPED")).toHaveLength(1);
    const replied = platform.log.findLast((entry) => entry.kind === "model_replied");
    expect(replied?.body).toMatchObject({ calls: [], parts: [{ type: "text", text: "So far." }] });
  });
});

describe("a failed change", () => {
  const batch: Line = {
    calls: [
      ["look", { name: "x" }],
      ["put", { name: "a" }],
      ["look", { name: "y" }],
      ["send", { name: "b" }],
    ],
  };

  test("keeps the later changes of its reply from running, and no read", async () => {
    const platform = new FakePlatform(byStep(batch, { text: "It failed." }));
    platform.effects.failures.set("put", [new ToolError("conflict", "slug_taken", "taken")]);
    platform.say("go");
    await platform.settle();
    expect(settled(platform)).toEqual([
      ["r1s1c0", "ok", null, null],
      ["r1s1c1", "error", "slug_taken", null],
      ["r1s1c2", "ok", null, null],
      ["r1s1c3", "refused", "batch_stopped", null],
    ]);
  });

  test("of unknown outcome does so as well; a failed read does not", async () => {
    const unknown = new FakePlatform(byStep(batch, { text: "I do not know whether it was put." }));
    unknown.effects.failures.set(
      "put",
      Array.from({ length: 9 }, () => new TypeError("fetch failed") as never),
    );
    unknown.say("go");
    await unknown.settle();
    expect((settled(unknown) as unknown[][]).map(([, status, code]) => [status, code])).toEqual([
      ["ok", null],
      ["unknown", "unknown_outcome"],
      ["ok", null],
      ["refused", "batch_stopped"],
    ]);
    const read = new FakePlatform(byStep(batch, { text: "I could not look at one." }));
    read.effects.failures.set("look", [new ToolError("not_found", "no_page", "gone")]);
    read.say("go");
    await read.settle();
    expect((settled(read) as unknown[][]).map(([, status]) => status)).toEqual(["error", "ok", "ok", "ok"]);
  });
});

describe("a reply of any size", () => {
  test.each([
    [0, []],
    [1, [["internal", "retry", "charged"]]],
  ])("is taken up to the limit: %i above it", async (above, failed) => {
    const text = "long ".repeat(REPLY_CHARS_MAX / 5 + 1).slice(0, REPLY_CHARS_MAX + above);
    const platform = new FakePlatform((_request, index) => ({ text: index === 0 ? text : REPORT }));
    platform.say("go");
    await platform.settle();
    expect(failures(platform)).toEqual(failed);
    expect(ended(platform)).toEqual([["r1", "completed", null]]);
  });
});

test.each([
  ["timeout", "charged"],
  ["cut_off", "charged"],
  ["rate_limit", "free"],
  ["overloaded", "free"],
  ["network", "free"],
] as const)("a model that fails with %s is %s", async (kind, cost) => {
  const fail = { class: kind, message: "no", retryAfterMs: null, usage: null };
  const platform = new FakePlatform((_request, index) => (index === 0 ? { fail } : { text: "Hello." }));
  platform.say("hi");
  await platform.settle();
  expect(failures(platform)).toEqual([[kind, "retry", cost]]);
  const used = platform.log.find((entry) => entry.kind === "run_ended");
  const tokens = used?.kind === "run_ended" ? used.body.usage.inputTokens + used.body.usage.outputTokens : 0;
  expect(tokens > 110).toBe(cost === "charged");
});

test("what a failed model is known to have used is what it is charged with", async () => {
  const usage = {
    inputTokens: 70,
    cachedInputTokens: 0,
    outputTokens: 7,
    reasoningTokens: 0,
    estimated: false,
  };
  const fail = { class: "cut_off", message: "no", retryAfterMs: null, usage } as const;
  const platform = new FakePlatform((_request, index) => (index === 0 ? { fail } : { text: "Hello." }));
  platform.say("hi");
  await platform.settle();
  const used = platform.log.find((entry) => entry.kind === "run_ended");
  expect(used?.body).toMatchObject({ usage: { inputTokens: 170, outputTokens: 17 } });
});

test("words that could have been the marker, and are not, are shown when the reply is over", async () => {
  const platform = new FakePlatform([{ text: "It stands on a line of its own:\nFINAL_ANS" }]);
  platform.say("go");
  await platform.settle();
  expect(platform.drafts.map((piece) => piece.text).join("")).toBe(
    "It stands on a line of its own:\nFINAL_ANS",
  );
});

test("results that fail in passing are told last, so that the others do not end their wait", async () => {
  const platform = new FakePlatform(
    byStep(
      {
        calls: [
          ["look", { name: "a" }],
          ["bulk", { name: "b" }],
        ],
      },
      { text: REPORT },
    ),
  );
  platform.effects.failures.set("look", [new ToolError("rate_limit", "slow_down", "later")]);
  platform.effects.bulk = "much";
  platform.say("go");
  await platform.settle();
  expect(platform.kinds.slice(5, 11)).toEqual([
    "call_intended",
    "call_intended",
    "call_settled",
    "verdict",
    "call_intended",
    "call_settled",
  ]);
  const [wait] = platform.log.filter((entry) => entry.kind === "verdict");
  const [, , again] = platform.log.filter((entry) => entry.kind === "call_intended");
  expect(wait?.body).toMatchObject({ act: "retry", call: "r1s1c0" });
  expect((again?.at ?? 0) - (wait?.at ?? 0)).toBeGreaterThan(400);
});

test("a run that is interrupted again and again is given up, whatever is interrupted", async () => {
  const platform = new FakePlatform((request) => ({ calls: [["look", { name: request.step }]] }));
  platform.say("go", { limits: { steps: 40, toolCalls: 90 } });
  let deaths = 0;
  for (let wakes = 0; wakes < 200 && platform.disk.alarm !== null; wakes++) {
    let dead = false;
    let begun = 0;
    platform.cross = (where) => {
      // Each read dies twice, and is then done: no claim of its own is ever spent.
      if (dead || (where === "look: before" && deaths % 3 !== 2)) {
        if (!dead) deaths++;
        dead = true;
        throw new Crash();
      }
      if (where === "look: before" && begun++ === 0) deaths++;
    };
    platform.now = Math.max(platform.now, platform.disk.alarm ?? 0);
    await platform.fire().catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error;
    });
    platform.cross = () => {};
    if (dead) platform.restart();
  }
  const lost = platform.log.filter((entry) => entry.kind === "attempt_lost");
  expect(lost).toHaveLength(INTERRUPTIONS_PER_RUN_MAX);
  expect(ended(platform)).toEqual([["r1", "completed_partial", "recovery_exhausted"]]);
});

test("five reads of a reply show a fifth each of what a reply may show", async () => {
  const names = ["a", "b", "c", "d", "e"];
  const platform = new FakePlatform(
    byStep({ calls: names.map((name) => ["bulk", { name }]) }, { text: REPORT }),
  );
  platform.effects.bulk = "word ".repeat(4_000);
  platform.say("go");
  await platform.settle();
  const entries = platform.log.flatMap((entry) => (entry.kind === "call_settled" ? [entry.body] : []));
  expect(entries.map((entry) => entry.chars)).toEqual(names.map(() => 20_002));
  for (const { observation } of entries) {
    expect(observation.length).toBeLessThanOrEqual(4_915);
    expect(observation.length).toBeGreaterThan(4_700);
  }
});
