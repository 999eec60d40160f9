import type { Name } from "../contenders.ts";
import { cellsOf, interleaved, type Measure, type Row } from "../measure.ts";
import { median } from "../numbers.ts";
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
const OF_FLOOR_MAX = { delta: 1.3, step: 0.8 } as const;
const MICROSECONDS = 1_000;

/** Processor time of the server's processes. */
export const cpu: Measure = {
  id: "cpu",
  title: "CPU",
  how:
    `User and system time of the workerd processes, from /proc/<pid>/stat, over ${TURNS} turns in a new session, ${ROUNDS} rounds. Per delta: turns of one answer of ${DELTAS.toLocaleString("en")} deltas, less the same of ${FEW_DELTAS}. ` +
    `Per step: turns of ${STEPS} model calls with one tool call each and ${FEW_DELTAS} deltas, less turns of one call (${FEW_TURNS} of them). Nobody watches the stream. ` +
    "The floor is `streamText` in a worker that keeps nothing, behind the same joining of small deltas that Cairn uses; beside it the same without, and the same with a commit before and after each effect.",
  ahead:
    "A step of Cairn is more than a round of the SDK's loop in memory: two or three transactions with a snapshot, an alarm, the judgement of the reply and the digest of the prompt. " +
    "A step of the SDK's loop is one model call less to set up.",
  missed:
    "A step of Cairn has three commits, an alarm and the judgement of the guards that `streamText` alone has not. What commits cost by themselves is in the column of the same durability.",
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
        ...against(
          "delta",
          "µs",
          cellsOf(measured, ({ perDelta }) => perDelta),
        ),
        ...against(
          "step",
          "ms",
          cellsOf(measured, ({ perStep }) => perStep),
        ),
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

function against(
  what: keyof typeof OF_FLOOR_MAX,
  unit: string,
  cells: Partial<Record<Name, number[]>>,
): Row[] {
  const floor = median(cells.coalesced ?? []);
  const ratio = median(cells.cairn ?? []) / floor;
  const target = {
    says: `≤ ${OF_FLOOR_MAX[what]} × the floor (it is ${ratio.toFixed(2)} ×)`,
    met: ratio <= OF_FLOOR_MAX[what],
  };
  return [{ what: `one more ${what}`, unit, target, cells }];
}
