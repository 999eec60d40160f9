import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { createTestHarness } from "wrangler";
import { CONTENDERS, type Name } from "./contenders.ts";
import type { Crowd, Order, Recovery, Turn } from "./worker/bench.ts";
import type { Script } from "./worker/script.ts";

/** One workerd with the workers of some contenders in it, each in an isolate of its own; nothing of it outlives `close`. */
export interface Bench {
  turn(name: Name, session: string, script: Script, metered?: boolean): Promise<Turn>;
  recover(name: Name, order: Omit<Extract<Order, { do: "recover" }>, "do">): Promise<Recovery>;
  crowd(name: Name, scripts: readonly Script[]): Promise<Crowd>;
  /** A turn as a client sees it: milliseconds from each delta's leaving the model to its arrival here. */
  stream(name: Name, session: string, script: Script): Promise<readonly number[]>;
  seed(name: Name, session: string, messages: number): Promise<void>;
  reset(name: Name, session: string): Promise<void>;
  /** CPU time of the server's processes since they started, in milliseconds; in steps of 10 */
  cpuMs(): number;
  /** resident memory of the server's processes, in MiB */
  rssMib(): number;
  close(): Promise<void>;
}

const ORDER_MS_MAX = 600_000;
const TICK_MS = 10;
const KIB_PER_MIB = 1_024;

export async function openBench(names: readonly Name[]): Promise<Bench> {
  const before = workerds();
  const harness = createTestHarness({
    workers: names.map((name) => ({
      configPath: path.join(import.meta.dirname, CONTENDERS[name].config),
    })),
  });
  await harness.listen();
  const own = workerds().filter((pid) => !before.includes(pid));

  const order = <Result>(name: Name, body: Order): Promise<Result> =>
    postOrder(name, (init) => harness.getWorker(name).fetch("http://bench/", init), body);

  return {
    async turn(name, session, script, metered = false) {
      const turn = await order<Turn>(name, { do: "turn", session, script, metered });
      checkTurn(name, script, turn);
      return turn;
    },
    recover: (name, rest) => order(name, { do: "recover", ...rest }),
    async crowd(name, scripts) {
      const crowd = await order<Crowd>(name, { do: "crowd", scripts });
      const asked = scripts.reduce((sum, script) => sum + script.calls, 0);
      if (crowd.failures.length === 0 && crowd.requests !== asked) {
        throw new Error(`${name}: ${crowd.requests} model calls instead of ${asked}`);
      }
      return crowd;
    },
    async stream(name, session, script) {
      const init = { method: "POST", body: JSON.stringify({ do: "stream", session, script }) };
      const response = await harness.getWorker(name).fetch("http://bench/", init);
      const delays = await delaysOf(response);
      if (delays.length !== script.deltas)
        throw new Error(`${name}: ${delays.length} of ${script.deltas} deltas came`);
      return delays;
    },
    seed: (name, session, messages) => order(name, { do: "seed", session, messages }),
    reset: (name, session) => order(name, { do: "reset", session }),
    cpuMs: () => own.reduce((sum, pid) => sum + cpuTicks(pid), 0) * TICK_MS,
    rssMib: () => own.reduce((sum, pid) => sum + rssKib(pid), 0) / KIB_PER_MIB,
    close: () => harness.close(),
  };
}

/** Reads a stream of chunks to its end, and holds each stamp in its text against the clock when it came. */
async function delaysOf(response: Streamed): Promise<readonly number[]> {
  if (!response.ok || response.body === null) throw new Error(await response.text());
  const decoder = new TextDecoder();
  const delays: number[] = [];
  let lines = "";
  let text = "";
  for await (const bytes of response.body) {
    const now = Date.now();
    lines += decoder.decode(bytes, { stream: true });
    const whole = lines.slice(0, lines.lastIndexOf("\n") + 1);
    lines = lines.slice(whole.length);
    for (const line of whole.split("\n")) text += textOf(line);
    const stamps = [...text.matchAll(STAMP)];
    for (const [, at] of stamps) delays.push(now - Number(at));
    text = text.slice(text.lastIndexOf(" ") + 1);
  }
  return delays;
}

interface Streamed extends Pick<Response, "ok" | "text"> {
  readonly body: AsyncIterable<Uint8Array> | null;
}

const STAMP = /\[(\d{13})\] /g;

function textOf(line: string): string {
  if (!line.startsWith("data: {")) return "";
  const chunk = JSON.parse(line.slice("data: ".length)) as { readonly type: string; readonly delta?: string };
  return chunk.type === "text-delta" ? (chunk.delta ?? "") : "";
}

interface Posted {
  readonly method: "POST";
  readonly body: string;
  readonly signal: AbortSignal;
}

/** Sends an order to a bench worker and returns its numbers. Rejects with what the worker says when it fails. */
export async function postOrder<Result>(
  name: Name,
  send: (init: Posted) => Promise<Pick<Response, "ok" | "text">>,
  order: Order,
): Promise<Result> {
  const body = JSON.stringify(order);
  const response = await send({ method: "POST", body, signal: AbortSignal.timeout(ORDER_MS_MAX) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${name}: ${text}`);
  return JSON.parse(text) as Result;
}

/** Nobody gets a number for work that was not done. */
function checkTurn(name: Name, script: Script, turn: Turn): void {
  const tools = name === "alarms" ? 0 : (script.calls - 1) * script.toolsPerCall;
  const answered = turn.requests.filter((request) => request.to !== null).length;
  if (turn.requests.length !== script.calls || answered !== script.calls || turn.toolRuns !== tools) {
    throw new Error(
      `${name}: ${turn.requests.length} model calls, ${answered} answered, ${turn.toolRuns} tool runs; asked for ${JSON.stringify(script)}`,
    );
  }
}

let turns = 0;

/** A script that no other turn has; without more, one call of a few deltas that answers. */
export function createScript(more: Partial<Omit<Script, "key">> = {}): Script {
  return {
    key: `turn-${process.pid}-${turns++}`,
    calls: 1,
    toolsPerCall: 1,
    deltas: 4,
    thinkMs: 0,
    hangs: false,
    paceMs: 0,
    ...more,
  };
}

/** The workerd processes that this one has started. */
function workerds(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const [name, , parent] = statOf(pid);
      return name === "workerd" && Number(parent) === process.pid;
    });
}

/** Name of the program, then the fields of /proc/<pid>/stat that follow it; empty for a process that is gone. */
function statOf(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
    return [
      name,
      ...text
        .slice(text.lastIndexOf(")") + 2)
        .trim()
        .split(" "),
    ];
  } catch {
    return [];
  }
}

/** User and system time, in the kernel's ticks of 1/100 s. */
function cpuTicks(pid: number): number {
  const fields = statOf(pid);
  return Number(fields[12] ?? 0) + Number(fields[13] ?? 0);
}

function rssKib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
}
