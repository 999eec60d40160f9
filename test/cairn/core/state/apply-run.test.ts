import { beforeAll, describe, expect, test } from "vitest";
import type { BodyOf, Entry, EntryKind, ProposedCall } from "../../../../src/cairn/core/log/entry.ts";
import { changeRun } from "../../../../src/cairn/core/state/run/apply-run.ts";
import { createCall } from "../../../../src/cairn/core/state/run/apply-phase.ts";
import { NO_USAGE } from "../../../../src/cairn/core/log/model.ts";
import type { Call, Phase, Thinking } from "../../../../src/cairn/core/state/run/phase.ts";
import { type LiveRun } from "../../../../src/cairn/core/state/state.ts";
import { FakePlatform } from "../../../sim/platform/platform.ts";

/** Effect of each entry on its run, field by field: only the listed fields change. */

let run: LiveRun;
beforeAll(async () => {
  const platform = new FakePlatform([{ text: "Hello." }]);
  let begun: LiveRun | null = null;
  platform.onModel = () => void (begun = platform.state.run);
  platform.say("go");
  await platform.settle();
  if (begun === null) throw new Error("no run is live");
  run = begun;
});

const AT = 1_700_000_000_500;
const SEQ = 50;
const entry = <Kind extends EntryKind>(kind: Kind, body: BodyOf<Kind>): Entry =>
  ({ kind, body, run: "r1", step: "r1s1", seq: SEQ, at: AT, v: 1 }) as unknown as Entry;
const thinking = (): Thinking & { open: NonNullable<Thinking["open"]> } => {
  if (run.phase.at !== "thinking" || run.phase.open === null) throw new Error("no step is open");
  return { ...run.phase, open: run.phase.open };
};
const proposal = (index: number, change: Partial<ProposedCall> = {}): ProposedCall => ({
  call: `r1s1c${index}`,
  tool: "put",
  title: "Put",
  input: {},
  effect: "keyed",
  gate: "never",
  refused: null,
  duplicateOf: null,
  ...change,
});
const call = (index: number, change: Partial<Call> = {}): Call => ({
  ...createCall(proposal(index), 5),
  ...change,
});
const RUNNING = { at: "running", by: null } as const;
const acting = (...calls: readonly Call[]): LiveRun => ({ ...run, phase: { at: "acting", calls } });
/** The run without its parts: what they hold, in one. What its guards remember has tests of its own. */
function flat({ input, output, models, used, failures, loop: _loop, safety: _safety, ...own }: LiveRun) {
  return { ...own, unread: input.unread, ...output, ...models, ...used, ...failures };
}
const after = (before: LiveRun, entry: Entry): ReturnType<typeof flat> => flat(changeRun(before, entry, []));
/** The fields that the entry has changed. */
function changed(before: LiveRun, entry: Entry): Partial<ReturnType<typeof flat>> {
  const was = flat(before);
  const is = after(before, entry);
  const fields = Object.keys(was) as (keyof typeof was)[];
  return Object.fromEntries(
    fields.filter((field) => was[field] !== is[field]).map((field) => [field, is[field]]),
  );
}
const USAGE = {
  inputTokens: 100,
  cachedInputTokens: 0,
  outputTokens: 10,
  reasoningTokens: 0,
  estimated: false,
  cost: null,
};

describe("an attempt that was lost", () => {
  const lost = (what: "model" | "tool" | "preview", effect: string): Entry =>
    entry("attempt_lost", { effect, what, attempt: 1, ...(what === "preview" ? {} : { cost: 7 }) });

  test("of a model is charged with what it had reserved, and the next one opens here", () => {
    const phase = thinking();
    const { reserved } = phase.open;
    expect(
      changed({ ...run, failures: { ...run.failures, interruptions: 2 } }, lost("model", "r1s1")),
    ).toEqual({
      interruptions: 3,
      usage: { ...NO_USAGE, inputTokens: reserved, estimated: true, cost: 7 },
      phase: { ...phase, open: { ...phase.open, attempt: 2, interruptions: 1, base: SEQ } },
    });
  });

  test("of a tool is charged with what it may have cost, and of a preview is not one of its call", () => {
    const before = acting(call(0, { state: RUNNING, attempts: 1 }), call(1, { state: RUNNING, attempts: 1 }));
    expect(changed(before, lost("tool", "r1s1c0"))).toEqual({
      interruptions: 1,
      usage: { ...NO_USAGE, cost: 7 },
      phase: {
        at: "acting",
        calls: [call(0, { attempts: 1, interruptions: 1 }), call(1, { state: RUNNING, attempts: 1 })],
      },
    });
    expect(changed(acting(call(0)), lost("preview", "r1s1c0"))).toEqual({
      interruptions: 1,
      phase: { at: "acting", calls: [call(0, { previewInterruptions: 1 })] },
    });
  });
});

describe("a call", () => {
  const intended = entry("call_intended", {
    call: "r1s1c0",
    tool: "put",
    effect: "keyed",
    argsDigest: "d",
    key: "k",
    attempt: 1,
  });
  const settled = (status: "ok" | "error" | "unknown", reusedFrom: string | null = null): Entry =>
    entry("call_settled", {
      call: "r1s1c0",
      tool: "put",
      status,
      observation: "",
      chars: 0,
      failure: null,
      ms: 0,
      attempt: 1,
      reusedFrom,
    });
  const kind = (name: "work" | "send" | "bookkeeping"): Partial<Call> => ({
    traits: { kind: name } as never,
  });

  test("counts when it is begun first, and only where it is work", () => {
    const begun = { at: "acting", calls: [call(0, { state: RUNNING, attempts: 1 })] };
    expect(changed(acting(call(0)), intended)).toEqual({ toolCalls: 1, phase: begun });
    const again = { at: "acting", calls: [call(0, { state: RUNNING, attempts: 2 })] };
    expect(changed(acting(call(0, { attempts: 1 })), intended)).toEqual({ phase: again });
    expect(after(acting(call(0, kind("bookkeeping"))), intended).toolCalls).toBe(0);
  });

  test("that is settled runs no more; the last one ends the step", () => {
    const running = call(0, { state: RUNNING, attempts: 1 });
    const of = (status: "ok" | "error"): Call => call(0, { attempts: 1, state: { at: "settled", status } });
    expect(changed(acting(running, call(1)), settled("error"))).toEqual({
      phase: { at: "acting", calls: [of("error"), call(1)] },
    });
    expect(changed(acting(running, call(1)), settled("ok"))).toEqual({
      anyOk: true,
      phase: { at: "acting", calls: [of("ok"), call(1)] },
    });
    const { phase } = after(acting(running), settled("error"));
    expect(phase).toEqual({ at: "thinking", why: "step", reason: null, empty: 0, open: null });
  });

  test("that sends is one delivery where it may have arrived, and none where it was answered from the log", () => {
    const sends = (entry: Entry, change = kind("send")): number =>
      after(acting(call(0, change)), entry).sends;
    expect([sends(settled("ok")), sends(settled("unknown")), sends(settled("error"))]).toEqual([1, 1, 0]);
    expect([sends(settled("ok", "r1s1c9")), sends(settled("ok"), kind("work"))]).toEqual([0, 0]);
  });

  test("that waits for a person keeps its wait when another of its step is settled", () => {
    const question = { question: "q", call: "r1s1c1", expiresAt: 9, seq: 1, ends: false };
    const before: LiveRun = { ...run, phase: { at: "waiting_human", calls: [call(0), call(1)], question } };
    const { phase } = after(before, settled("ok"));
    expect(phase).toEqual({
      at: "waiting_human",
      calls: [call(0, { state: { at: "settled", status: "ok" } }), call(1)],
      question,
    });
  });
});

describe("a reply", () => {
  const replied = (more: Partial<BodyOf<"model_replied">> = {}): Entry =>
    entry("model_replied", {
      attempt: 1,
      base: 4,
      readTo: 20,
      parts: [{ type: "text", text: "Hello." }],
      calls: [],
      finish: "stop",
      words: [],
      usage: USAGE,
      model: "m",
      ms: 1,
      firstTokenMs: null,
      ...more,
    });
  const noWords = { parts: [] };
  const refused = proposal(0, {
    refused: { class: "policy", code: "unknown_tool", message: "no", retryable: false },
  });

  test("is of use where it says something, where a call of it can run, or where it was stopped", () => {
    const faults = (more: Partial<BodyOf<"model_replied">>): number =>
      after({ ...run, failures: { ...run.failures, unusableReplies: 2 } }, replied(more)).unusableReplies;
    expect([faults({}), faults(noWords), faults({ ...noWords, finish: "aborted" })]).toEqual([0, 3, 0]);
    expect([faults({ calls: [refused] }), faults({ calls: [refused, proposal(1)] })]).toEqual([3, 0]);
  });

  test("counts as cut where its length or a filter ended it, and a whole one begins the count anew", () => {
    const cuts = (finish: "length" | "content-filter" | "stop"): number =>
      after({ ...run, failures: { ...run.failures, truncatedReplies: 1 } }, replied({ finish }))
        .truncatedReplies;
    expect([cuts("length"), cuts("content-filter"), cuts("stop")]).toEqual([2, 2, 0]);
  });

  test("has read what stood in its request, and holds its words where calls come beside them", () => {
    const before = {
      ...run,
      input: { all: [19, 20, 21], unread: [19, 20, 21] },
      output: { ...run.output, latestText: 3 },
    };
    const held = (more: Partial<BodyOf<"model_replied">>): number | null =>
      after(before, replied(more)).latestText;
    expect(after(before, replied()).unread).toEqual([21]);
    expect([held({}), held({ calls: [proposal(0)] }), held({ ...noWords, calls: [proposal(0)] })]).toEqual([
      3,
      SEQ,
      3,
    ]);
  });

  test("to a forced answer that says nothing is counted, in any other step not", () => {
    const empty = (why: Thinking["why"]): unknown => {
      const { phase } = after({ ...run, phase: { ...thinking(), why, empty: 1 } }, replied(noWords));
      return phase;
    };
    expect(empty("final")).toEqual({ ...thinking(), why: "final", empty: 2, open: null });
    expect(empty("step")).toEqual({ ...thinking(), open: null });
  });

  test("measures its request where that is the one that the step tells of", () => {
    const second = { ...thinking(), open: { ...thinking().open, attempt: 2 } };
    expect(after(run, replied()).measured).not.toBeNull();
    expect(after({ ...run, phase: second }, replied({ attempt: 2 })).measured).toBeNull();
  });
});

describe("a failure of the model", () => {
  const failed = (then: "retry" | "compact" | "fallback" | "force", more: object = {}): Entry =>
    entry("model_failed", {
      attempt: 1,
      model: "rehearsal:",
      class: "overloaded",
      message: "no",
      retryAfterMs: null,
      usage: null,
      then,
      until: then === "retry" ? AT + 9 : null,
      ...more,
    } as BodyOf<"model_failed">);
  const open = () => ({ ...thinking().open, attempt: 2, base: SEQ, tries: 1 });

  test("that is waited for counts as a retry of the run and a try of the step", () => {
    expect(changed(run, failed("retry"))).toEqual({
      retries: 1,
      phase: { at: "waiting_retry", until: AT + 9, back: { ...thinking(), open: open() } },
    });
    const charged = after(run, failed("retry", { usage: USAGE })).usage;
    expect([charged.inputTokens, charged.outputTokens]).toEqual([100, 10]);
  });

  test("because of its size is remembered, until another model is asked", () => {
    const compacted = after(run, failed("compact")).phase;
    expect(compacted).toEqual({ ...thinking(), open: { ...open(), overflowed: true } });
    const before = { ...run, models: { ...run.models, fallbacks: ["b", "c"] }, phase: compacted };
    const { phase, current, fallbacks, fallbackSince } = after(before, failed("fallback", { passed: 1 }));
    const next = { ...open(), attempt: 3, tries: 0 };
    expect([phase, current, fallbacks]).toEqual([{ ...thinking(), open: next }, "c", []]);
    expect(fallbackSince).toEqual({ model: "rehearsal:", since: AT });
  });

  test("hands over to a model that has claims left, and comes back only from one that was down", () => {
    const lost: Phase = { ...thinking(), open: { ...thinking().open, interruptions: 5, tries: 4 } };
    const before = { ...run, models: { ...run.models, fallbacks: ["b"] }, phase: lost };
    expect(after(before, failed("fallback")).phase).toEqual({
      ...thinking(),
      open: { ...open(), interruptions: 3, tries: 0 },
    });
    expect(after(before, failed("fallback", { class: "auth" })).fallbackSince).toBeNull();
    const fallbackSince = { model: "first", since: 3 };
    expect(
      after({ ...before, models: { ...before.models, fallbackSince } }, failed("fallback")).fallbackSince,
    ).toBe(fallbackSince);
  });
});

describe("an answer of a person", () => {
  const question = { question: "q", call: null, expiresAt: 9, seq: 1, ends: true };
  const waiting = (): LiveRun => ({
    ...run,
    request: { ...run.request, request: "one" },
    phase: { at: "waiting_human", calls: [], question },
  });
  const answered = (more: Partial<BodyOf<"human_answered">> = {}): Entry =>
    entry("human_answered", {
      question: "q",
      call: null,
      value: "yes",
      expired: false,
      actor: "ada",
      via: "http",
      message: null,
      request: null,
      ...more,
    });

  test("goes on under its own name, is of its own question, and that nobody gave may end the run", () => {
    expect(after(waiting(), answered({ request: "two" })).request.request).toBe("two");
    expect(after(waiting(), answered()).request.request).toBe("one");
    expect(() => after(waiting(), answered({ question: "other" }))).toThrow("human_answered");
    expect(after(waiting(), answered({ expired: true })).phase).toMatchObject({
      at: "ending",
      outcome: "expired",
      reason: "question_expired",
    });
  });
});

describe("a guard", () => {
  const fired = (act: BodyOf<"verdict">["act"], more: Partial<BodyOf<"verdict">> = {}): Entry =>
    entry("verdict", {
      point: "before_model",
      call: null,
      code: "WRAP_UP",
      rule: "budget:steps",
      act,
      hint: "",
      evidence: [],
      until: null,
      ...more,
    });

  test("that puts a call off counts a retry and a try of it", () => {
    const before = acting(call(0, { state: RUNNING, attempts: 1 }), call(1));
    expect(changed(before, fired("retry", { call: "r1s1c0", until: AT + 7 }))).toEqual({
      retries: 1,
      phase: {
        at: "waiting_retry",
        until: AT + 7,
        back: { at: "acting", calls: [call(0, { attempts: 1, tries: 1 }), call(1)] },
      },
    });
  });

  test("that says something once is remembered, and what it gives stands", () => {
    const limits = { ...run.limits, steps: 99 };
    expect(changed(run, fired("note"))).toEqual({ once: ["WRAP_UP"] });
    expect(changed(run, fired("note", { code: "EXTENDED", limits }))).toEqual({ once: ["EXTENDED"], limits });
    expect(changed(run, fired("note", { code: "HOOK_HINT" }))).toEqual({});
    expect(changed(run, fired("reask"))).toEqual({});
  });

  test("that forces the answer or ends the run says why, and keeps the calls that are open", () => {
    expect(after(run, fired("force")).phase).toEqual({
      at: "thinking",
      why: "final",
      reason: "budget:steps",
      empty: 0,
      open: null,
    });
    expect(after(acting(call(0)), fired("end", { code: "STUCK" })).phase).toEqual({
      at: "ending",
      outcome: "failed_stuck",
      reason: "stuck",
      calls: [call(0)],
    });
  });

  test("that has another model asked is away from the first until that is asked again", () => {
    const before = { ...run, models: { ...run.models, current: "a", fallbacks: ["b"] } };
    const away = changeRun(before, fired("wait", { until: AT, models: ["b", "a"] }), []);
    expect(away.models).toMatchObject({
      current: "b",
      fallbacks: ["a"],
      fallbackSince: { model: "a", since: AT },
    });
    const back = changeRun(
      { ...away, phase: thinking() },
      fired("wait", { until: AT, models: ["a", "b"] }),
      [],
    );
    expect(back.models).toMatchObject({ current: "a", fallbacks: ["b"], fallbackSince: null });
  });
});
