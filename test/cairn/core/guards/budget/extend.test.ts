import { describe, expect, test } from "vitest";
import {
  NO_AMOUNTS,
  type Amounts,
  type Account,
} from "../../../../../src/cairn/core/guards/budget/amounts.ts";
import {
  acceptedInExtension,
  automaticExtension,
  extendByPerson,
  moreCalls,
  promotion,
  type ExtensionFacts,
} from "../../../../../src/cairn/core/guards/budget/extend.ts";
import { PROFILES } from "../../../../../src/cairn/core/guards/budget/profiles.ts";
import type { Profile } from "../../../../../src/cairn/core/log/verdict.ts";

const account = (used: Partial<Amounts>, profile: Profile = "standard"): Account => ({
  used: { ...NO_AMOUNTS, ...used },
  open: NO_AMOUNTS,
  limit: PROFILES[profile],
});
const turns = (...progress: boolean[]) => progress.map((each) => ({ progress: each }));

describe("an extension by itself", () => {
  const facts: ExtensionFacts = {
    extended: false,
    turns: turns(true, false, false),
    stuckLevel: 0,
    openWork: true,
    delivered: false,
  };
  const steps = (used: Partial<Amounts>, more: Partial<ExtensionFacts> = {}): number =>
    automaticExtension(account({ steps: 14, ...used }), { ...facts, ...more });

  test("is half of the work calls, 3 to 8; once something was delivered a quarter, 2 to 6", () => {
    expect([0, 6, 7, 16, 40].map((calls) => steps({ calls }))).toEqual([3, 3, 4, 8, 8]);
    expect([0, 8, 9, 24, 40].map((calls) => steps({ calls }, { delivered: true }))).toEqual([2, 2, 3, 6, 6]);
  });

  test.each<[string, Partial<ExtensionFacts>]>([
    ["a second time", { extended: true }],
    ["without progress in the last three turns", { turns: turns(true, true, false, false, false) }],
    ["while it is stuck", { stuckLevel: 1 }],
    ["with nothing open", { openWork: false }],
  ])("is not given %s", (_name, more) => {
    expect(steps({ calls: 10 }, more)).toBe(0);
  });

  test.each<Partial<Amounts>>([
    { messages: 9 },
    { tokens: 400_001 },
    { cost: 2_000_001 },
    { wall: 1_440_001 },
    { calls: 49 },
  ])("is not given with less than a fifth left of another amount: %o", (used) => {
    expect(steps(used)).toBe(0);
  });

  test("a fifth is enough", () => {
    expect(steps({ messages: 8, tokens: 400_000, cost: 2_000_000, wall: 1_440_000, calls: 48 })).toBe(8);
  });

  test("runs sends, bookkeeping and tools that were used before, and no other", () => {
    const used = new Set(["get_page"]);
    expect(
      (
        [
          ["get_page", "work"],
          ["delete_page", "work"],
          ["send_message", "send"],
          ["update_plan", "bookkeeping"],
        ] as const
      ).map(([tool, kind]) => acceptedInExtension({ tool, kind }, used)),
    ).toEqual([true, false, true, true]);
  });
});

describe("a promotion", () => {
  const run = { profile: "trivial" as Profile, promoted: false, overrides: {}, turns: turns(true) };
  const of = (steps: number, more: Partial<Parameters<typeof promotion>[1]> = {}) => {
    const to = { ...run, ...more };
    return promotion(account({ steps }, to.profile), to);
  };

  test("comes at 60% of the steps, when the last turn made progress, once", () => {
    expect(of(3)).toBeNull();
    expect(of(4)).toEqual({ profile: "simple", limits: PROFILES.simple });
    expect(of(4, { turns: turns(true, false) })).toBeNull();
    expect(of(4, { turns: [] })).toBeNull();
    expect(of(4, { promoted: true })).toBeNull();
  });

  test("comes at the very step at which the share is used", () => {
    const limit = { ...PROFILES.trivial, steps: 10 };
    const at = (steps: number) =>
      promotion({ ...account({ steps }, "trivial"), limit }, run)?.profile ?? null;
    expect([at(5), at(6)]).toEqual([null, "simple"]);
  });

  test("makes simple and lean runs standard, and no other class anything", () => {
    const to = (profile: Profile): string | undefined => of(PROFILES[profile].steps, { profile })?.profile;
    expect(to("simple")).toBe("standard");
    expect(to("lean")).toBe("standard");
    for (const profile of ["standard", "complex", "research", "time_capsule", "heartbeat"] as const)
      expect(to(profile)).toBeUndefined();
  });

  test("keeps what the run was told, lowers nothing, and goes above no cap", () => {
    const found = promotion(
      { ...account({ steps: 4 }, "trivial"), limit: { ...PROFILES.trivial, calls: 5, wall: 3_600_000 } },
      { ...run, overrides: { calls: 5 } },
      { steps: 10 },
    );
    expect(found?.limits).toEqual({ ...PROFILES.simple, calls: 5, wall: 3_600_000, steps: 10 });
  });
});

describe("an extension by a person", () => {
  const spent = account({ steps: 14, tokens: 450_000 });

  test("adds what is asked for, to any amount", () => {
    expect(extendByPerson(spent, { steps: 5, cost: 1_000_000 }, { extended: false })).toEqual({
      ok: true,
      limits: { ...PROFILES.standard, steps: 20, cost: 3_500_000 },
    });
  });

  test.each([
    [{ steps: 5 }, { extended: true }, { code: "already_extended" }],
    [{}, { extended: false }, { code: "nothing_asked" }],
    [{ steps: 0 }, { extended: false }, { code: "wish_malformed", what: "steps" }],
    [{ tokens: 1.5 }, { extended: false }, { code: "wish_malformed", what: "tokens" }],
    [{ steps: -5 }, { extended: false }, { code: "wish_malformed", what: "steps" }],
    [{ steps: 6 }, { extended: false, caps: { steps: 20 } }, { code: "above_cap", what: "steps", cap: 20 }],
    [
      { tokens: 100_000 },
      { extended: false, dayLeft: { tokens: 149_999 } },
      { code: "above_cap", what: "tokens", cap: 149_999 },
    ],
    [
      { cost: 100_000 },
      { extended: false, dayLeft: { cost: 2_599_999 } },
      { code: "above_cap", what: "cost", cap: 2_599_999 },
    ],
  ])("%o with %o is refused", (wish, rules, fault) => {
    expect(extendByPerson(spent, wish, rules)).toEqual({ ok: false, fault });
  });

  test("may use up exactly what the day has left", () => {
    const rules = { extended: false, dayLeft: { tokens: 150_000 } };
    expect(extendByPerson(spent, { tokens: 100_000 }, rules).ok).toBe(true);
  });
});

describe("calls that are new work", () => {
  const stuck = { level: 0, since: 0, lastTurn: 0, blocked: [], good: 0, retries: 0 } as const;
  const guard = (executed: number, fresh: number, progress = true) => ({
    counts: {
      page_get: { executed: executed / 2, fresh: fresh / 2 },
      page_update: { executed: executed / 2, fresh: fresh / 2 },
    },
    turns: turns(progress) as never,
    stuck,
  });
  const more = (calls: number, of: ReturnType<typeof guard>) =>
    moreCalls(account({ calls }), { profile: "standard", loop: of });
  const { calls: limit } = PROFILES.standard;

  test("get as many again when four fifths are used, as often as they are", () => {
    expect(more(limit * 0.8 - 1, guard(40, 40))).toBeNull();
    expect(more(limit * 0.8, guard(48, 48))).toBe(limit * 2);
    const grown = { ...account({ calls: limit * 1.6 }), limit: { ...PROFILES.standard, calls: limit * 2 } };
    expect(moreCalls(grown, { profile: "standard", loop: guard(96, 96) })).toBe(limit * 3);
  });

  test("get none when many brought nothing new, when the last turn brought nothing, or while the run goes in circles", () => {
    expect(more(limit * 0.8, guard(48, 44))).toBe(limit * 2);
    expect(more(limit * 0.8, guard(48, 42))).toBeNull();
    expect(more(limit * 0.8, guard(48, 48, false))).toBeNull();
    expect(more(limit * 0.8, { ...guard(48, 48), stuck: { ...stuck, level: 1 } as never })).toBeNull();
  });
});
