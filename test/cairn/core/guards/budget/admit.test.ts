import { describe, expect, test } from "vitest";
import { fold } from "../../../../../src/cairn/core/state/apply.ts";
import {
  admitCall,
  DAY_CAPS,
  dayOf,
  type DayCaps,
} from "../../../../../src/cairn/core/guards/budget/admit.ts";
import { PROFILES } from "../../../../../src/cairn/core/guards/budget/profiles.ts";
import { FALLBACK_PRICE } from "../../../../../src/cairn/core/model-tables.ts";
import type { CallRequest } from "../../../../../src/cairn/core/guards/budget/reserve.ts";
import { receiveExtend } from "../../../../../src/cairn/core/loop/receive-extension.ts";
import type { Amounts } from "../../../../../src/cairn/core/guards/budget/amounts.ts";
import { EMPTY_STATE, type LiveRun, type State } from "../../../../../src/cairn/core/state/state.ts";
import { REPORT } from "../../../../sim/platform/fake-model.ts";
import { FakePlatform, type Line } from "../../../../sim/platform/platform.ts";

/** Checks between a run and its next model call, in the states that a run reaches. */

const REQUEST: CallRequest = { estimate: 5_000, maxOut: 1_024, price: FALLBACK_PRICE, contextCap: 100_000 };
const DAY_MS = 86_400_000;

/** The state of a run at its forced answer, which is asked for when its two steps are used. */
async function atFinal(): Promise<State> {
  let state: State | null = null;
  const platform: FakePlatform = new FakePlatform((request): Line => {
    if (request.tools.length > 0) return { calls: [["look", { name: "a" }]] };
    state = platform.state;
    return { text: REPORT };
  });
  platform.say("Look.", { limits: { steps: 2 } });
  await platform.settle();
  if (state === null) throw new Error("no answer was forced");
  return state;
}

describe("the forced answer", () => {
  const admit = (state: State, request: Partial<CallRequest> = {}, caps: DayCaps = DAY_CAPS): unknown => {
    if (state.run === null) throw new Error("no run");
    const call = { purpose: "final", opened: true } as const;
    const admitted = admitCall(state, state.run, call, { ...REQUEST, ...request }, state.at, caps);
    if (admitted.do === "send") return "send";
    const { body } = admitted.entry;
    return "code" in body && "act" in body
      ? [body.code, "rule" in body ? body.rule : null, body.act]
      : admitted.entry;
  };

  test("is asked for where its run and its day pay it", async () => {
    expect(admit(await atFinal())).toBe("send");
  });

  test("is not asked for where the day does not pay it, in tokens or in money", async () => {
    const state = await atFinal();
    const unpaid = ["BUDGET_DAY", "budget:day", "end"];
    expect(admit(state, {}, { ...DAY_CAPS, tokens: 5_000 })).toEqual(unpaid);
    expect(admit(state, {}, { ...DAY_CAPS, cost: 5_000 })).toEqual(unpaid);
  });

  test("that its run cannot pay ends it for the reason that it was forced for", async () => {
    const estimate = PROFILES.standard.tokens + 1;
    expect(admit(await atFinal(), { estimate })).toEqual(["FINAL_UNPAID", "budget:steps", "end"]);
  });
});

describe("the last step of a run that makes progress", () => {
  /** The state right before the run was given more steps by itself. */
  async function beforeExtension(): Promise<State> {
    const platform: FakePlatform = new FakePlatform((request): Line =>
      request.tools.length > 0 ? { calls: [["look", { name: request.step }]] } : { text: REPORT },
    );
    platform.say("Look at everything.", { wanted: { limits: {}, profile: "standard" } });
    await platform.settle(3_600_000);
    const extended = platform.log.findIndex(
      (entry) => entry.kind === "verdict" && entry.body.code === "EXTENDED",
    );
    if (extended === -1) throw new Error("it was given no steps");
    return fold(EMPTY_STATE, platform.log.slice(0, extended));
  }
  const codeFor = (state: State, change: (run: LiveRun) => LiveRun): unknown => {
    if (state.run === null) throw new Error("no run");
    const call = { purpose: "step", opened: false } as const;
    const admitted = admitCall(state, change(state.run), call, REQUEST, state.at, DAY_CAPS);
    return admitted.do === "record" && "code" in admitted.entry.body ? admitted.entry.body.code : "send";
  };

  test("is followed by more where something was found that nobody was told of, and by the answer where not", async () => {
    const state = await beforeExtension();
    expect(codeFor(state, (run) => run)).toBe("EXTENDED");
    const nothingNew = (run: LiveRun): LiveRun => ({
      ...run,
      loop: { ...run.loop, calls: run.loop.calls.map((one) => ({ ...one, fresh: false })) },
    });
    expect(codeFor(state, nothingNew)).toBe("BUDGET_STEPS");
  });

  test("is the last one where the run was given more before, or somebody has set the number of its steps", async () => {
    const state = await beforeExtension();
    const steps = state.run?.limits.steps;
    const others: ((run: LiveRun) => LiveRun)[] = [
      (run) => ({ ...run, used: { ...run.used, once: [...run.used.once, "EXTENDED"] } }),
      (run) => ({ ...run, request: { ...run.request, limits: { steps } } }),
      (run) => ({ ...run, request: { ...run.request, caps: { steps } } }),
      (run) => ({ ...run, loop: { ...run.loop, stuck: { ...run.loop.stuck, level: 1 } } }),
    ];
    expect(others.map((change) => codeFor(state, change))).toEqual(Array(4).fill("BUDGET_STEPS"));
  });
});

describe("a run whose calls were new work, each of them", () => {
  test("has more of them once they are used, unless somebody has set their number", async () => {
    let state: State | null = null;
    const platform: FakePlatform = new FakePlatform((request): Line => {
      if (request.step === "r1s3") state = platform.state;
      return request.tools.length > 0 ? { calls: [["look", { name: request.step }]] } : { text: REPORT };
    });
    platform.say("Look at everything.", { wanted: { limits: {}, profile: "standard" } });
    await platform.settle(3_600_000);
    if (state === null) throw new Error("there was no third step");
    const { run, at }: State = state;
    if (run === null) throw new Error("no run");
    const toolCalls = run.limits.toolCalls;
    const spent = { ...run, used: { ...run.used, toolCalls } };
    const codeOf = (change: Partial<LiveRun["request"]>): unknown => {
      const asked = { ...spent, request: { ...spent.request, ...change } };
      const call = { purpose: "step", opened: false } as const;
      const admitted = admitCall({ ...EMPTY_STATE, at }, asked, call, REQUEST, at, DAY_CAPS);
      return admitted.do === "record" && "code" in admitted.entry.body ? admitted.entry.body.code : "send";
    };
    const set = ["send", "send", "send"];
    expect(codeOf({})).toBe("MORE_CALLS");
    expect([
      codeOf({ limits: { toolCalls } }),
      codeOf({ caps: { toolCalls } }),
      codeOf({ limits: { toolCalls }, caps: { toolCalls } }),
    ]).toEqual(set);
    // The number of something else says nothing of the calls.
    expect([codeOf({ limits: { steps: 40 } }), codeOf({ caps: { steps: 40 } })]).toEqual([
      "MORE_CALLS",
      "MORE_CALLS",
    ]);
  });
});

describe("the day of a session", () => {
  const spent = (at: number): State => ({
    ...EMPTY_STATE,
    day: { no: Math.floor(at / DAY_MS), tokens: 7, cost: 9 },
  });

  test("is that of UTC: what was spent counts until midnight, and the next one begins with nothing", () => {
    const noon = Date.UTC(2026, 0, 5, 12);
    const used = (at: number) => dayOf(spent(noon), at, DAY_CAPS).used;
    expect(used(Date.UTC(2026, 0, 5))).toEqual(used(noon));
    expect(used(Date.UTC(2026, 0, 6) - 1)).toMatchObject({ tokens: 7, cost: 9 });
    for (const other of [Date.UTC(2026, 0, 6), Date.UTC(2026, 0, 5) - 1, Date.UTC(2027, 0, 5)])
      expect(used(other)).toEqual({ tokens: 0, cost: 0 });
    expect(dayOf(EMPTY_STATE, noon, DAY_CAPS)).toEqual({ used: { tokens: 0, cost: 0 }, limit: DAY_CAPS });
  });
});

describe("more room by a person", () => {
  const extend = (state: State, wish: Partial<Amounts>, caps: DayCaps = DAY_CAPS, run = "r1"): unknown => {
    const received = receiveExtend(state, { id: "x1", actor: "ada", run, adds: wish }, state.at, caps);
    return received.ok ? "given" : received.code;
  };

  test("is for the live run alone, while it is at work and its answer is not being written", async () => {
    const states: State[] = [];
    const platform: FakePlatform = new FakePlatform((request): Line => {
      states.push(platform.state);
      return request.tools.length > 0 ? { calls: [["look", { name: "a" }]] } : { text: REPORT };
    });
    platform.say("Look.", { limits: { steps: 2 } });
    await platform.settle();
    const [thinking, final] = states;
    if (thinking === undefined || final === undefined) throw new Error("there were two calls");
    expect(extend(thinking, { steps: 1 })).toBe("given");
    expect(extend(thinking, { steps: 1 }, DAY_CAPS, "r2")).toBe("not_live");
    expect(extend(final, { steps: 1 })).toBe("run_ending");
    expect(extend(platform.state, { steps: 1 })).toBe("not_live");
  });

  test("is not given to a run that is being stopped, or whose end is certain", async () => {
    const seen: unknown[] = [];
    const platform: FakePlatform = new FakePlatform([{ calls: [["look", { name: "a" }]] }, { text: REPORT }]);
    platform.effects.onTool = () => {
      platform.cancel();
      seen.push(extend(platform.state, { steps: 1 }));
    };
    platform.say("Look.");
    await platform.settle();
    expect(seen).toEqual(["not_live"]);
    const failure = { class: "auth", message: "No.", retryAfterMs: null, usage: null } as const;
    const failing = new FakePlatform([{ fail: failure }]);
    failing.say("Look.");
    await failing.settle();
    const failed = failing.log.findIndex((entry) => entry.kind === "model_failed");
    const state = fold(EMPTY_STATE, failing.log.slice(0, failed + 1));
    expect([state.run?.phase.at, extend(state, { steps: 1 })]).toEqual(["ending", "run_ending"]);
  });

  test("leaves the run no more than what the day has not spent yet, in tokens and in money", async () => {
    let state: State | null = null;
    const platform: FakePlatform = new FakePlatform((request): Line => {
      state = platform.state;
      const more = { usage: { inputTokens: 900, outputTokens: 100 } };
      return request.step === "r1s1" ? { calls: [["look", { name: "a" }]], ...more } : { text: REPORT };
    });
    const price = { input: 10, cachedInput: 10, output: 10 };
    platform.prices = { "openai-compatible:priced": price };
    platform.say("Look.", { model: "openai-compatible:priced" });
    await platform.settle();
    const seen = state as State | null;
    if (seen?.run == null) throw new Error("no second call");
    const { run, day } = seen;
    expect(day).toMatchObject({ tokens: 1_000, cost: 10_000 });
    const cap = (name: "tokens" | "cost", wish: number): DayCaps => ({
      ...DAY_CAPS,
      // The run keeps what it has left; beside it the day has room for the wish, and no more.
      [name]: run.limits[name] + wish,
    });
    for (const name of ["tokens", "cost"] as const) {
      expect(extend(seen, { [name]: 5_000 }, cap(name, 5_000))).toBe("given");
      expect(extend(seen, { [name]: 5_001 }, cap(name, 5_000))).toBe("above_cap");
    }
  });
});
