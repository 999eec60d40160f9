import { describe, expect, test } from "vitest";
import { findLoops } from "../../../../src/cairn/core/guards/loops/loops.ts";
import { checkBlocks, climbLadder } from "../../../../src/cairn/core/guards/loops/ladder.ts";
import {
  finishTurn,
  recordPersonInput,
  recordProposal,
  recordResult,
} from "../../../../src/cairn/core/state/record-call.ts";
import { markCall, NO_SHAPE } from "../../../../src/cairn/core/state/call-digest.ts";
import {
  NO_LOOP_MEMORY,
  type GuardConfig,
  type LoopMemory,
} from "../../../../src/cairn/core/state/loop-memory.ts";
import { hashedFraction } from "../../../../src/cairn/core/log/digest.ts";
import { configOf, playTrace, resumeTrace, traitsOf } from "../../../corpus/loops/play.ts";
import { climbs, failed, ok, play, times, traceOf, type Line } from "./script.ts";

const config: GuardConfig = { profile: "standard", onStuck: { action: "force_answer" } };

/** A run of chance, decided by its seed: few arguments and results, so that it runs into every rule. */
function randomRun(seed: number, turns: number): Line[] {
  const draw = (turn: number, what: string, from: number): number =>
    Math.floor(hashedFraction(seed, turn, what) * from);
  return times(turns, (turn): Line => {
    const kind = draw(turn, "kind", 14);
    const n = draw(turn, "n", 3);
    if (kind === 0) return { say: ["one thing", "another thing", "something else"][n] ?? "" };
    if (kind === 1) return [ok("update_plan", { items: [n] }, { rev: n })];
    if (kind === 2)
      return [
        failed("get", { page: `p${n}` }, ["server", "not_found", "policy"][n] ?? "auth", "NOT_GRANTED"),
      ];
    if (kind === 3) return [ok("job", { id: "j" }, { state: n })];
    if (kind < 6) return [ok("search", { q: `some words ${n}` }, { items: n === 0 ? [] : [{ id: n }] })];
    if (kind < 8) return [ok("put", { page: "p1", title: `T${n}` }, { rev: turn })];
    if (kind === 8 && n === 0) return "human";
    if (kind === 9 && turn > 3) return { compact: [1, 2] };
    return [ok("get", { page: `p${n}` }, { n }), ok("list", { page: turn }, { entries: n === 0 ? [] : [n] })];
  });
}

describe("the fold", () => {
  test("runs of chance reach every level, so that what follows means something", () => {
    const levels = times(30, (seed) => ({
      say: String(play(["human", ...randomRun(seed, 30)]).memory.stuck.level),
    }));
    const seen = new Set(levels.map((line) => (line as { say: string }).say));
    expect([...seen].sort()).toEqual(["0", "1", "2", "3"]);
  }, 60_000);

  test("a crash at any event changes nothing: the rest goes on from what was stored", () => {
    for (let seed = 0; seed < 8; seed++) {
      const trace = traceOf(["human", ...randomRun(seed, 14)]);
      const whole = JSON.stringify(playTrace(trace));
      for (let at = 0; at <= trace.events.length; at++) {
        const resumed = resumeTrace(trace, at, (stored) => JSON.parse(JSON.stringify(stored)));
        expect(JSON.stringify(resumed)).toBe(whole);
      }
    }
  }, 60_000);

  test("a crash between two equal calls leaves the level as it would have been", () => {
    const same: Line = [ok("get", { page: "p1" }, { title: "A" })];
    const trace = traceOf(["human", same, same, same, same, same]);
    for (const at of [3, 5, 7, 9]) {
      const resumed = resumeTrace(trace, at, (stored) => JSON.parse(JSON.stringify(stored)));
      expect(resumed.raised.map((one) => `${one.turn} ${one.level}`)).toEqual(["3 1", "4 2", "5 3"]);
    }
  });

  test("a compaction resets nothing", () => {
    const same: Line = [ok("get", { page: "p1" }, { title: "A" })];
    expect(climbs(["human", same, { compact: [1, 1] }, same, same])).toEqual(["same_result@3 1"]);
    const { memory } = play(["human", same, same, same, { compact: [1, 3] }]);
    expect(memory.stuck.level).toBe(1);
    expect(memory.stuck.blocked).toHaveLength(1);
  });

  test("a frozen memory twice gives equal verdicts", () => {
    for (let seed = 0; seed < 40; seed++) {
      const trace = traceOf(["human", ...randomRun(seed, 20)]);
      const memory = freeze(playTrace(trace).memory);
      const conf = freeze(configOf(trace));
      expect(findLoops(memory, conf)).toEqual(findLoops(memory, conf));
      expect(climbLadder(memory, conf)).toEqual(climbLadder(memory, conf));
      const mark = markCall(traitsOf("get", undefined), NO_SHAPE, { page: "p1" });
      expect(checkBlocks(memory, mark, 21)).toEqual(checkBlocks(memory, mark, 21));
      // Writing to it would throw.
      expect(recordPersonInput(memory, 999)).toEqual(recordPersonInput(memory, 999));
    }
  });

  test("no text of arguments, results, errors or replies is in it", () => {
    const secret = "correcthorsebatterystaple";
    const { memory } = play([
      "human",
      [ok("search", { q: secret }, { items: [{ id: secret }], text: secret })],
      [failed("get", { page: secret }, "server", "x")],
      [ok("put", { page: secret, title: secret }, { rev: secret })],
      { say: `I have read ${secret} and go on` },
      [ok("get", { page: "p" }, 1)],
    ]);
    expect(JSON.stringify(memory)).not.toContain(secret);
  });
});

describe("its bounds", () => {
  test("10,000 calls stay within 32 KB, every list within its own", () => {
    const traits = { ...traitsOf("x", undefined), polling: { minIntervalMs: 5000, maxPolls: 20 } };
    let memory: LoopMemory = NO_LOOP_MEMORY;
    let largest = 0;
    let seq = 0;
    const classes = ["auth", "invalid_args", "not_found", "conflict", "server"] as const;
    for (let n = 0; n < 10_000; n++) {
      const step = Math.floor(n / 4) + 1;
      const tool = `a_tool_with_quite_a_long_name_${n % 90}`;
      const query = Array.from({ length: 24 }, (_, word) => `${word}x${n}`.padEnd(12, "0"));
      const mark = {
        ...markCall(
          { ...traits, tool },
          { ...NO_SHAPE, target: ["page"] },
          { page: `p${n}`, url: `https://h${n}.org/` },
        ),
        query,
      };
      const id = `r1s${step}c${n % 4}`;
      memory = recordProposal(memory, { id, seq: ++seq, step, at: 1_700_000_000_000 + n, mark });
      const bad = n % 3 === 0;
      memory = recordResult(memory, {
        id,
        seq: ++seq,
        at: 1_700_000_000_000 + n,
        status: bad ? "error" : "ok",
        mark: { res: `res${n}`.padEnd(12, "0"), ids: bad ? null : query, empty: false },
        error: bad ? (classes[n % classes.length] ?? null) : null,
        skip: null,
      });
      if (n % 4 === 3) {
        const calls = [0, 1, 2, 3].map((index) => `r1s${step}c${index}`);
        memory = finishTurn(memory, { step, seq, at: 0, calls, words: [], refused: false, progress: false });
      }
      if (n % 100 === 99 || n > 9_900) largest = Math.max(largest, JSON.stringify(memory).length);
    }
    expect(largest).toBeLessThanOrEqual(32_768);
    // The memory is full, not empty: the bound is what limits it.
    expect(largest).toBeGreaterThan(20_000);
    expect(memory.turns).toHaveLength(12);
    expect(memory.calls.length).toBeGreaterThanOrEqual(24);
    expect(memory.calls.length).toBeLessThanOrEqual(48);
    expect(memory.bans.length).toBeLessThanOrEqual(100);
    expect(memory.polls.length).toBeLessThanOrEqual(16);
    expect(Object.keys(memory.counts).length).toBeLessThanOrEqual(48);
    expect(climbLadder(memory, config)).toEqual(climbLadder(memory, config));
    // Seconds of pure arithmetic, more on a busy machine.
  }, 60_000);

  test("a tool may have any name", () => {
    const { memory } = play(["human", [ok("__proto__", {}, 1)], [ok("constructor", {}, 2)]]);
    expect(Object.keys(memory.counts)).toEqual(["__proto__", "constructor"]);
  });

  test("a result that nobody waits for changes nothing", () => {
    const settled = {
      id: "r1s1c0",
      seq: 1,
      at: 1,
      status: "ok",
      mark: null,
      error: null,
      skip: null,
    } as const;
    expect(recordResult(NO_LOOP_MEMORY, settled)).toBe(NO_LOOP_MEMORY);
  });
});

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
}
