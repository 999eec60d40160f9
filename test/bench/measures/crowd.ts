import type { Name } from "../contenders.ts";
import { cellsOf, interleaved, ROUNDS, type Measure, type Row } from "../measure.ts";
import { median } from "../numbers.ts";
import { createScript, openBench } from "../server.ts";

const STEPS = 10;
const THINK_MS = 200;
const OF_FLOOR_MAX = 1.3;
/** contenders at each size: the peers take part in one, for the time it takes */
const SIZES: readonly (readonly [sessions: number, names: readonly Name[]])[] = [
  [10, ["cairn", "alarms"]],
  [100, ["cairn", "think-harness", "ai-chat", "think", "alarms"]],
  [1_000, ["cairn", "alarms"]],
];

/** Many sessions at the same time. */
export const crowd: Measure = {
  id: "crowd",
  title: "Sessions at once",
  how:
    `So many new sessions begin at once in one new workerd, each a turn of ${STEPS} model calls of ${THINK_MS} ms with a tool call between (bare alarms: ten alarms that wait as long and write 1 KB); ` +
    "2 s are the least that it can take. Memory is what the server's processes have grown by when the last one has ended. Each round has a server of its own.",
  async run(say) {
    const results: Row[] = [];
    for (const [sessions, names] of SIZES) {
      const measured = await interleaved(ROUNDS, names, (name) => gather(name, sessions));
      say(`${sessions} sessions done`);
      const wall = cellsOf(measured, (round) => round.seconds);
      const memory = cellsOf(measured, (round) => round.mib);
      const finished = measured.get("cairn")?.every((round) => round.finished === sessions) ?? false;
      results.push(
        {
          what: `${sessions.toLocaleString("en")} sessions, until the last has ended`,
          unit: "s",
          target: of("wall", wall, finished),
          cells: wall,
        },
        {
          what: `${sessions.toLocaleString("en")} sessions, memory`,
          unit: "MiB",
          target: of("memory", memory, true),
          cells: memory,
        },
      );
    }
    return results;
  },
};

function of(what: string, cells: Partial<Record<Name, number[]>>, finished: boolean): Row["target"] {
  const ratio = median(cells.cairn ?? []) / median(cells.alarms ?? []);
  const all = what === "wall" ? "all finish, " : "";
  return {
    says: `${all}≤ ${OF_FLOOR_MAX} × bare alarms (it is ${ratio.toFixed(2)} ×)`,
    met: finished && ratio <= OF_FLOOR_MAX,
  };
}

async function gather(
  name: Name,
  sessions: number,
): Promise<{ readonly seconds: number; readonly mib: number; readonly finished: number }> {
  const bench = await openBench([name]);
  try {
    await bench.turn(name, "warm-up", createScript({ calls: 2 }));
    const before = bench.rssMib();
    const scripts = Array.from({ length: sessions }, () => createScript({ calls: STEPS, thinkMs: THINK_MS }));
    const { from, to, finished, failures } = await bench.crowd(name, scripts);
    if (name !== "cairn" && failures.length > 0) throw new Error(`${name}: ${failures.join("; ")}`);
    return { seconds: (to - from) / 1_000, mib: bench.rssMib() - before, finished };
  } finally {
    await bench.close();
  }
}
