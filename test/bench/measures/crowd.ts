import { AGENTS, type Name } from "../contenders.ts";
import type { Measure, Row } from "../measure.ts";
import { median } from "../numbers.ts";
import { createScript, openBench } from "../server.ts";
import type { Crowd } from "../worker/bench.ts";

const STEPS = 10;
const THINK_MS = 200;

interface Size {
  readonly sessions: number;
  readonly rounds: number;
  /** fewer: the largest crowd takes the peers minutes */
  readonly peerRounds: number;
  /** at most so many times what bare alarms take */
  readonly wallMax: number | null;
  readonly memoryMax: number | null;
}

const SIZES: readonly Size[] = [
  { sessions: 10, rounds: 5, peerRounds: 5, wallMax: null, memoryMax: null },
  { sessions: 100, rounds: 5, peerRounds: 3, wallMax: 1.4, memoryMax: null },
  { sessions: 1_000, rounds: 3, peerRounds: 1, wallMax: 2.8, memoryMax: 2 },
];
const OWN = ["cairn", "durable", "alarms"] as const satisfies readonly Name[];
const PEERS = AGENTS.filter((name) => name !== "cairn");

/** Many sessions at the same time. */
export const crowd: Measure = {
  id: "crowd",
  title: "Sessions at once",
  how:
    `So many new sessions begin at once in one new workerd, each a turn of ${STEPS} model calls of ${THINK_MS} ms with a tool call between (bare alarms: ten alarms that wait as long and write 1 KB); ` +
    "2 s are the least that it can take. Memory is what the server's processes have grown by when the last one has ended. Each round has a server of its own; " +
    `${SIZES.map(({ sessions, rounds, peerRounds }) => `${sessions.toLocaleString("en")} sessions in ${rounds} rounds, the peers in ${peerRounds}`).join("; ")}.`,
  missed:
    "A thousand sessions are a matter of the processor alone: a bare alarm asks no model, renders no prompt and writes one row. A tenth of it is the index of sessions in D1. " +
    "Of what a session holds beyond a bare alarm's, about 25 KiB are objects of Cairn; the others are garbage that V8 has not collected yet, the pages of a SQLite file of 80 KiB, and D1. " +
    "The column of the same durability says what of both is the price of surviving.",
  async run(say) {
    const results: Row[] = [];
    for (const { sessions, rounds, peerRounds, wallMax, memoryMax } of SIZES) {
      const measured = new Map<Name, Gathered[]>();
      for (let round = 0; round < rounds; round++) {
        for (const name of round < peerRounds ? [...OWN, ...PEERS] : OWN) {
          measured.set(name, [...(measured.get(name) ?? []), await gather(name, sessions)]);
          say(`${sessions} sessions of ${name}, round ${round + 1}`);
        }
      }
      const finished = measured.get("cairn")?.every((round) => round.finished === sessions) ?? false;
      const label = `${sessions.toLocaleString("en")} sessions`;
      const wall = crowdCells(measured, sessions, ({ seconds }) => seconds);
      const memory = crowdCells(measured, sessions, ({ mib }) => mib);
      results.push(
        {
          what: `${label}, until the last has ended`,
          unit: "s",
          target: { ...ofFloor(wall, wallMax), ...(finished ? {} : { says: "all finish", met: false }) },
          cells: wall,
        },
        {
          what: `${label}, memory`,
          unit: "MiB",
          target: memoryMax === null ? null : ofFloor(memory, memoryMax),
          cells: memory,
        },
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

function ofFloor(cells: Cells, most: number | null): NonNullable<Row["target"]> {
  const { cairn, alarms } = cells;
  if (typeof cairn !== "object" || typeof alarms !== "object") return { says: "all finish", met: false };
  const ratio = median(cairn) / median(alarms);
  if (most === null) return { says: "all finish", met: true };
  return {
    says: `all finish, ≤ ${most} × bare alarms (it is ${ratio.toFixed(2)} ×)`,
    met: ratio <= most,
  };
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
