import { describe, expect, test } from "vitest";
import { NO_AMOUNTS, dollars, type Account } from "../../../../../src/cairn/core/guards/budget/amounts.ts";
import {
  checkLimits,
  limitsFor,
  PRESETS,
  PROFILES,
} from "../../../../../src/cairn/core/guards/budget/profiles.ts";
import { reserveCall, reserveFinal } from "../../../../../src/cairn/core/guards/budget/reserve.ts";
import type { Profile } from "../../../../../src/cairn/core/log/verdict.ts";
import { FALLBACK_PRICE } from "../../../../../src/cairn/core/model-tables.ts";
import { openReservation, settleReservation } from "./settled.ts";

const NAMES = Object.keys(PROFILES) as Profile[];

/** Assumption behind the sizes of the profiles: 12,000 tokens, 2,500 more per step, ten steps between compactions. */
const promptOf = (step: number): number => 12_000 + 2_500 * ((step - 1) % 10);

describe.each(NAMES)("a run of class %s", (profile) => {
  test("has room for every step of its row beside the answer, at the fallback price", () => {
    const limit = PROFILES[profile];
    const request = (estimate: number) => ({
      estimate,
      maxOut: limit.outputTokens,
      price: FALLBACK_PRICE,
      contextCap: 128_000 - limit.outputTokens,
    });
    let account: Account = { used: NO_AMOUNTS, open: NO_AMOUNTS, limit };
    let steps = 0;
    for (let step = 1; step < limit.steps; step++) {
      const reserved = reserveCall(account, request(promptOf(step)));
      if (!reserved.ok) break;
      steps++;
      // Every reply is as long as it may be.
      const cost = 3 * promptOf(step) + 15 * reserved.maxOut;
      const came = { steps: 1, tokens: promptOf(step) + reserved.maxOut, cost };
      account = settleReservation(openReservation(account, reserved.need), reserved.need, came);
    }
    expect(reserveFinal(account, request(promptOf(steps + 1))).ok).toBe(true);
    // A capsule ends by whichever limit comes first; all others by their steps.
    expect(steps === limit.steps - 1).toBe(profile !== "time_capsule");
  });
});

describe("limitsFor", () => {
  const RAISED = { time_capsule: { cost: 1 } } as const;

  test.each(NAMES)("%s without a word is its row", (profile) => {
    const overrides = profile === "time_capsule" ? RAISED.time_capsule : {};
    const found = limitsFor(profile, overrides);
    expect(found).toEqual({ ok: true, limits: { ...PROFILES[profile], ...overrides }, clipped: [] });
  });

  test("a field that the run sets replaces the row's", () => {
    const found = limitsFor("standard", { steps: 20, wall: 60_000 });
    expect(found.ok && found.limits).toEqual({ ...PROFILES.standard, steps: 20, wall: 60_000 });
  });

  test("caps clip, and whoever may not raise keeps what the row has; both are said", () => {
    const capped = limitsFor("research", {}, { caps: { steps: 50, cost: dollars(9) } });
    expect(capped).toEqual({
      ok: true,
      limits: { ...PROFILES.research, steps: 50, cost: 9_000_000 },
      clipped: ["steps", "cost"],
    });
    const member = limitsFor("simple", { steps: 40, calls: 3 }, { mayRaise: false });
    expect(member).toEqual({ ok: true, limits: { ...PROFILES.simple, calls: 3 }, clipped: ["steps"] });
  });

  test.each([0, -1, 1.5, Number.NaN, Infinity])("%s is no limit", (steps) => {
    expect(limitsFor("standard", { steps })).toMatchObject({
      ok: false,
      faults: [{ code: "limit_malformed", what: "steps" }],
    });
  });

  test("a capsule says what it may cost, and takes 5 to 720 minutes", () => {
    expect(limitsFor("time_capsule", {})).toMatchObject({ ok: false, faults: [{ code: "capsule_cost" }] });
    const asked = (minutes: number) =>
      limitsFor("time_capsule", { cost: dollars(12), wall: minutes * 60_000 }, { mayRaise: false });
    expect([4, 5, 90, 720, 721].map((minutes) => asked(minutes).ok)).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
    expect(asked(90)).toMatchObject({ clipped: [], limits: { cost: 12_000_000, wall: 5_400_000 } });
  });
});

describe("limits that are too small", () => {
  const limit = PROFILES.standard;
  const request = { estimate: 5_000, maxOut: 4_096, price: FALLBACK_PRICE, contextCap: 100_000 };

  test("hold no call and no answer after it: said on accept", () => {
    expect(checkLimits(limit, request)).toBeNull();
    expect(checkLimits({ ...limit, tokens: 15_000 }, request)).toMatchObject({
      code: "limits_too_small",
      what: "tokens",
      given: 15_000,
    });
    expect(checkLimits({ ...limit, cost: dollars(0.05) }, request)?.what).toBe("cost");
    // A short time is divided, not refused.
    expect(checkLimits({ ...limit, wall: 1_000 }, request)).toBeNull();
  });

  test("what is said to be needed is enough", () => {
    const fault = checkLimits({ ...limit, tokens: 15_000 }, request);
    expect(checkLimits({ ...limit, tokens: fault?.needed ?? 0 }, request)).toBeNull();
    expect(checkLimits({ ...limit, tokens: (fault?.needed ?? 0) - 1 }, request)).not.toBeNull();
  });

  test("one step is the answer alone", () => {
    expect(checkLimits({ ...limit, steps: 1, wall: 1_000 }, request)).toBeNull();
    expect(checkLimits({ ...limit, steps: 1, tokens: 5_000 }, request)?.what).toBe("tokens");
  });
});

test("the presets are the numbers of the systems they stand for", () => {
  const numbers = Object.fromEntries(
    Object.entries(PRESETS).map(([name, preset]) => {
      const { profile, limits } = preset;
      const found = limitsFor(profile ?? "standard", limits);
      return [
        name,
        found.ok ? [found.limits.steps, found.limits.wall / 1_000, found.limits.outputTokens] : null,
      ];
    }),
  );
  expect(numbers).toEqual({
    cms: [15, 1_800, 4_096],
    hyphen: [10, 300, 4_096],
    hyphen_router: [8, 60, 4_096],
    hyphen_orchestrator: [20, 600, 4_096],
    deepresearch: [100, 9_000, 10_000],
    orcbot: [15, 1_800, 4_096],
  });
  expect(PRESETS.cms.transcript).toBe("window");
  expect([PRESETS.hyphen.temperature, PRESETS.hyphen.onStuck]).toEqual([
    0.7,
    { iterations: 3, action: "fail" },
  ]);
  expect(PRESETS.deepresearch.requestTokens).toBe(112_640);
  const classes = (["trivial", "simple", "standard", "complex", "time_capsule"] as const).map(
    (name) => PROFILES[name],
  );
  expect(classes.map((row) => row.steps)).toEqual([6, 12, 15, 40, 500]);
  expect(classes.map((row) => row.messages)).toEqual([3, 4, 10, 12, 100]);
});

test("every preset holds one call and an answer for a usual prompt at the fallback price", () => {
  for (const [name, preset] of Object.entries(PRESETS)) {
    const found = limitsFor(preset.profile ?? "standard", preset.limits);
    if (!found.ok) throw new Error(name);
    const { limits } = found;
    const cap = Math.min(128_000 - limits.outputTokens, preset.requestTokens ?? Infinity);
    const request = { estimate: 12_000, maxOut: limits.outputTokens, price: FALLBACK_PRICE, contextCap: cap };
    expect(checkLimits(limits, request), name).toBeNull();
  }
});
