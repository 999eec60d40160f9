import type { Name } from "../contenders.ts";
import { cellsOf, interleaved, ROUNDS, type Measure } from "../measure.ts";
import { mean, median, percentile } from "../numbers.ts";
import { createScript, openBench } from "../server.ts";

const PARTAKERS = ["cairn", "ai-chat", "stream-text", "coalesced"] as const satisfies readonly Name[];
const DELTAS = 100;
const PACE_MS = 20;
/** what a person does not see */
const P95_MS_MAX = 100;

/** How much later a client has a piece of text than the model has given it. */
export const stream: Measure = {
  id: "stream",
  title: "Stream overhead",
  how:
    `The model gives ${DELTAS} deltas, ${PACE_MS} ms apart, each with the time of its leaving in it; the client, outside of the server, holds it against its clock when it has come. ` +
    "Cairn is read through its stream of server-sent events, AIChatAgent through a socket that the worker opens and hands on in the same form, `streamText` by its own response, once as it is and once behind the same joining of small deltas that Cairn uses. " +
    "The first turn of each session warms up. ThinkHarness and Think are not watched here.",
  ahead:
    "Cairn joins deltas that come close together, and keeps a draft of what it has shown so that a crash in mid-sentence withdraws just that; whoever passes each delta on at once is earlier by what it waits.",
  async run() {
    const bench = await openBench(PARTAKERS);
    const script = () => createScript({ deltas: DELTAS, paceMs: PACE_MS });
    try {
      for (const name of PARTAKERS) await bench.stream(name, "stream-warm", script());
      const delays = await interleaved(ROUNDS, PARTAKERS, (name, round) =>
        bench.stream(name, `stream-${round}`, script()),
      );
      const p95 = cellsOf(delays, (each) => percentile(each, 0.95));
      const met = median(p95.cairn ?? []) <= P95_MS_MAX;
      return [
        { what: "a delta, mean", unit: "ms", target: null, cells: cellsOf(delays, mean) },
        { what: "a delta, p95", unit: "ms", target: { says: `≤ ${P95_MS_MAX} ms`, met }, cells: p95 },
      ];
    } finally {
      await bench.close();
    }
  },
};
