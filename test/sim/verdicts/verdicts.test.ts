import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { LOOP_RULES } from "../../../src/cairn/core/guards/loops/loops.ts";
import * as ladder from "../../../src/cairn/core/guards/loops/ladder.ts";
import { REPORT } from "../platform/fake-model.ts";
import { ANSWERS, MESSAGES } from "./answers.ts";
import { BUDGETS } from "./budgets.ts";
import { CALLS } from "./calls.ts";
import { CAPSULES } from "./capsules.ts";
import { CHILDREN } from "./children.ts";
import { codesOf, refusalsOf, saidIn } from "./codes.ts";
import { LADDER, LOOPS } from "./loops.ts";
import { REFUSALS, REPLIES } from "./replies.ts";
import { exactly, run, type Scenarios } from "./scenario.ts";

/**
 * No guard is inert: for each code that the source can write down, for each rule of loops and for each reason to refuse a
 * call there is a conversation that the real engine plays, and in whose log it stands.
 */

// Some of these isolates die.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

/** A guard that throws is none that could be made to from outside. */
const GUARD_ERROR: Scenarios = {
  GUARD_ERROR: () => {
    vi.spyOn(ladder, "loopEntry").mockImplementation(() => {
      throw new TypeError("it is broken");
    });
    return run(exactly({ text: REPORT }));
  },
};

const VERDICTS: Scenarios = {
  ...BUDGETS,
  ...CALLS,
  ...LADDER,
  ...REPLIES,
  ...ANSWERS,
  ...MESSAGES,
  ...CAPSULES,
  ...CHILDREN,
  ...GUARD_ERROR,
};
const isCode = (name: string): boolean => /^[A-Z_]+$/.test(name);

describe("a conversation fires", () => {
  test.each(Object.entries({ ...VERDICTS, ...LOOPS, ...REFUSALS }))("%s", async (name, scenario) => {
    const { log, folded, state } = await scenario();
    expect([...saidIn(log)]).toContain(name);
    expect(folded).toEqual(state);
  });
});

describe("no guard is without one", () => {
  test("of the codes in the source", () => {
    const codes = new Set([...codesOf("src/cairn/core"), ...codesOf("src/cairn/session")]);
    expect([...codes].filter((code) => VERDICTS[code] === undefined)).toEqual([]);
    expect(Object.keys(VERDICTS).filter((name) => isCode(name) && !codes.has(name))).toEqual([]);
  });

  test("of the rules by which a run goes in circles", () => {
    expect(Object.keys(LOOPS).toSorted()).toEqual(
      Object.keys(LOOP_RULES)
        .map((rule) => `loop.${rule}`)
        .toSorted(),
    );
  });

  test("of the reasons to refuse a call of a reply", () => {
    const reasons = refusalsOf("src/cairn/core/loop/judge-reply.ts");
    expect(reasons.length).toBeGreaterThan(2);
    expect(reasons.filter((reason) => REFUSALS[reason] === undefined)).toEqual([]);
  });
});

test("a conversation in which nothing is wrong fires nothing", async () => {
  const { log } = await run(exactly({ text: REPORT }));
  expect([...saidIn(log)]).toEqual([]);
});
