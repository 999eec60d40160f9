import { journalOf, type ModelRequestSeen } from "./journal.ts";
import { readMeter, startMeter, type Rows } from "./meter.ts";
import type { Script } from "./script.ts";

/** RPC interface of a contender's Durable Object. */
export interface BenchObject {
  /** Works a turn to its end. Rejects when the contender says that it failed. */
  turn(script: Script, metered: boolean): Promise<Turn>;
  /** Accepts a turn and returns; it goes on by itself. */
  begin(script: Script): Promise<void>;
  /** Puts so many messages, of the person and of the agent by turns, behind what is there. */
  seed(messages: number): Promise<void>;
  /** Resets the object in the middle of whatever it does. */
  die(): Promise<void>;
  /** A client that looks in. */
  ping(): Promise<void>;
}

/** Times in milliseconds of the isolate's clock. */
export interface Turn {
  readonly from: number;
  readonly to: number;
  readonly requests: readonly ModelRequestSeen[];
  readonly toolRuns: number;
  readonly rows: Rows;
}

/** The numbers of one turn: from the moment at which its message is handed over to the moment at which it has ended. */
export async function measureTurn(
  script: Script,
  metered: boolean,
  work: () => Promise<void>,
): Promise<Turn> {
  if (metered) startMeter();
  const from = Date.now();
  await work();
  const to = Date.now();
  const rows = metered ? readMeter() : { written: 0, read: 0 };
  const { requests, toolRuns } = journalOf(script.key);
  return { from, to, requests, toolRuns, rows };
}

/** A turn with the moment at which the worker opened the object for it. */
export interface AskedTurn extends Turn {
  readonly askedAt: number;
}

export type Order =
  | { readonly do: "turn"; readonly session: string; readonly script: Script; readonly metered: boolean }
  | { readonly do: "seed"; readonly session: string; readonly messages: number }
  | { readonly do: "reset"; readonly session: string }
  | { readonly do: "ping"; readonly session: string }
  | {
      readonly do: "recover";
      readonly session: string;
      readonly script: Script;
      /** milliseconds after the model was asked at which the object dies */
      readonly dieAfterMs: number;
      /** milliseconds after that at which a client looks in; null when none does */
      readonly touchAfterMs: number | null;
      /** milliseconds after which the recovery is given up */
      readonly withinMs: number;
    }
  | { readonly do: "crowd"; readonly scripts: readonly Script[] }
  /** answered with the stream of the turn, by who can be watched */
  | { readonly do: "stream"; readonly session: string; readonly script: Script };

export interface Recovery {
  /** milliseconds from the abort to the next model request; null when it did not come in time */
  readonly recoveredMs: number | null;
}

export interface Crowd {
  readonly from: number;
  readonly to: number;
  readonly finished: number;
  /** model requests of all turns */
  readonly requests: number;
  readonly failures: readonly string[];
}

type Open = (name: string) => Promise<BenchObject>;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const POLL_MS = 5;

/** A turn as its stream: server-sent events, each with a chunk of the AI SDK. */
export type Watch = (session: string, script: Script) => Promise<Response>;

const unwatched: Watch = () => Promise.reject(new Error("this contender is not watched"));

/** Carries out an order; the objects are opened anew for each, because one that was reset leaves its stub broken. */
export async function carryOut(
  order: Exclude<Order, { do: "stream" }>,
  open: Open,
): Promise<AskedTurn | Recovery | Crowd | null> {
  switch (order.do) {
    case "turn": {
      const askedAt = Date.now();
      return { askedAt, ...(await (await open(order.session)).turn(order.script, order.metered)) };
    }
    case "seed":
      await (await open(order.session)).seed(order.messages);
      return null;
    case "ping":
      await (await open(order.session)).ping();
      return null;
    case "reset":
      await kill(await open(order.session));
      return null;
    case "recover":
      return recover(order, open);
    case "crowd":
      return crowd(order.scripts, open);
  }
}

/** The call that kills an object cannot be answered by it. */
async function kill(object: BenchObject): Promise<void> {
  await object.die().then(
    () => Promise.reject(new Error("the object outlived its reset")),
    () => {},
  );
}

async function recover(order: Extract<Order, { do: "recover" }>, open: Open): Promise<Recovery> {
  const { requests } = journalOf(order.script.key);
  await (await open(order.session)).begin(order.script);
  const deadline = Date.now() + order.withinMs;
  while (requests.length === 0) {
    if (Date.now() > deadline) throw new Error("the model was never asked");
    await sleep(POLL_MS);
  }
  await sleep(order.dieAfterMs);
  const diedAt = Date.now();
  await kill(await open(order.session));
  if (order.touchAfterMs !== null) {
    await sleep(order.touchAfterMs);
    await (await open(order.session)).ping();
  }
  while (requests.length === 1 && Date.now() < deadline) await sleep(POLL_MS);
  const [, next] = requests;
  return { recoveredMs: next === undefined ? null : next.from - diedAt };
}

async function crowd(scripts: readonly Script[], open: Open): Promise<Crowd> {
  const from = Date.now();
  const turns = await Promise.allSettled(
    scripts.map(async (script) => (await open(script.key)).turn(script, false)),
  );
  const to = Date.now();
  const failures = turns.flatMap((turn) => (turn.status === "rejected" ? [String(turn.reason)] : []));
  const requests = scripts.reduce((sum, script) => sum + journalOf(script.key).requests.length, 0);
  return { from, to, finished: turns.length - failures.length, requests, failures: failures.slice(0, 3) };
}

/** The fetch handler of a bench worker: one order in, its numbers out. */
export async function answer(request: Request, open: Open, watch: Watch = unwatched): Promise<Response> {
  try {
    const order = await request.json<Order>();
    if (order.do === "stream") return await watch(order.session, order.script);
    return Response.json(await carryOut(order, open));
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return new Response(text, { status: 500 });
  }
}
