import { describe, expect, test } from "vitest";
import { checkBlocks, checkStuck, climbLadder } from "../../../../../src/cairn/core/guards/loops/ladder.ts";
import { applyClimb, applyRetryWithHint } from "../../../../../src/cairn/core/state/apply-loop-memory.ts";
import { markCall, NO_SHAPE } from "../../../../../src/cairn/core/state/call-digest.ts";
import type { GuardConfig, LoopMemory } from "../../../../../src/cairn/core/state/loop-memory.ts";
import { finishTurn, recordPersonInput } from "../../../../../src/cairn/core/state/record-call.ts";
import { traitsOf } from "../../../../corpus/loops/play.ts";
import { climbs, failed, ok, play, times, TOOLS, type Line } from "../../state/script.ts";

const config: GuardConfig = { profile: "standard", onStuck: { action: "force_answer" } };
const page = (n: number): Line => [ok("get", { page: `p${n}` }, { title: `Page ${n}` })];
const same = page(1);
const markOf = (tool: string, args: { [key: string]: string }) =>
  markCall(traitsOf(tool, TOOLS[tool]), { ...NO_SHAPE, target: ["page"] }, args);

describe("level 1", () => {
  test("says the rule, the calls, what was tried and what to do, in 300 characters", () => {
    const [first] = play(["human", same, same, same]).raised;
    expect(first?.verdict).toEqual({
      code: "LOOP_HINT",
      rule: "loop.same_result",
      evidence: {
        seqs: [3, 5, 7],
        sigs: [markOf("get", { page: "p1" }).sig],
        names: ["get"],
        numbers: { level: 1, count: 3 },
      },
      hint: "get gave the same result 3 times (r1s1c0, r1s2c0, r1s3c0). It will not be run again. Use the result you have, ask something else, or say what you cannot find.",
    });
  });

  test("every hint fits", () => {
    const long = "a_tool_with_a_name_of_the_greatest_length_that_any_provider_takes";
    const lines = times(12, (n) => [
      failed(`${long}_${n % 5}`, { n }, "server"),
      failed(`${long}_${n}`, { n }, "server"),
    ]);
    const { raised } = play(["human", ...lines]);
    expect(raised).toHaveLength(3);
    for (const { verdict } of raised) expect(verdict.hint.length).toBeLessThanOrEqual(300);
  });
});

describe("level 2", () => {
  test("what the hint named is not run from its very next proposal on; its result comes back", () => {
    const { memory } = play(["human", same, same, same]);
    const found = checkBlocks(memory, markOf("get", { page: "p1" }), 4);
    expect(found?.verdict).toMatchObject({ code: "LOOP_BLOCK", rule: "loop.same_result" });
    expect(found?.stored).toBe("r1s3c0");
    expect(checkBlocks(memory, markOf("get", { page: "p2" }), 4)).toBeNull();
  });

  test("a second streak of errors blocks its tools for two turns", () => {
    const lost = (n: number): Line => [failed("get", { page: `x${n}` }, "not_found")];
    const { memory, raised } = play(["human", ...times(5, lost)]);
    expect(raised.map((one) => one.verdict.code)).toEqual(["LOOP_HINT", "LOOP_WARN"]);
    const other = markOf("get", { page: "elsewhere" });
    expect([6, 7, 8].map((step) => checkBlocks(memory, other, step) !== null)).toEqual([true, true, false]);
    expect(checkBlocks(memory, markOf("list", {}), 6)).toBeNull();
  });

  test("a resting tool among other calls is no defiance, alone it is", () => {
    const lost = (n: number): Line => [failed("get", { page: `x${n}` }, "not_found")];
    const start: Line[] = ["human", ...times(5, lost)];
    const call = ok("get", { page: "p7" }, { title: "7" });
    expect(climbs([...start, [call, ok("list", {}, { entries: [1] })]])).toHaveLength(2);
    expect(climbs([...start, [call]]).at(-1)).toBe("error_streak@6 3");
  });
});

describe("the ladder", () => {
  test("rises by one level a turn, however many rules fire", () => {
    const bad = failed("get", { page: "x" }, "not_found");
    const both: Line = [ok("list", { a: "b" }, { entries: [] }), bad];
    expect(climbs(["human", both, both, both, both]).map((one) => one.split(" ")[1])).toEqual([
      "1",
      "2",
      "3",
    ]);
  });

  test("three turns in a row with progress lower it by one, and at 0 the blocks are gone", () => {
    const start: Line[] = ["human", same, same, same];
    expect(play([...start, page(2), page(3)]).memory.stuck).toMatchObject({ level: 1, good: 2 });
    expect(play([...start, page(2), page(3), page(4)]).memory.stuck).toMatchObject({ level: 0, blocked: [] });
    const interrupted = [page(2), page(3), { say: "Hm." }, page(4)];
    expect(play([...start, ...interrupted]).memory.stuck.level).toBe(1);
  });

  test("an ok effect that is new clears the blocks at once, not the level", () => {
    const written = [ok("put", { page: "p1", title: "A" }, { rev: 2 })];
    expect(play(["human", same, same, same, written]).memory.stuck).toMatchObject({ level: 1, blocked: [] });
  });

  test("a person sets it to 0, and what was before no longer counts", () => {
    expect(climbs(["human", same, same, same, same, "human", same, same])).toEqual([
      "same_result@3 1",
      "same_result@4 2",
    ]);
    const { memory } = play(["human", same, same, same]);
    expect(recordPersonInput(memory, 99).stuck).toEqual({
      level: 0,
      since: 99,
      lastTurn: 0,
      blocked: [],
      good: 0,
      retries: 0,
    });
  });

  test("does not climb twice on one turn's evidence while the model does something else", () => {
    expect(climbs(["human", same, same, same, page(2), page(3)])).toEqual(["same_result@3 1"]);
  });
});

describe("level 3", () => {
  const stuck = play(["human", ...times(5, () => same)]).memory;

  test.each(["force_answer", "fail"] as const)("acts by on_stuck: %s", (action) => {
    expect(checkStuck(stuck, { ...config, onStuck: { action, hint: "Ask Kim." } })).toMatchObject({
      verdict: { code: "STUCK", rule: "loop.same_result", hint: "Ask Kim." },
      action,
    });
  });

  test("is not reached below", () => {
    expect(checkStuck(play(["human", same, same, same, same]).memory, config)).toBeNull();
  });

  test("retry_with_hint goes back to level 1 once, and forces the answer the second time", () => {
    const retry: GuardConfig = { ...config, onStuck: { action: "retry_with_hint" } };
    expect(checkStuck(stuck, retry)?.action).toBe("retry_with_hint");
    let memory: LoopMemory = applyRetryWithHint(stuck);
    expect(memory.stuck).toMatchObject({ level: 1, retries: 1 });
    for (const step of [6, 7]) {
      const turn = { step, seq: 20 + step, at: 0, calls: [], words: [], refused: true, progress: false };
      memory = finishTurn(memory, turn);
      const up = climbLadder(memory, retry);
      if (up !== null) memory = applyClimb(memory, up);
    }
    // One unusable turn is no monologue; two are.
    expect(memory.stuck.level).toBe(2);
    memory = finishTurn(memory, {
      step: 8,
      seq: 28,
      at: 0,
      calls: [],
      words: [],
      refused: true,
      progress: false,
    });
    const last = climbLadder(memory, retry);
    expect(last?.level).toBe(3);
    if (last !== null) memory = applyClimb(memory, last);
    expect(checkStuck(memory, retry)?.action).toBe("force_answer");
  });
});
