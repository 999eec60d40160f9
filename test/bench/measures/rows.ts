import { AGENTS, type Name } from "../contenders.ts";
import { cellsOf, interleaved, ROUNDS, type Measure, type Row } from "../measure.ts";
import { median } from "../numbers.ts";
import { createScript, openBench } from "../server.ts";

/** Each turn, and the rows that it may cost at most. */
const TURNS = [
  ["3 model calls × 40 deltas, 2 tool calls", { calls: 3, toolsPerCall: 1, deltas: 40 }, 36],
  ["1 answer of 400 deltas", { calls: 1, toolsPerCall: 0, deltas: 400 }, 21],
  ["10 model calls, 18 tool calls", { calls: 10, toolsPerCall: 2, deltas: 4 }, 130],
] as const;

const PARTAKERS = [...AGENTS, "durable"] as const satisfies readonly Name[];
const STEPS = 10;
const ROWS_PER_STEP_MAX = 9;

/** Billed rows written. Counts, not times: they hardly vary. */
export const rows: Measure = {
  id: "rows",
  title: "Billed rows written",
  how:
    "Rows that the session's storage bills, of the second turn of a new session: every statement's own count, and one for each alarm set " +
    "or taken away and each key put. The last line is what one more model call with one tool call adds: a turn of eleven calls, less one of one call, by ten.",
  ahead:
    "AIChatAgent and Think keep one row for the whole reply and overwrite it, however many calls it holds; they keep no intent before a tool runs, no verdict and no trace. " +
    "Cairn writes these as rows before and after every effect, and an alarm for each.",
  async run() {
    const bench = await openBench(PARTAKERS);
    try {
      const results: Row[] = [];
      const measured = await interleaved(ROUNDS, PARTAKERS, async (name, round) => {
        const session = `rows-${round}`;
        const written = async (script: Parameters<typeof createScript>[0]): Promise<number> =>
          (await bench.turn(name, session, createScript(script), true)).rows.written;
        await written({});
        const turns: number[] = [];
        for (const [, script] of TURNS) turns.push(await written(script));
        const one = await written({ calls: 1 });
        const many = await written({ calls: STEPS + 1 });
        return { turns, perStep: (many - one) / STEPS };
      });
      for (const [at, [what, , most]] of TURNS.entries()) {
        const cells = cellsOf(measured, ({ turns }) => turns[at] ?? Number.NaN);
        const met = median(cells.cairn ?? []) <= most;
        results.push({ what, unit: "rows", target: { says: `≤ ${most}`, met }, cells });
      }
      const cells = cellsOf(measured, ({ perStep }) => perStep);
      const met = median(cells.cairn ?? []) <= ROWS_PER_STEP_MAX;
      const target = { says: `≤ ${ROWS_PER_STEP_MAX}`, met };
      results.push({ what: "one more model call with one tool call", unit: "rows", target, cells });
      return results;
    } finally {
      await bench.close();
    }
  },
};
