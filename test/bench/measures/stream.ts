import type { Name } from "../contenders.ts";
import { cellsOf, interleaved, ROUNDS, type Measure } from "../measure.ts";
import { mean, percentile } from "../numbers.ts";
import { createScript, openBench } from "../server.ts";

const PARTAKERS = ["cairn", "ai-chat", "stream-text", "coalesced"] as const satisfies readonly Name[];
const DELTAS = 100;
const PACE_MS = 20;

/** How much later a client has a piece of text than the model has given it. */
export const stream: Measure = {
  id: "stream",
  title: "Stream overhead",
  how:
    `Delay from the model to a client outside the server, for ${DELTAS} deltas, ${PACE_MS} ms apart. ` +
    "Cairn is read as server-sent events, AIChatAgent through a socket, `streamText` from its response, with and without Cairn's joining of small deltas.",
  ahead: "Cairn joins deltas and stores a draft of what it has shown, so that a crash can withdraw it.",
  async run() {
    const bench = await openBench(PARTAKERS);
    const script = () => createScript({ deltas: DELTAS, paceMs: PACE_MS });
    try {
      for (const name of PARTAKERS) await bench.stream(name, "stream-warm", script());
      const delays = await interleaved(ROUNDS, PARTAKERS, (name, round) =>
        bench.stream(name, `stream-${round}`, script()),
      );
      return [
        { what: "a delta, mean", unit: "ms", cells: cellsOf(delays, mean) },
        { what: "a delta, p95", unit: "ms", cells: cellsOf(delays, (each) => percentile(each, 0.95)) },
      ];
    } finally {
      await bench.close();
    }
  },
};
