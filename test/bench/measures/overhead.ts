import type { Name } from "../contenders.ts";
import { cellsOf, interleaved, ROUNDS, type Measure, type Row } from "../measure.ts";
import { mean, median, percentile } from "../numbers.ts";
import { createScript, openBench, type Bench } from "../server.ts";
import type { Turn } from "../worker/bench.ts";

const PARTAKERS = [
  "cairn",
  "think-harness",
  "ai-chat",
  "think",
  "durable",
  "alarms",
] as const satisfies readonly Name[];
const STEPS = 10;
/** enough steps that the 99th of a hundred is not the slowest of all */
const TURNS = 26;
const LATE_FROM_STEP = 940;

/** Milliseconds between the end of one model call and the request of the next. */
function gapsOf({ requests }: Turn): number[] {
  return requests.slice(1).map((request, at) => request.from - (requests[at]?.to ?? Number.NaN));
}

/** Milliseconds from the moment at which the message is handed over to the first model request. */
function firstOf({ from, requests }: Turn): number {
  return (requests[0]?.from ?? Number.NaN) - from;
}

/** Time that a contender adds between model and tool calls. */
export const overhead: Measure = {
  id: "overhead",
  title: "Overhead",
  how:
    "Time to first step: from the message to the first model request. Step to step: from the end of one model call to the next request, with a tool call between that does nothing. " +
    `${TURNS} turns of ${STEPS} steps in a new session; the first warms up. The clock counts whole milliseconds, so the mean says more than the median. ` +
    `The ratio compares steps 11 to 60 of one session with its last 50 before step 1,000.`,
  ahead:
    "AIChatAgent and Think loop in memory and write nothing between steps. Cairn commits each intent and result, and starts each step by an alarm, which makes it resumable.",
  missed:
    "local alarms take about twice as long as with wrangler 4.130, and a loop with the same durability is no quicker. " +
    "The slowest percent includes garbage collection and database checkpoints.",
  async run(say) {
    const bench = await openBench(PARTAKERS);
    try {
      return [...(await fresh(bench)), ...(await aged(bench, say))];
    } finally {
      await bench.close();
    }
  },
};

async function fresh(bench: Bench): Promise<Row[]> {
  const measured = await interleaved(ROUNDS, PARTAKERS, async (name, round) => {
    const turns: Turn[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      turns.push(await bench.turn(name, `overhead-${round}`, createScript({ calls: STEPS })));
    }
    const warm = turns.slice(1);
    return { first: warm.map(firstOf), gaps: warm.flatMap(gapsOf) };
  });
  const ms = (what: string, value: (each: { first: number[]; gaps: number[] }) => number): Row => ({
    what,
    unit: "ms",
    cells: cellsOf(measured, value),
  });
  return [
    ms("time to first step, p50", (each) => percentile(each.first, 0.5)),
    ms("step to step, p50", (each) => percentile(each.gaps, 0.5)),
    ms("step to step, mean", (each) => mean(each.gaps)),
    ms("step to step, p99", (each) => percentile(each.gaps, 0.99)),
  ];
}

/** One session of each, grown to a thousand steps. */
async function aged(bench: Bench, say: (line: string) => void): Promise<Row[]> {
  const session = "overhead-aged";
  const step = (name: Name): Promise<Turn> => bench.turn(name, session, createScript({ calls: STEPS }));
  const gap = async (name: Name): Promise<number> => mean(gapsOf(await step(name)));
  for (const name of PARTAKERS) await step(name);
  const early = await interleaved(ROUNDS, PARTAKERS, gap);
  for (const name of PARTAKERS) {
    for (let at = (ROUNDS + 1) * STEPS; at < LATE_FROM_STEP; at += STEPS) await step(name);
    say(`${name}: ${LATE_FROM_STEP} steps`);
  }
  const late = await interleaved(ROUNDS, PARTAKERS, gap);
  const ratios = new Map(
    PARTAKERS.map((name) => {
      const base = median(early.get(name) ?? []);
      return [name, (late.get(name) ?? []).map((value) => value / base)] as const;
    }),
  );
  return [
    {
      what: "near the 1,000th step of a session, mean",
      unit: "ms",
      cells: cellsOf(late, (value) => value),
    },
    { what: "the same against the 11th to 60th", unit: "×", cells: cellsOf(ratios, (ratio) => ratio) },
  ];
}
