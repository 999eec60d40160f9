import type { Name } from "../contenders.ts";
import { cellsOf, interleaved, type Measure } from "../measure.ts";
import { createScript, openBench, type Bench } from "../server.ts";

const PARTAKERS = [
  "cairn",
  "think-harness",
  "ai-chat",
  "think",
  "durable",
  "coalesced",
  "stream-text",
] as const satisfies readonly Name[];
const ROUNDS = 11;
/** so much work in a figure that the kernel's ticks of 10 ms are small in it */
const TURNS = 12;
const FEW_TURNS = 48;
const DELTAS = 2_000;
const FEW_DELTAS = 4;
/** the SDK's loop ends at its twentieth step */
const STEPS = 19;
const MICROSECONDS = 1_000;

/** Processor time of the server's processes. */
export const cpu: Measure = {
  id: "cpu",
  title: "CPU",
  how:
    `CPU time of the workerd processes over ${TURNS} turns in a new session, ${ROUNDS} rounds. Per delta: answers of ${DELTAS.toLocaleString("en")} deltas, minus answers of ${FEW_DELTAS}. ` +
    `Per step: ${STEPS} model calls with a tool call each, minus turns of one call (${FEW_TURNS} of them). Nobody reads the stream.`,
  ahead:
    "A step of Cairn has two or three transactions, an alarm and the guards, which an SDK loop in memory does not have.",
  missed:
    "a step of Cairn has three commits, an alarm and the guards, which `streamText` alone does not have. *Same durability* shows the cost of the commits.",
  async run() {
    const bench = await openBench(PARTAKERS);
    try {
      for (const name of PARTAKERS)
        await cpuOf(bench, name, "warm-up", TURNS, { calls: STEPS, deltas: FEW_DELTAS });
      const measured = await interleaved(ROUNDS, PARTAKERS, async (name, round) => {
        const turn = async (what: string, turns: number, calls: number, deltas: number): Promise<number> =>
          (await cpuOf(bench, name, `${what}-${round}`, turns, { calls, deltas })) / turns;
        const few = await turn("few", FEW_TURNS, 1, FEW_DELTAS);
        const many = await turn("many", TURNS, 1, DELTAS);
        const steps = await turn("steps", TURNS, STEPS, FEW_DELTAS);
        return {
          perDelta: ((many - few) / (DELTAS - FEW_DELTAS)) * MICROSECONDS,
          perStep: (steps - few) / (STEPS - 1),
        };
      });
      return [
        { what: "one more delta", unit: "µs", cells: cellsOf(measured, ({ perDelta }) => perDelta) },
        { what: "one more step", unit: "ms", cells: cellsOf(measured, ({ perStep }) => perStep) },
      ];
    } finally {
      await bench.close();
    }
  },
};

/** Milliseconds of processor time for some turns of a session. */
async function cpuOf(
  bench: Bench,
  name: Name,
  session: string,
  turns: number,
  script: { readonly calls: number; readonly deltas: number },
): Promise<number> {
  const before = bench.cpuMs();
  for (let turn = 0; turn < turns; turn++) await bench.turn(name, session, createScript(script));
  return bench.cpuMs() - before;
}
