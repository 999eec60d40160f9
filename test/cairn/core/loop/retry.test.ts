import { beforeAll, describe, expect, test } from "vitest";
import {
  RETRIES_PER_RUN_MAX,
  RETRY_AFTER_MS_MAX,
  TRIES_PER_EFFECT_MAX,
} from "../../../../src/cairn/core/limits.ts";
import type { ModelErrorClass, ModelFailure, Usage } from "../../../../src/cairn/core/log/model.ts";
import {
  modelFailed,
  receiveRetry,
  retryDelay,
  toolRetry,
  type Remedies,
} from "../../../../src/cairn/core/loop/retry.ts";
import { createCall } from "../../../../src/cairn/core/state/run/apply-phase.ts";
import type { Thinking } from "../../../../src/cairn/core/state/run/phase.ts";
import type { LiveRun, State } from "../../../../src/cairn/core/state/state.ts";
import { FakePlatform } from "../../../sim/platform/platform.ts";

/** Decisions about a failure, at the edges of their bounds. */

let begun: State;
let run: LiveRun;
beforeAll(async () => {
  const platform = new FakePlatform([{ text: "Hello." }]);
  platform.onModel = () => void (begun = platform.state);
  platform.say("go");
  await platform.settle();
  if (begun.run === null) throw new Error("no run is live");
  run = begun.run;
});

interface Change extends Partial<LiveRun> {
  readonly tries?: number;
  readonly retries?: number;
  readonly fallbacks?: readonly string[];
  readonly why?: Thinking["why"];
}

function state({ tries = 0, why = "step", retries = 0, fallbacks = [], ...change }: Change): State {
  if (run.phase.at !== "thinking" || run.phase.open === null) throw new Error("no step is open");
  const phase: Thinking = { ...run.phase, why, open: { ...run.phase.open, tries } };
  const models = { ...run.models, fallbacks };
  return { ...begun, run: { ...run, phase, models, failures: { ...run.failures, retries }, ...change } };
}
const failure = (kind: ModelErrorClass, retryAfterMs: number | null = null): ModelFailure<Usage> => ({
  class: kind,
  message: "no",
  retryAfterMs,
  usage: null,
});
const then = (kind: ModelErrorClass, change: Change = {}, retryAfterMs: number | null = null): string =>
  modelFailed(state(change), failure(kind, retryAfterMs), begun.at).body.then;

describe("the wait before the next try", () => {
  test("doubles up to a minute, of which half is chance, and is no less than what was asked for", () => {
    for (let tries = 0; tries < 12; tries++) {
      const whole = Math.min(60_000, 1_000 * 2 ** tries);
      const waits = ["a", "b", "c", "d", "e", "f"].map((name) => retryDelay([name], tries, null));
      for (const wait of waits) expect([wait >= whole / 2, wait <= whole]).toEqual([true, true]);
      expect(new Set(waits).size).toBeGreaterThan(1);
      expect(retryDelay(["a"], tries, null)).toBe(waits[0]);
    }
    expect([retryDelay(["a"], 0, 90_000), retryDelay(["a"], 8, 10) >= 30_000]).toEqual([90_000, true]);
  });
});

describe("a model that fails", () => {
  test.each(["rate_limit", "overloaded", "network", "timeout", "cut_off"] as const)(
    "with %s is asked again, up to its tries and those of the run",
    (kind) => {
      expect(then(kind)).toBe("retry");
      expect(then(kind, { tries: TRIES_PER_EFFECT_MAX - 2 })).toBe("retry");
      expect(then(kind, { tries: TRIES_PER_EFFECT_MAX - 1 })).toBe("end");
      expect(then(kind, { tries: TRIES_PER_EFFECT_MAX - 1, fallbacks: ["b"] })).toBe("fallback");
      expect(then(kind, { retries: RETRIES_PER_RUN_MAX - 1 })).toBe("retry");
      expect(then(kind, { retries: RETRIES_PER_RUN_MAX })).toBe("end");
    },
  );

  test.each(["auth", "bad_request", "unknown_model", "content_filter"] as const)(
    "with %s is asked no more",
    (kind) => {
      expect([then(kind), then(kind, { fallbacks: ["b"] })]).toEqual(["end", "fallback"]);
    },
  );

  test("inside of Cairn is asked once more", () => {
    expect([then("internal"), then("internal", { tries: 1 })]).toEqual(["retry", "end"]);
  });

  test("and asks for more time than there is is not waited for", () => {
    const long = { limits: { ...run.limits, activeMs: 10 * RETRY_AFTER_MS_MAX } };
    expect(then("rate_limit", long, RETRY_AFTER_MS_MAX)).toBe("retry");
    expect(then("rate_limit", long, RETRY_AFTER_MS_MAX + 1)).toBe("end");
    const wait = 120_000;
    const left = (more: number): Change => ({
      limits: { ...run.limits, activeMs: run.used.activeMs + wait + more },
    });
    expect([then("rate_limit", left(1), wait), then("rate_limit", left(0), wait)]).toEqual(["retry", "end"]);
    // Time that passed since the last entry is spent too.
    const later = modelFailed(state(left(1)), failure("rate_limit", wait), begun.at + 1);
    expect(later.body.then).toBe("end");
  });

  test("says how long it is waited for, by the attempt and the model that failed", () => {
    const { body } = modelFailed(state({ tries: 2 }), failure("overloaded", 7_000), begun.at + 5);
    expect(body).toMatchObject({ attempt: 1, model: "rehearsal:", class: "overloaded", then: "retry" });
    expect(body.until).toBe(begun.at + 5 + 7_000);
    expect(modelFailed(state({}), failure("auth"), begun.at).body.until).toBeNull();
  });

  test("because the request is too large is given a smaller one, a larger model, or the end of its work", () => {
    const overflow = (how: Partial<Remedies>, change: Change = {}): unknown => {
      const { body } = modelFailed(state(change), failure("context_overflow"), begun.at, how);
      return [body.then, body.passed ?? 0];
    };
    const two = { fallbacks: ["b", "c"] };
    expect(overflow({ shrinks: true, larger: 0 }, two)).toEqual(["compact", 0]);
    expect(overflow({ shrinks: false, larger: 0 }, two)).toEqual(["fallback", 0]);
    expect(overflow({ shrinks: false, larger: 1 }, two)).toEqual(["fallback", 1]);
    expect(overflow({ shrinks: false, larger: -1 }, two)).toEqual(["force", 0]);
    expect(overflow({ shrinks: false, larger: 2 }, two)).toEqual(["force", 0]);
    expect(overflow({ shrinks: false, larger: -1 }, { why: "final" })).toEqual(["end", 0]);
  });
});

describe("a tool that fails", () => {
  const call = (effect: "read" | "keyed" | "once", tries = 0) => ({
    ...createCall(
      {
        call: "r1s1c0",
        tool: "put",
        title: "Put",
        input: {},
        gate: "never",
        effect,
        refused: null,
        duplicateOf: null,
      },
      5,
    ),
    tries,
  });
  const passing = { class: "rate_limit", code: "slow_down", message: "later", retryable: true } as const;
  const retries = (
    effect: "read" | "keyed" | "once",
    { tries = 0, ...change }: Change = {},
    retryable = true,
    at = begun.at,
  ): boolean => toolRetry(state(change), call(effect, tries), { ...passing, retryable }, at) !== null;

  test("in passing is run again unless it may run once, up to its tries and those of the run", () => {
    expect([retries("read"), retries("keyed"), retries("once")]).toEqual([true, true, false]);
    expect(retries("read", {}, false)).toBe(false);
    const most = TRIES_PER_EFFECT_MAX;
    expect([retries("keyed", { tries: most - 2 }), retries("keyed", { tries: most - 1 })]).toEqual([
      true,
      false,
    ]);
    const spent = RETRIES_PER_RUN_MAX;
    expect([retries("read", { retries: spent - 1 }), retries("read", { retries: spent })]).toEqual([
      true,
      false,
    ]);
  });

  test("is not waited for past the time of its run", () => {
    const wait = retryDelay(["r1s1c0"], 0, null);
    const left = (more: number): Partial<LiveRun> => ({
      limits: { ...run.limits, activeMs: run.used.activeMs + wait + more },
    });
    expect([retries("read", left(1)), retries("read", left(0))]).toEqual([true, false]);
    expect(retries("read", left(5), true, begun.at + 5)).toBe(false);
    const entry = toolRetry(state({}), call("read"), passing, begun.at + 3);
    expect(entry?.body).toMatchObject({ act: "retry", call: "r1s1c0", until: begun.at + 3 + wait });
  });
});

describe("a person who does not wait", () => {
  const down = () =>
    ({ fail: { class: "rate_limit", message: "slow", retryAfterMs: 600_000, usage: null } }) as const;
  const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;
  const now = (platform: FakePlatform, id: string, runId = "ses.r1") =>
    platform.api.retryNow(ADA, { id, runId });

  async function waiting(lines: number): Promise<FakePlatform> {
    const platform: FakePlatform = new FakePlatform(() =>
      platform.requests.length < lines ? down() : { text: "Hello." },
    );
    platform.sayOnce("m1", {});
    await platform.settle(60_000);
    expect(platform.state.run?.phase.at).toBe("waiting_retry");
    return platform;
  }

  test("has the model asked at once, under the same step, and is told so in the log", async () => {
    const platform = await waiting(1);
    const asked = platform.now;
    expect(await now(platform, "x1")).toMatchObject({
      ok: true,
      value: { id: "ses.r1", status: "running", waitingFor: null },
    });
    expect(platform.disk.alarm).toBeLessThanOrEqual(platform.now + 1);
    await platform.settle();
    expect(platform.now - asked).toBeLessThan(600_000);
    expect(platform.kinds.slice(3)).toEqual([
      "step_started",
      "model_failed",
      "command_queued",
      "model_replied",
      "review",
      "answer",
      "run_ended",
    ]);
    expect(new Set(platform.requests.map(({ step }) => step))).toEqual(new Set(["r1s1"]));
  });

  test("is heard once for an id, and where nothing waits is told so", async () => {
    const platform = await waiting(2);
    expect((await now(platform, "x1")).ok).toBe(true);
    expect((await now(platform, "x1")).ok).toBe(true);
    expect(await now(platform, "x2")).toMatchObject({
      ok: false,
      error: { status: 409, code: "not_waiting" },
    });
    expect(await now(platform, "x3", "ses.r7")).toMatchObject({ ok: false, error: { status: 404 } });
    expect(platform.kinds.filter((kind) => kind === "command_queued")).toHaveLength(1);
  });

  test("is heard also for a model that is left alone, because it failed again and again", async () => {
    const platform: FakePlatform = new FakePlatform(() =>
      platform.requests.length < TRIES_PER_EFFECT_MAX
        ? { fail: { class: "overloaded", message: "busy", retryAfterMs: null, usage: null } }
        : { text: "Hello." },
    );
    platform.sayOnce("m1", {});
    await platform.settle();
    platform.sayOnce("m2", {});
    await platform.settle(1_000);
    expect(platform.log.at(-1)).toMatchObject({ kind: "verdict", run: "r2", body: { code: "MODEL_DOWN" } });
    expect((await now(platform, "x1", "ses.r2")).ok).toBe(true);
    const asked = platform.now;
    await platform.settle(1_000);
    expect(platform.log.at(-1)).toMatchObject({
      kind: "run_ended",
      run: "r2",
      body: { outcome: "completed" },
    });
    expect(platform.now - asked).toBeLessThan(1_000);
  });

  test("waits for people all the same", async () => {
    const platform = new FakePlatform([{ calls: [["publish", { name: "a" }]] }, { text: "Done." }]);
    platform.sayOnce("m1", {});
    await platform.settle();
    expect(await now(platform, "x1")).toMatchObject({ error: { status: 409, code: "waiting_for_approval" } });
    expect(receiveRetry(platform.state, { id: "x", actor: "ada", run: "r1" })).toBeNull();
  });
});
