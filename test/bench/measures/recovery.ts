import { AGENTS } from "../contenders.ts";
import type { Measure, Row } from "../measure.ts";
import { percentile } from "../numbers.ts";
import { createScript, openBench, type Bench } from "../server.ts";

const SESSIONS = 20;
const WITHIN_MS = 60_000;
const TOUCH_AFTER_MS = 100;

/** An object that dies in a model call, in a server that lives on. */
export const recovery: Measure = {
  id: "recovery",
  title: "Recovery in a living server",
  how:
    `Time from the abort of an object, 50 to 525 ms into a model call, to the next model request of the turn. ${SESSIONS} sessions of each contender at once, ` +
    `without a client, and with one that connects ${TOUCH_AFTER_MS} ms after the abort (included).`,
  async run() {
    const bench = await openBench(AGENTS);
    try {
      const alone = await die(bench, "alone", null);
      const touched = await die(bench, "touched", TOUCH_AFTER_MS);
      return [...rowsOf("without a client", alone), ...rowsOf("with a client that connects", touched)];
    } finally {
      await bench.close();
    }
  },
};

type Recovered = ReadonlyMap<(typeof AGENTS)[number], readonly (number | null)[]>;

async function die(bench: Bench, label: string, touchAfterMs: number | null): Promise<Recovered> {
  const each = await Promise.all(
    AGENTS.map(async (name) => {
      // An object that has worked before, as most have.
      const sessions = Array.from({ length: SESSIONS }, (_, at) => `${label}-${at}`);
      for (const session of sessions) await bench.turn(name, session, createScript());
      return { name, sessions };
    }),
  );
  const recovered = new Map<(typeof AGENTS)[number], readonly (number | null)[]>();
  for (const { name, sessions } of each) {
    const times = await Promise.all(
      sessions.map(async (session, at) => {
        const { recoveredMs } = await bench.recover(name, {
          session,
          script: createScript({ hangs: true }),
          dieAfterMs: 50 + at * 25,
          touchAfterMs,
          withinMs: WITHIN_MS,
        });
        return recoveredMs;
      }),
    );
    recovered.set(name, times);
  }
  return recovered;
}

function rowsOf(when: string, recovered: Recovered): Row[] {
  const cells: Record<string, readonly number[] | string> = {};
  const p95: Record<string, readonly number[] | string> = {};
  for (const [name, times] of recovered) {
    const came = times.filter((time) => time !== null);
    const why = `${times.length - came.length} of ${times.length} did not go on within ${WITHIN_MS / 1_000} s`;
    cells[name] = came.length === times.length ? came : why;
    p95[name] = came.length === times.length ? [percentile(came, 0.95)] : why;
  }
  return [
    { what: `${when}, p50`, unit: "ms", cells },
    { what: `${when}, p95`, unit: "ms", cells: p95 },
  ];
}
