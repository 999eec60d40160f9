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
const OVERHEAD_MS_MAX = 5;
/** a loop in memory has no alarm to wait for */
const BEHIND_LOOP_MS_MAX = 1;
const P99_MS_MAX = 8;
const LATE_FROM_STEP = 940;
const GROWTH_MAX = 1.2;

/** Milliseconds between the end of one model call and the request of the next. */
function gapsOf({ requests }: Turn): number[] {
  return requests.slice(1).map((request, at) => request.from - (requests[at]?.to ?? Number.NaN));
}

/** Milliseconds from the moment at which the message is handed over to the first model request. */
function firstOf({ from, requests }: Turn): number {
  return (requests[0]?.from ?? Number.NaN) - from;
}

/** What a contender adds between the things that take time by themselves. */
export const overhead: Measure = {
  id: "overhead",
  title: "Overhead",
  how:
    "As the Workflow SDK's benchmark defines them: time to first step is from the message being handed to the session to the model's first request; " +
    "step to step is from the last part of one model call to the request of the next, with one tool call between that does nothing. " +
    `${TURNS} turns of ${STEPS} steps in a new session, of which the first warms up. The isolate's clock counts whole milliseconds, so that the mean says more than the median. ` +
    `The ratio compares the mean step to step of five turns that end near the 1,000th step of one session with that of five turns that begin at the 11th, of the same session.`,
  ahead:
    "Between two steps AIChatAgent and Think only go round a loop in memory: they wait for no alarm and write nothing that would survive the step. " +
    "Cairn commits what was said, what it is about to do and what came of it, and begins each step by an alarm of its own, which makes it resumable there.",
  missed:
    "Alarms of the local runtime take about twice as long as with wrangler 4.130: a loop that commits and sets alarms as Cairn does, and does nothing else, is no quicker. Peers that keep a run in one call set none. " +
    "The slowest step of a hundred is one that a collection of garbage or a checkpoint of the database falls into; the same happens to bare alarms. " +
    "The thousandth step renders a longer prompt than the eleventh: six runs of the conversation instead of one.",
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
  const target = (p50: number): Row["target"] => ({
    says: `≤ ${OVERHEAD_MS_MAX} ms`,
    met: p50 <= OVERHEAD_MS_MAX,
  });
  const first = cellsOf(measured, (each) => percentile(each.first, 0.5));
  const gap = cellsOf(measured, (each) => percentile(each.gaps, 0.5));
  const slow = cellsOf(measured, (each) => percentile(each.gaps, 0.99));
  return [
    { what: "time to first step, p50", unit: "ms", target: target(median(first.cairn ?? [])), cells: first },
    {
      what: "step to step, p50",
      unit: "ms",
      target: {
        says: `≤ AIChatAgent + ${BEHIND_LOOP_MS_MAX} ms`,
        met: median(gap.cairn ?? []) <= median(gap["ai-chat"] ?? []) + BEHIND_LOOP_MS_MAX,
      },
      cells: gap,
    },
    {
      what: "step to step, mean",
      unit: "ms",
      target: null,
      cells: cellsOf(measured, (each) => mean(each.gaps)),
    },
    {
      what: "step to step, p99",
      unit: "ms",
      target: { says: `≤ ${P99_MS_MAX} ms`, met: median(slow.cairn ?? []) <= P99_MS_MAX },
      cells: slow,
    },
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
  const cells = cellsOf(ratios, (ratio) => ratio);
  const met = median(cells.cairn ?? []) <= GROWTH_MAX;
  return [
    {
      what: "near the 1,000th step of a session, mean",
      unit: "ms",
      target: null,
      cells: cellsOf(late, (value) => value),
    },
    {
      what: "the same against the 11th to 60th",
      unit: "×",
      target: { says: `≤ ${GROWTH_MAX} ×`, met },
      cells,
    },
  ];
}
