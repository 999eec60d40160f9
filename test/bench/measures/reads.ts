import { AGENTS } from "../contenders.ts";
import { cellsOf, interleaved, ROUNDS, type Measure, type Row } from "../measure.ts";
import { createScript, openBench } from "../server.ts";

const HISTORIES = [10, 100, 1_000, 10_000];
const CALLS = 3;

/** Billed rows read, as the history grows. */
export const reads: Measure = {
  id: "reads",
  title: "Rows read per step, by length of the history",
  how:
    "Rows that a warm object reads in a turn of three model calls and two tool calls, divided by three. The history is messages of 200 characters, stored by each contender itself. " +
    "Cairn's prompt holds the last six runs, the peers' prompts the whole history.",
  ahead:
    "Cairn reads its snapshot in every transaction, at constant cost. Others hold the whole history in memory, so their wake and memory grow with it.",
  async run(say) {
    const bench = await openBench(AGENTS);
    try {
      const results: Row[] = [];
      let stored = 0;
      for (const history of HISTORIES) {
        for (const name of AGENTS) await bench.seed(name, "reads", history - stored);
        stored = history;
        say(`history of ${history} stored`);
        // The first turn of a new object loads what has come.
        for (const name of AGENTS) await bench.reset(name, "reads");
        for (const name of AGENTS) await bench.turn(name, "reads", createScript());
        const measured = await interleaved(ROUNDS, AGENTS, async (name) => {
          const { requests, rows } = await bench.turn(name, "reads", createScript({ calls: CALLS }), true);
          const sent = requests[0]?.messages ?? 0;
          // Cairn sends the newest runs; whoever says to send everything has to.
          if (name !== "cairn" && sent < history)
            throw new Error(`${name} sent ${sent} messages of ${history}`);
          return rows.read / CALLS;
        });
        const cells = cellsOf(measured, (read) => read);
        results.push({ what: `${history.toLocaleString("en")} messages`, unit: "rows", cells });
      }
      return results;
    } finally {
      await bench.close();
    }
  },
};
