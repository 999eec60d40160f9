import { AGENTS, type Name } from "../contenders.ts";
import type { Measure, Row } from "../measure.ts";
import { createScript, openBench } from "../server.ts";
import type { Crowd } from "../worker/bench.ts";

const STEPS = 10;
const THINK_MS = 200;

interface Size {
  readonly sessions: number;
  readonly rounds: number;
  /** fewer: the largest crowd takes the peers minutes */
  readonly peerRounds: number;
}

const SIZES: readonly Size[] = [
  { sessions: 10, rounds: 5, peerRounds: 5 },
  { sessions: 100, rounds: 5, peerRounds: 3 },
  { sessions: 1_000, rounds: 3, peerRounds: 1 },
];
const OWN = ["cairn", "durable", "alarms"] as const satisfies readonly Name[];
const PEERS = AGENTS.filter((name) => name !== "cairn");

/** Many sessions at the same time. */
export const crowd: Measure = {
  id: "crowd",
  title: "Sessions at once",
  how:
    `New sessions start at once in a new workerd, each with ${STEPS} model calls of ${THINK_MS} ms and tool calls between (bare alarms: ten alarms that wait as long and write 1 KB). ` +
    "The minimum is 2 s. Memory is the growth of the server's processes. " +
    `Rounds (peers): ${SIZES.map(({ sessions, rounds, peerRounds }) => `${sessions.toLocaleString("en")} sessions ${rounds} (${peerRounds})`).join(", ")}.`,
  missed:
    "with a thousand sessions only the processor counts, and a bare alarm asks no model, renders no prompt and writes one row. " +
    "Memory beyond bare alarms is about 25 KiB of objects per session, uncollected garbage, SQLite pages and D1.",
  async run(say) {
    const results: Row[] = [];
    for (const { sessions, rounds, peerRounds } of SIZES) {
      const measured = new Map<Name, Gathered[]>();
      for (let round = 0; round < rounds; round++) {
        for (const name of round < peerRounds ? [...OWN, ...PEERS] : OWN) {
          measured.set(name, [...(measured.get(name) ?? []), await gather(name, sessions)]);
          say(`${sessions} sessions of ${name}, round ${round + 1}`);
        }
      }
      const label = `${sessions.toLocaleString("en")} sessions`;
      const wall = crowdCells(measured, sessions, ({ seconds }) => seconds);
      const memory = crowdCells(measured, sessions, ({ mib }) => mib);
      results.push(
        { what: `${label}, until the last has ended`, unit: "s", cells: wall },
        { what: `${label}, memory`, unit: "MiB", cells: memory },
      );
    }
    return results;
  },
};

type Cells = Row["cells"];

/** A contender that did not bring every session to its end gets no number but its words. */
function crowdCells(
  measured: ReadonlyMap<Name, readonly Gathered[]>,
  sessions: number,
  value: (round: Gathered) => number,
): Cells {
  return Object.fromEntries(
    [...measured].map(([name, rounds]) => {
      const broken = rounds.find(({ finished }) => finished < sessions);
      return [name, broken === undefined ? rounds.map(value) : broken.complaint];
    }),
  );
}

interface Gathered {
  readonly seconds: number;
  readonly mib: number;
  readonly finished: number;
  /** why some did not finish; empty when all did */
  readonly complaint: string;
}

/** A server that breaks under the crowd, or is not done with it in time, has ended no session. */
function gaveUp(error: unknown): Crowd {
  return { from: 0, to: 0, finished: 0, requests: 0, failures: [String(error)] };
}

async function gather(name: Name, sessions: number): Promise<Gathered> {
  const bench = await openBench([name]);
  try {
    await bench.turn(name, "warm-up", createScript({ calls: 2 }));
    const before = bench.rssMib();
    const scripts = Array.from({ length: sessions }, () => createScript({ calls: STEPS, thinkMs: THINK_MS }));
    const { from, to, finished, failures } = await bench.crowd(name, scripts).catch(gaveUp);
    const complaint = `${finished} of ${sessions} sessions ended: ${failures[0] ?? ""}`;
    return { seconds: (to - from) / 1_000, mib: bench.rssMib() - before, finished, complaint };
  } finally {
    await bench.close();
  }
}
