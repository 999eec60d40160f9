import type { Name } from "../contenders.ts";
import { cellsOf, interleaved, ROUNDS, type Measure, type Row } from "../measure.ts";
import { median } from "../numbers.ts";
import { createScript, openBench, type Bench } from "../server.ts";

const PARTAKERS = [
  "cairn",
  "think-harness",
  "ai-chat",
  "think",
  "coalesced",
  "stream-text",
] as const satisfies readonly Name[];
const TURNS = 5;
const DELTAS = 400;
const FEW_DELTAS = 4;
const STEPS = 10;
const OF_FLOOR_MAX = 1.3;
const MICROSECONDS = 1_000;

/** Processor time of the server's processes. */
export const cpu: Measure = {
  id: "cpu",
  title: "CPU",
  how:
    `User and system time of the workerd processes, from /proc/<pid>/stat, over ${TURNS} turns in a new session. Per delta: turns of one answer of ${DELTAS} deltas, less the same of ${FEW_DELTAS}. ` +
    `Per step: turns of ${STEPS} model calls with one tool call each and ${FEW_DELTAS} deltas, less turns of one call. Nobody watches the stream. ` +
    "The floor is `streamText` in a worker that keeps nothing, behind the same joining of small deltas that Cairn uses; beside it the same without.",
  ahead:
    "A step of Cairn is more than a round of the SDK's loop in memory: two or three transactions with a snapshot, an alarm, the judgement of the reply and the digest of the prompt. " +
    "A step of the SDK's loop is one model call less to set up.",
  async run() {
    const bench = await openBench(PARTAKERS);
    try {
      for (const name of PARTAKERS) await cpuOf(bench, name, "warm-up", { calls: STEPS, deltas: DELTAS });
      const measured = await interleaved(ROUNDS, PARTAKERS, async (name, round) => {
        const few = await cpuOf(bench, name, `few-${round}`, { calls: 1, deltas: FEW_DELTAS });
        const many = await cpuOf(bench, name, `many-${round}`, { calls: 1, deltas: DELTAS });
        const steps = await cpuOf(bench, name, `steps-${round}`, { calls: STEPS, deltas: FEW_DELTAS });
        return {
          perDelta: ((many - few) / (TURNS * (DELTAS - FEW_DELTAS))) * MICROSECONDS,
          perStep: (steps - few) / (TURNS * (STEPS - 1)),
        };
      });
      return [
        ...against(
          "one more delta",
          "µs",
          cellsOf(measured, ({ perDelta }) => perDelta),
        ),
        ...against(
          "one more step",
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
  script: { readonly calls: number; readonly deltas: number },
): Promise<number> {
  const before = bench.cpuMs();
  for (let turn = 0; turn < TURNS; turn++) await bench.turn(name, session, createScript(script));
  return bench.cpuMs() - before;
}

function against(what: string, unit: string, cells: Partial<Record<Name, number[]>>): Row[] {
  const floor = median(cells.coalesced ?? []);
  const ratio = median(cells.cairn ?? []) / floor;
  const target = {
    says: `≤ ${OF_FLOOR_MAX} × the floor (it is ${ratio.toFixed(2)} ×)`,
    met: ratio <= OF_FLOOR_MAX,
  };
  return [{ what, unit, target, cells }];
}
