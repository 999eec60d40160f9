import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort, startDevServer } from "../../../src/cli/start/dev-server.ts";
import { AGENTS, CONTENDERS, type Name } from "../contenders.ts";
import { openInspector } from "../inspector.ts";
import { cellsOf, interleaved, ROUNDS, type Measure } from "../measure.ts";
import { createScript, postOrder } from "../server.ts";
import type { AskedTurn, Order } from "../worker/bench.ts";

const HISTORY = 10_000;
const SESSION = "wake";
const MIB = 2 ** 20;

/** An object with a long history that has to start. */
export const wake: Measure = {
  id: "wake",
  title: `Wake with a history of ${HISTORY.toLocaleString("en")} messages`,
  how:
    "A restarted, warm `wrangler dev` gets a message for a session with a stored history. " +
    "The time is from opening the stub to the first model request. " +
    "Cairn's prompt holds the last six runs, the peers' prompts the whole history. Heap is what the isolate uses more after the turn, garbage included.",
  async run(say) {
    const folders = new Map<Name, string>();
    try {
      for (const name of AGENTS) {
        const folder = await mkdtemp(path.join(tmpdir(), "cairn-bench-"));
        folders.set(name, folder);
        await serving(name, folder, ({ order }) =>
          order({ do: "seed", session: SESSION, messages: HISTORY }),
        );
        say(`${name}: history stored`);
      }
      const measured = await interleaved(ROUNDS, AGENTS, (name) =>
        serving(name, folders.get(name) ?? "", wakeOnce),
      );
      return [
        { what: "until the model is asked", unit: "ms", cells: cellsOf(measured, (each) => each.ms) },
        { what: "heap", unit: "MiB", cells: cellsOf(measured, (each) => each.mib) },
      ];
    } finally {
      for (const folder of folders.values()) await rm(folder, { recursive: true, force: true });
    }
  },
};

interface Serving {
  readonly inspectorPort: number;
  order<Result>(order: Order): Promise<Result>;
}

/** Runs the contender's server on what is stored in the folder for as long as the body takes. */
async function serving<Result>(
  name: Name,
  folder: string,
  body: (server: Serving) => Promise<Result>,
): Promise<Result> {
  const inspectorPort = await freePort();
  const server = await startDevServer({
    port: await freePort(),
    inspectorPort,
    persistTo: folder,
    vars: [],
    config: path.join(import.meta.dirname, "..", CONTENDERS[name].config),
  });
  try {
    const order: Serving["order"] = (each) => postOrder(name, (init) => fetch(server.url, init), each);
    await order({ do: "turn", session: createScript().key, script: createScript(), metered: false });
    return await body({ inspectorPort, order });
  } finally {
    await server.stop();
  }
}

async function wakeOnce({ inspectorPort, order }: Serving): Promise<{ ms: number; mib: number }> {
  const inspector = await openInspector(inspectorPort);
  try {
    const before = await inspector.heapBytes();
    const script = createScript();
    const turn = await order<AskedTurn>({ do: "turn", session: SESSION, script, metered: false });
    const after = await inspector.heapBytes();
    const first = turn.requests[0]?.from ?? Number.NaN;
    return { ms: first - turn.askedAt, mib: (after - before) / MIB };
  } finally {
    inspector.close();
  }
}
