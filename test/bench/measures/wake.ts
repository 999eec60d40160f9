import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort, startDevServer } from "../../../src/cli/start/dev-server.ts";
import { AGENTS, CONTENDERS, type Name } from "../contenders.ts";
import { openInspector } from "../inspector.ts";
import { cellsOf, interleaved, ROUNDS, type Measure } from "../measure.ts";
import { median } from "../numbers.ts";
import { createScript, postOrder } from "../server.ts";
import type { AskedTurn, Order } from "../worker/bench.ts";

const HISTORY = 10_000;
const SESSION = "wake";
const WAKE_MS_MAX = 100;
const HEAP_MIB_MAX = 32;
const MIB = 2 ** 20;

/** An object with a long history that has to start. */
export const wake: Measure = {
  id: "wake",
  title: `Wake with a history of ${HISTORY.toLocaleString("en")} messages`,
  how:
    "`wrangler dev` is started anew on the stored history in every round, works a turn of another session so that its code is warm, and then gets a message for the old one. " +
    "The time is from the worker opening its stub to the model's first request: the start of the object, its reading of the history and the acceptance of the message. " +
    "Cairn's prompt holds what was said in the last six runs, the peers' the whole history, as they come. Heap is what the isolate has more in use after that turn than before, garbage included, as its inspector says.",
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
      const ms = cellsOf(measured, (each) => each.ms);
      const heap = cellsOf(measured, (each) => each.mib);
      return [
        {
          what: "until the model is asked",
          unit: "ms",
          target: { says: `≤ ${WAKE_MS_MAX} ms`, met: median(ms.cairn ?? []) <= WAKE_MS_MAX },
          cells: ms,
        },
        {
          what: "heap",
          unit: "MiB",
          target: { says: `≤ ${HEAP_MIB_MAX} MiB`, met: median(heap.cairn ?? []) <= HEAP_MIB_MAX },
          cells: heap,
        },
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
