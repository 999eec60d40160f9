import { beforeAll, describe, expect, test } from "vitest";
import {
  GUARD_FAULTS_MAX,
  INTERRUPTIONS_MAX,
  FAULTS_IN_ROW_MAX,
  INTERRUPTIONS_PER_RUN_MAX,
  READS_AT_ONCE,
} from "../../../../src/cairn/core/limits.ts";
import { next, nextAlarm } from "../../../../src/cairn/core/loop/next.ts";
import { createCall } from "../../../../src/cairn/core/state/run/apply-phase.ts";
import type { Call, Phase, Thinking } from "../../../../src/cairn/core/state/run/phase.ts";
import type { LiveRun, State } from "../../../../src/cairn/core/state/state.ts";
import { FakePlatform } from "../../../sim/platform/platform.ts";

/** The decision of the loop at the edges of its bounds: what is the last that goes on, and the first that does not. */

let begun: State;
let run: LiveRun;

/** A run that has its first step open, as the loop itself makes it. */
beforeAll(async () => {
  const platform = new FakePlatform([{ text: "Hello." }]);
  platform.onModel = () => void (begun = platform.state);
  platform.say("go");
  await platform.settle();
  if (begun.run === null) throw new Error("no run is live");
  run = begun.run;
});

const at = (): number => begun.at + 10;
const failed = (change: Partial<LiveRun["failures"]>): LiveRun["failures"] => ({
  ...run.failures,
  ...change,
});
const state = (change: Partial<LiveRun>): State => ({ ...begun, run: { ...run, ...change } });
const open = (): NonNullable<Thinking["open"]> => {
  if (run.phase.at !== "thinking" || run.phase.open === null) throw new Error("no step is open");
  return run.phase.open;
};
const thinking = (change: Partial<Thinking> = {}): Thinking => ({
  at: "thinking",
  why: "step",
  reason: null,
  empty: 0,
  open: open(),
  ...change,
});
/** Next action: the effect, or the code of the entry to record. */
function does(of: State, time = at()): unknown {
  const then = next(of, time);
  if (then.do === "record") {
    const [entry] = then.entries;
    if (entry?.kind === "verdict") return [entry.kind, entry.body.code];
    return [entry?.kind];
  }
  if (then.do === "run_tools") return [then.do, then.calls.map((call) => call.call)];
  if (then.do === "settle") return [then.do, then.call.call, then.as];
  if (then.do === "preview" || then.do === "settle_pure") return [then.do, then.call.call];
  return then.do === "finish" ? [then.do, then.outcome, then.reason] : then.do;
}

describe("a wait", () => {
  test("for a retry is over at its time, and not before", () => {
    const until = at();
    const waiting = state({ phase: { at: "waiting_retry", until, back: thinking() } });
    expect([next(waiting, until - 1), nextAlarm(waiting, until - 1)]).toEqual([{ do: "wait", until }, until]);
    expect([does(waiting, until), nextAlarm(waiting, until)]).toEqual(["call_model", until]);
  });

  test("for an answer is over at its time, and not before", () => {
    const question = { question: "r1s1q1", call: null, expiresAt: at(), seq: 5, ends: false };
    const waiting = state({ phase: { at: "waiting_human", calls: [], question } });
    expect(next(waiting, at() - 1)).toEqual({ do: "wait", until: at() });
    expect(does(waiting, at())).toBe("expire");
  });

  test("ends with a stop, as what it is", () => {
    const cancel = { actor: "ada", reason: null, superseded: false };
    expect(does(state({ cancel }))).toEqual(["finish", "cancelled", "cancelled"]);
    const replaced = state({ cancel: { ...cancel, superseded: true } });
    expect(does(replaced)).toEqual(["finish", "superseded", "cancelled"]);
  });
});

describe("a run", () => {
  const acting = (): Phase => ({ at: "acting", calls: [call(0, "look", "read")] });

  test("that was interrupted too often is given up, in whatever it is", () => {
    for (const phase of [thinking(), acting()]) {
      const last = does(state({ phase, failures: failed({ interruptions: INTERRUPTIONS_PER_RUN_MAX - 1 }) }));
      expect(last).toEqual(phase.at === "thinking" ? "call_model" : ["run_tools", ["r1s1c0"]]);
      expect(does(state({ phase, failures: failed({ interruptions: INTERRUPTIONS_PER_RUN_MAX }) }))).toEqual([
        "verdict",
        "RECOVERY_EXHAUSTED",
      ]);
    }
  });

  test("whose guards failed too often is given up", () => {
    const faults = Array.from({ length: GUARD_FAULTS_MAX }, () => ({ point: "before_tool", step: 1 }));
    const faulted = (count: number, phase: Phase): unknown =>
      does(state({ phase, safety: { ...run.safety, faults: faults.slice(0, count) } }));
    expect(faulted(GUARD_FAULTS_MAX - 1, thinking())).toBe("call_model");
    expect(faulted(GUARD_FAULTS_MAX, thinking())).toEqual(["verdict", "GUARD_ERROR"]);
    expect(faulted(GUARD_FAULTS_MAX, acting())).toEqual(["verdict", "GUARD_ERROR"]);
  });

  test("whose replies are of no use is asked for its answer between two steps, not within one", () => {
    const faulty = { failures: failed({ unusableReplies: FAULTS_IN_ROW_MAX }) };
    expect(does(state({ ...faulty, phase: thinking() }))).toBe("call_model");
    expect(does(state({ ...faulty, phase: thinking({ open: null }) }))).toEqual([
      "verdict",
      "INVALID_OUTPUT",
    ]);
    expect(
      does(
        state({
          failures: failed({ unusableReplies: FAULTS_IN_ROW_MAX - 1 }),
          phase: thinking({ open: null }),
        }),
      ),
    ).toBe("call_model");
    expect(does(state({ failures: failed({ truncatedReplies: 1 }), phase: thinking({ open: null }) }))).toBe(
      "call_model",
    );
    expect(
      does(state({ failures: failed({ truncatedReplies: 2 }), phase: thinking({ open: null }) })),
    ).toEqual(["verdict", "REPLY_CUT_AGAIN"]);
  });
});

describe("a model call", () => {
  test.each(["step", "final"] as const)("of a %s that died may be claimed so often, and no more", (why) => {
    const lost = (times: number, fallbacks: readonly string[] = []): unknown =>
      does(
        state({
          models: { ...run.models, fallbacks },
          phase: thinking({ why, open: { ...open(), interruptions: times } }),
        }),
      );
    expect(lost(INTERRUPTIONS_MAX[why] - 1)).toBe("call_model");
    expect(lost(INTERRUPTIONS_MAX[why])).toEqual(["verdict", "RECOVERY_EXHAUSTED"]);
    expect(lost(INTERRUPTIONS_MAX[why], ["rehearsal:"])).toEqual(["model_failed"]);
  });

  test("for a forced answer is made twice, where there is a step for it", () => {
    const asked = (empty: number, step: number): unknown =>
      does(state({ step, phase: thinking({ why: "final", reason: "budget:steps", empty, open: null }) }));
    const { steps } = run.limits;
    const over = ["finish", "failed_budget", "budget:steps"];
    expect([asked(0, steps), asked(1, steps - 1)]).toEqual(["call_model", "call_model"]);
    expect([asked(1, steps), asked(2, steps - 1)]).toEqual([over, over]);
  });
});

/** A call of the first step, before anything was done about it. */
function call(index: number, tool: string, effect: Call["effect"], change: Partial<Call> = {}): Call {
  const name = `r1s1c${index}`;
  const body = {
    call: name,
    tool,
    title: tool,
    input: { name },
    effect,
    gate: "never",
    refused: null,
    access: { tier: "open", reads: "none", reach: "none", public: false },
  } as const;
  return { ...createCall({ ...body, duplicateOf: null }, 5), ...change };
}

describe("the calls of a step", () => {
  const acting = (...calls: readonly Call[]): unknown => does(state({ phase: { at: "acting", calls } }));
  const done = { state: { at: "settled", status: "ok" } } as const;

  test.each([
    ["read", "interrupted"],
    ["keyed", "unknown"],
    ["once", "unknown"],
  ] as const)("that die: a %s call ends as %s once its claims are spent", (effect, as) => {
    const most = INTERRUPTIONS_MAX[effect];
    expect(acting(call(0, "put", effect, { interruptions: most - 1, attempts: most - 1 }))).toEqual([
      "run_tools",
      ["r1s1c0"],
    ]);
    expect(acting(call(0, "put", effect, { interruptions: most, attempts: most }))).toEqual([
      "settle",
      "r1s1c0",
      as,
    ]);
  });

  test("whose preview dies are previewed so often, and no more", () => {
    const gated = { gate: "ask" } as const;
    const lost = (previewInterruptions: number): unknown =>
      acting(call(0, "put", "keyed", { ...gated, previewInterruptions }));
    expect(lost(INTERRUPTIONS_MAX.preview - 1)).toEqual(["preview", "r1s1c0"]);
    expect(lost(INTERRUPTIONS_MAX.preview)).toEqual(["settle", "r1s1c0", "preview_failed"]);
  });

  test("that passed their gate are not previewed again, whatever became of them", () => {
    const begunOnce = call(0, "put", "keyed", { gate: "ask", attempts: 1, interruptions: 1 });
    expect(acting(begunOnce)).toEqual(["run_tools", ["r1s1c0"]]);
  });

  test("do not run when a change before them has failed; reads do, and what has begun goes on", () => {
    const of = (status: "error" | "unknown" | "refused"): Call =>
      call(0, "put", "keyed", { state: { at: "settled", status } });
    const [failed, unknown, refused] = [of("error"), of("unknown"), of("refused")];
    const read = { ...failed, effect: "read" } as const;
    const later = call(1, "put", "keyed");
    const stopped = ["settle", "r1s1c1", "batch_stopped"];
    const runs = ["run_tools", ["r1s1c1"]];
    expect([acting(failed, later), acting(unknown, later)]).toEqual([stopped, stopped]);
    expect([acting(refused, later), acting(read, later)]).toEqual([runs, runs]);
    expect(acting(failed, call(1, "look", "read"))).toEqual(runs);
    expect(acting(failed, { ...later, attempts: 1 })).toEqual(runs);
  });

  test("run one by one where they change something, and four at once where they read", () => {
    const reads = [0, 1, 2, 3, 4, 5].map((index) => call(index, "look", "read"));
    const names = reads.map((one) => one.call);
    expect(acting(...reads)).toEqual(["run_tools", names.slice(0, READS_AT_ONCE)]);
    expect(acting(call(9, "put", "keyed"), call(10, "put", "keyed"))).toEqual(["run_tools", ["r1s1c9"]]);
    const [first, second, third] = reads;
    if (first === undefined || second === undefined || third === undefined) throw new Error("no reads");
    const apart = ["run_tools", ["r1s1c0"]];
    expect(acting(first, call(1, "put", "keyed"), third)).toEqual(apart);
    expect(acting(first, call(1, "look", "read", { gate: "ask" }), third)).toEqual(apart);
    expect(acting(first, call(1, "store_memory", "read"), third)).toEqual(apart);
    expect(acting(call(0, "store_memory", "read"), second)).toEqual(["settle_pure", "r1s1c0"]);
    expect(acting({ ...first, ...done }, { ...second, duplicateOf: "r1s1c0" }, third)).toEqual([
      "run_tools",
      ["r1s1c2"],
    ]);
  });

  test("ask a person when everything else of the reply has its result", () => {
    const ask = call(0, "ask_human", "read");
    expect(acting(ask, call(1, "look", "read"))).toEqual(["run_tools", ["r1s1c1"]]);
    expect(acting(ask, call(1, "look", "read", done))).toBe("ask");
  });
});
