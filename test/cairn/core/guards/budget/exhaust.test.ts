import { describe, expect, test } from "vitest";
import {
  NO_AMOUNTS,
  type Amounts,
  type Account,
} from "../../../../../src/cairn/core/guards/budget/amounts.ts";
import {
  beforeCall,
  beforeModel,
  budgetLine,
  budgetNotes,
  dayPays,
} from "../../../../../src/cairn/core/guards/budget/exhaust.ts";
import type { BudgetDecision, BudgetView, Day } from "../../../../../src/cairn/core/guards/budget/exhaust.ts";
import { reserveFinal } from "../../../../../src/cairn/core/guards/budget/reserve.ts";
import { FALLBACK_PRICE } from "../../../../../src/cairn/core/model-tables.ts";
import { PROFILES } from "../../../../../src/cairn/core/guards/budget/profiles.ts";

const limit = PROFILES.standard;
const spent = (used: Partial<Amounts>): Account => ({
  used: { ...NO_AMOUNTS, ...used },
  open: NO_AMOUNTS,
  limit,
});
const still = { extended: false, turns: [], stuckLevel: 0, openWork: false, delivered: false };
const view = (used: Partial<Amounts>, more: Partial<BudgetView> = {}): BudgetView => ({
  account: spent(used),
  request: { estimate: 10_000, maxOut: 4_096, price: FALLBACK_PRICE, contextCap: 100_000 },
  days: [],
  callsSpent: false,
  onExhausted: "answer",
  extension: still,
  ...more,
});
const codeOf = (decision: BudgetDecision): string[] =>
  decision.do === "force" || decision.do === "end"
    ? [decision.do, decision.verdict.code, decision.verdict.rule]
    : [decision.do];
const day = (tokens: number, cost: number): Day => ({
  used: { tokens, cost },
  limit: { tokens: 50_000_000, cost: 50_000_000 },
});

describe("before a model call", () => {
  test("what fits is sent, with what it reserves", () => {
    expect(beforeModel(view({}))).toMatchObject({ do: "send", maxOut: 4_096, need: { tokens: 15_596 } });
  });

  test.each([
    [{ wall: limit.wall - 60_000 }, "BUDGET_WALL", "budget:wall"],
    [{ cost: limit.cost - 100_000 }, "BUDGET_COST", "budget:cost"],
    [{ tokens: limit.tokens - 30_000 }, "BUDGET_TOKENS", "budget:tokens"],
    [{ steps: 14 }, "BUDGET_STEPS", "budget:steps"],
  ])("%o forces the answer", (used, code, rule) => {
    expect(codeOf(beforeModel(view(used)))).toEqual(["force", code, rule]);
    // Hyphen's behaviour: the answer that needs no model, at once.
    expect(codeOf(beforeModel(view(used, { onExhausted: "fail" })))).toEqual(["end", code, rule]);
  });

  test("nothing but its steps is extended by itself", () => {
    const eligible = { ...still, turns: [{ progress: true }], openWork: true };
    expect(codeOf(beforeModel(view({ steps: 14 }, { extension: eligible })))).toEqual(["extend"]);
    // So large a request that it does not fit although most of the tokens are left.
    const request = { ...view({}).request, estimate: limit.tokens / 2, contextCap: limit.tokens };
    const decided = beforeModel(view({ cost: -limit.cost }, { request, extension: eligible }));
    expect(codeOf(decided)).toEqual(["force", "BUDGET_TOKENS", "budget:tokens"]);
  });

  test("a day pays a call to its last token and its last millionth, the answer after it included", () => {
    const { need, final } = beforeModel(view({})) as Extract<BudgetDecision, { do: "send" }>;
    for (const name of ["tokens", "cost"] as const) {
      const cap = 50_000_000;
      const room = (left: number): Day => ({ ...day(0, 0), used: { ...day(0, 0).used, [name]: cap - left } });
      const both = need[name] + final[name];
      expect(codeOf(beforeModel(view({}, { days: [room(both)] })))).toEqual(["send"]);
      expect(codeOf(beforeModel(view({}, { days: [room(both - 1)] })))).toEqual([
        "force",
        "BUDGET_DAY_FINAL",
        "budget:day",
      ]);
    }
  });

  test("a day pays the answer to its last token and its last millionth", () => {
    const answer = reserveFinal(spent({}), view({}).request);
    if (!answer.ok) throw new Error("the answer is not paid");
    for (const name of ["tokens", "cost"] as const) {
      const room = (left: number): Day => ({
        ...day(0, 0),
        used: { ...day(0, 0).used, [name]: 50_000_000 - left },
      });
      expect(dayPays(view({}, { days: [room(answer.need[name])] }))).toBe(true);
      expect(dayPays(view({}, { days: [room(answer.need[name] - 1)] }))).toBe(false);
      // Each of them must.
      expect(dayPays(view({}, { days: [room(1_000_000), room(0)] }))).toBe(false);
    }
  });

  test("the first in the order of the checks is named", () => {
    const all = { wall: limit.wall, cost: limit.cost, tokens: limit.tokens, steps: 15 };
    expect(codeOf(beforeModel(view(all)))).toContain("BUDGET_WALL");
    expect(codeOf(beforeModel(view({ ...all, wall: 0 })))).toContain("BUDGET_COST");
    expect(codeOf(beforeModel(view({ ...all, wall: 0, cost: 0 })))).toContain("BUDGET_TOKENS");
  });

  test("a turn that was skipped for want of calls forces; used calls alone do not", () => {
    expect(codeOf(beforeModel(view({ calls: 60 })))).toEqual(["send"]);
    expect(codeOf(beforeModel(view({ calls: 60 }, { callsSpent: true })))).toEqual([
      "force",
      "BUDGET_CALLS_SPENT",
      "budget:calls",
    ]);
  });

  test("used messages stop nothing", () => {
    expect(codeOf(beforeModel(view({ messages: 10 })))).toEqual(["send"]);
  });

  test("a day that can pay only the answer forces it; one that cannot pay that ends the run", () => {
    expect(codeOf(beforeModel(view({}, { days: [day(0, 49_800_000)] })))).toEqual(["send"]);
    expect(codeOf(beforeModel(view({}, { days: [day(0, 0), day(0, 49_900_000)] })))).toEqual([
      "force",
      "BUDGET_DAY_FINAL",
      "budget:day",
    ]);
    expect(codeOf(beforeModel(view({}, { days: [day(0, 49_970_000)] })))).toEqual([
      "end",
      "BUDGET_DAY",
      "budget:day",
    ]);
    expect(codeOf(beforeModel(view({}, { days: [day(49_999_000, 0)] })))).toEqual([
      "end",
      "BUDGET_DAY",
      "budget:day",
    ]);
  });

  test("a spent run on a spent day ends: nobody pays its answer", () => {
    const broke = view({ steps: 14 }, { days: [day(50_000_000, 0)] });
    expect(dayPays(broke)).toBe(false);
    expect(codeOf(beforeModel(broke))).toEqual(["end", "BUDGET_DAY", "budget:day"]);
  });

  test("open work with progress is given steps instead, once, and only for want of steps", () => {
    const extension = { ...still, turns: [{ progress: true }], openWork: true };
    expect(beforeModel(view({ steps: 14, calls: 9 }, { extension }))).toEqual({ do: "extend", steps: 5 });
    const again = { ...extension, extended: true };
    expect(codeOf(beforeModel(view({ steps: 14 }, { extension: again })))).toContain("BUDGET_STEPS");
    expect(codeOf(beforeModel(view({ tokens: limit.tokens - 30_000 }, { extension })))).toContain(
      "BUDGET_TOKENS",
    );
  });
});

describe("before a call", () => {
  const work = { kind: "work", last: false, costMax: 0 } as const;
  const send = { kind: "send", last: false, costMax: 0 } as const;
  const none = { cost: 0 };
  const code = (...of: Parameters<typeof beforeCall>): string | null => beforeCall(...of)?.code ?? null;

  test("the last work call runs, the next is skipped; bookkeeping is free", () => {
    expect(code(spent({ calls: 59 }), work, none)).toBeNull();
    expect(code(spent({ calls: 60 }), work, none)).toBe("BUDGET_CALLS");
    expect(code(spent({ calls: 60 }), { ...work, kind: "bookkeeping" }, none)).toBeNull();
  });

  test("a call that is in flight is counted", () => {
    const account = { ...spent({ calls: 59 }), open: { ...NO_AMOUNTS, calls: 1 } };
    expect(code(account, work, none)).toBe("BUDGET_CALLS");
  });

  test("a tool that costs money leaves what the answer costs", () => {
    const call = { ...work, costMax: 400_000 };
    expect(code(spent({ cost: limit.cost - 500_000 }), call, { cost: 100_000 })).toBeNull();
    expect(beforeCall(spent({ cost: limit.cost - 499_999 }), call, { cost: 100_000 })).toMatchObject({
      code: "BUDGET_CALLS",
      rule: "budget:cost",
    });
  });

  test("the last message is for the answer or the news that there is none", () => {
    expect(code(spent({ messages: 8 }), send, none)).toBeNull();
    expect(code(spent({ messages: 9 }), send, none)).toBe("BUDGET_MESSAGES");
    expect(code(spent({ messages: 9 }), { ...send, last: true }, none)).toBeNull();
    expect(code(spent({ messages: 10 }), { ...send, last: true }, none)).toBe("BUDGET_MESSAGES");
  });
});

describe("what the model is told", () => {
  const notes = (used: Partial<Amounts>, shown: readonly string[] = []): string[] =>
    budgetNotes(spent(used), "standard", new Set(shown)).map((note) => `${note.code} ${note.rule}`);

  test("on its last step with tools, and only then", () => {
    expect(notes({ steps: 12 }, ["WRAP_UP"])).toEqual([]);
    expect(notes({ steps: 13 }, ["WRAP_UP"])).toEqual(["LAST_STEP budget:steps"]);
    expect(notes({ steps: 14 }, ["WRAP_UP"])).toEqual([]);
  });

  test("at 80% of any amount, once", () => {
    expect(notes({ tokens: 399_999 })).toEqual([]);
    expect(notes({ tokens: 400_000 })).toEqual(["WRAP_UP budget:tokens"]);
    expect(notes({ tokens: 400_000 }, ["WRAP_UP"])).toEqual([]);
    expect(notes({ calls: 48 })).toEqual(["WRAP_UP budget:calls"]);
    expect(notes({ steps: 13 })).toEqual(["LAST_STEP budget:steps", "WRAP_UP budget:steps"]);
  });

  test("a capsule: two minutes or a twentieth of its time before its end", () => {
    const capsule = (wall: number, used: number): string[] =>
      budgetNotes(
        { ...spent({ wall: used }), limit: { ...PROFILES.time_capsule, wall } },
        "time_capsule",
        new Set(),
      ).map((note) => note.code);
    const minute = 60_000;
    expect([capsule(60 * minute, 57 * minute - 1), capsule(60 * minute, 57 * minute)]).toEqual([
      [],
      ["WRAP_UP"],
    ]);
    expect([capsule(10 * minute, 8 * minute - 1), capsule(10 * minute, 8 * minute)]).toEqual([
      [],
      ["WRAP_UP"],
    ]);
  });

  test("every hint fits a note", () => {
    for (const used of [{ steps: 13 }, { wall: limit.wall }, { messages: 9 }])
      for (const note of budgetNotes(spent(used), "standard", new Set()))
        expect(note.hint.length).toBeLessThanOrEqual(300);
  });

  test("the line of what is left has the limits that are enforced, and never a step above them", () => {
    const used = {
      ...NO_AMOUNTS,
      steps: 3,
      messages: 1,
      calls: 7,
      tokens: 194_999,
      wall: 12 * 60_000 + 59_000,
    };
    expect(budgetLine({ used, limit }, 4)).toBe(
      "step 4 of 15 · messages 1 of 10 · calls 7 of 60 · tokens 38% · time 12 of 30 min",
    );
    expect(budgetLine({ used: { ...used, tokens: 900_000 }, limit: { ...limit, steps: 3 } }, 9)).toContain(
      "step 3 of 3 · messages 1 of 10 · calls 7 of 60 · tokens 100%",
    );
  });
});
