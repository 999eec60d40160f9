import { AGENTS, type Name } from "../contenders.ts";
import { cellsOf, interleaved, ROUNDS, type Measure, type Row } from "../measure.ts";
import { createScript, openBench } from "../server.ts";

const TURNS = [
  ["3 model calls × 40 deltas, 2 tool calls", { calls: 3, toolsPerCall: 1, deltas: 40 }],
  ["1 answer of 400 deltas", { calls: 1, toolsPerCall: 0, deltas: 400 }],
  ["10 model calls, 18 tool calls", { calls: 10, toolsPerCall: 2, deltas: 4 }],
] as const;

const PARTAKERS = [...AGENTS, "durable"] as const satisfies readonly Name[];
const STEPS = 10;

/** Billed rows written. Counts, not times: they hardly vary. */
export const rows: Measure = {
  id: "rows",
  title: "Billed rows written",
  how:
    "Rows that the session's storage bills for a turn in a warm session: those of each statement, plus one per alarm change and stored key. " +
    "The last line is a tenth of the difference between turns of eleven calls and one.",
  ahead:
    "AIChatAgent and Think overwrite one row for the whole reply. Cairn writes rows before and after every effect and an alarm for each, which make it resumable, and a trace.",
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
      for (const [at, [what]] of TURNS.entries())
        results.push({
          what,
          unit: "rows",
          cells: cellsOf(measured, ({ turns }) => turns[at] ?? Number.NaN),
        });
      const cells = cellsOf(measured, ({ perStep }) => perStep);
      results.push({ what: "one more model call with one tool call", unit: "rows", cells });
      return results;
    } finally {
      await bench.close();
    }
  },
};
