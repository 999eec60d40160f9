import { spawn, type ChildProcess } from "node:child_process";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { plainText, stepOf } from "./wrangler-log.ts";
import { MODULE, PROJECT } from "../places.ts";
import { awaitStart } from "./await-start.ts";
import { loadFault } from "./load-fault.ts";

/**
 * A server of wrangler on this machine, without an account and without a network (`dev-worker.ts`).
 * Owns the process group of one server; `npm start` and the end-to-end tests both use it.
 */

/** where Node keeps wrangler in a compiled form from one start to the next */
const COMPILED = path.join(PROJECT, "node_modules/.cache/compiled");

const STOP_MS_MAX = 5_000;
const LOG_LINES_MAX = 2_000;

export interface DevServerOptions {
  readonly port: number;
  /** null or absent: no inspector. Whatever attaches to one needs no key, and reads all secrets of the worker. */
  readonly inspectorPort?: number | null;
  /** where the local databases live; null takes wrangler's own place, `.wrangler/state` */
  readonly persistTo: string | null;
  /** another worker than Cairn's own: its wrangler.toml */
  readonly config?: string;
  /** `KEY:VALUE`, split at the first colon */
  readonly vars: readonly string[];
  /** in place of .dev.vars, which is of this machine */
  readonly envFile?: string;
  readonly onLine?: (line: string) => void;
  /** gets a line every ten seconds until it listens: which step it is at */
  readonly onWait?: (line: string) => void;
  /**
   * the longest wait until it listens, for an unattended server; otherwise the wait lasts as long as it makes
   * progress
   */
  readonly readyMsMax?: number;
}

export interface DevServer {
  readonly url: string;
  /** of the process group */
  readonly pid: number;
  /** resolves when it listens; rejects with its last output when it ends before that, or makes no progress any more */
  readonly ready: Promise<void>;
  /** resolves when the server has ended, however that came */
  readonly ended: Promise<void>;
  /** the last lines that it printed, without colours */
  log(): string;
  /** SIGTERM, then SIGKILL after five seconds; resolves when the group is gone */
  stop(): Promise<void>;
  /** SIGKILL of the whole group: what a power cut does */
  kill(): Promise<void>;
}

/** The options of one `dev-worker.ts`. */
export interface WorkerOptions {
  readonly port: number;
  /** null: no inspector */
  readonly inspectorPort: number | null;
  /** null: `.wrangler/state` */
  readonly persistTo: string | null;
  /** name → value */
  readonly vars: Readonly<Record<string, string>>;
  readonly config: string | null;
  readonly envFile: string | null;
}

/** The environment variable that carries them as JSON. Every user of the machine can read arguments, but not this. */
export const WORKER_OPTIONS = "CAIRN_DEV_WORKER";

/** The environment of every wrangler: our Node first, no telemetry, no fetch to Cloudflare, no tracing. */
export function quietEnvironment(): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _, ...inherited } = process.env;
  return {
    ...inherited,
    PATH: [path.join(PROJECT, "node_modules/.bin"), process.env["PATH"] ?? ""].join(path.delimiter),
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_HIDE_BANNER: "true",
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    X_LOCAL_OBSERVABILITY: "false",
    // A door without a lock to every session, database and bucket.
    X_LOCAL_EXPLORER: "false",
    NO_COLOR: "1",
    NODE_COMPILE_CACHE: COMPILED,
  };
}

/** A free port of the loopback interface. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        address !== null && typeof address === "object"
          ? resolve(address.port)
          : reject(new Error("the probe has no port")),
      );
    });
  });
}

/** Applies migrations to the local D1. Throws with wrangler's message on failure. */
export async function applyMigrations(
  persistTo: string | null,
  onWait: (line: string) => void = () => {},
): Promise<void> {
  const child = superviseWrangler(["d1", "migrations", "apply", "DB", "--local", ...persistence(persistTo)]);
  const group = child.pid;
  if (group === undefined) throw new Error("Wrangler could not be started.");
  const lines = collect(child);
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  const starting = {
    group,
    lines: () => lines.count(),
    step: () => "bringing the local database up to date",
  };
  const code = await awaitStart(closed, starting, onWait);
  if (code === 0) return;
  let why = "The migrations of the local database failed.";
  if (code !== null && typeof code === "object") {
    signalGroup(group, "SIGKILL", false);
    await closed;
    why = `${why} ${code.reason}`;
  }
  throw new Error(`${why}\n${lines.last().join("\n")}`);
}

/** Starts a server and waits until it listens. Throws with its last output when it ends before that, or hangs. */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const server = launchDevServer(options);
  await server.ready;
  return server;
}

/** Starts a server without waiting for it: a session may be at work before it listens. Throws when nothing can be started. */
export function launchDevServer(options: DevServerOptions): DevServer {
  const child = superviseWorker({
    port: options.port,
    inspectorPort: options.inspectorPort ?? null,
    persistTo: options.persistTo,
    vars: Object.fromEntries(options.vars.map(splitVariable)),
    config: options.config ?? null,
    envFile: options.envFile ?? null,
  });
  const pid = child.pid;
  if (pid === undefined) throw new Error("Wrangler could not be started.");

  let over = false;
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve())).then(() => {
    over = true;
  });
  let listening = () => {};
  const ready = new Promise<"ready">((resolve) => {
    listening = () => resolve("ready");
  });
  // Wrangler goes on after such a fault, and waits for another version of the file.
  let refuse = () => {};
  const faulty = new Promise<"faulty">((resolve) => {
    refuse = () => resolve("faulty");
  });
  let step = "loading wrangler";
  const lines = collect(child, (line) => {
    step = stepOf(line) ?? step;
    if (line.includes("Ready on ")) listening();
    if (loadFault(plainText(line)) !== null) refuse();
    options.onLine?.(line);
  });

  const log = (): string => lines.last().map(plainText).join("\n");
  const kill = async (): Promise<void> => {
    signalGroup(pid, "SIGKILL", over);
    await ended;
  };
  const up = async (): Promise<void> => {
    const starting = { group: pid, lines: () => lines.count(), step: () => step };
    const event = Promise.race([ready, faulty, ended.then(() => "ended" as const)]);
    const outcome = await awaitStart(event, starting, options.onWait, options.readyMsMax);
    if (outcome === "ready") return;
    await kill();
    const fault = loadFault(log());
    if (fault !== null) throw new Error(`${fault.what}\n${fault.fix}`);
    const why = typeof outcome === "string" ? `It ended: ${step}.` : outcome.reason;
    throw new Error(`The local server did not come up. ${why}\n${log()}`);
  };
  const listens = up();
  // A caller that kills the server early does not wait for this promise.
  listens.catch(() => {});

  return {
    url: `http://127.0.0.1:${options.port}`,
    pid,
    ready: listens,
    ended,
    log,
    kill,
    async stop() {
      signalGroup(pid, "SIGTERM", over);
      const late = setTimeout(() => signalGroup(pid, "SIGKILL", over), STOP_MS_MAX);
      await ended;
      clearTimeout(late);
    },
  };
}

/** `KEY:VALUE` as its two parts. */
function splitVariable(text: string): readonly [name: string, value: string] {
  const colon = text.indexOf(":");
  return colon < 0 ? [text, ""] : [text.slice(0, colon), text.slice(colon + 1)];
}

function superviseWrangler(args: readonly string[]): ChildProcess {
  // Resolved and run by our own Node: the shim in .bin would take whatever `node` it finds.
  const require = createRequire(import.meta.url);
  const bin = path.join(path.dirname(require.resolve("wrangler/package.json")), "bin/wrangler.js");
  return supervise([bin, ...args], {});
}

const superviseWorker = (options: WorkerOptions): ChildProcess =>
  supervise([path.join(import.meta.dirname, `dev-worker${MODULE}`)], {
    [WORKER_OPTIONS]: JSON.stringify(options),
  });

function supervise(script: readonly string[], more: Readonly<Record<string, string>>): ChildProcess {
  const supervisor = path.join(import.meta.dirname, `supervise${MODULE}`);
  return spawn(process.execPath, [supervisor, process.execPath, ...script], {
    cwd: PROJECT,
    env: { ...quietEnvironment(), ...more },
    detached: true,
    // The supervisor ends the group when this pipe closes, which it does with this process.
    stdio: ["pipe", "pipe", "pipe"],
  });
}

function persistence(persistTo: string | null): string[] {
  return persistTo === null ? [] : ["--persist-to", persistTo];
}

interface Lines {
  /** the last ones */
  last(): readonly string[];
  /** of all that were printed */
  count(): number;
}

function collect(child: ChildProcess, onLine: (line: string) => void = () => {}): Lines {
  const lines: string[] = [];
  let count = 0;
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on("line", (line) => {
      count += 1;
      lines.push(line);
      if (lines.length > LOG_LINES_MAX) lines.shift();
      onLine(line);
    });
  }
  return { last: () => lines, count: () => count };
}

function signalGroup(pid: number, signal: "SIGTERM" | "SIGKILL", over: boolean): void {
  // Once the group is gone its ID may be reused.
  if (over) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
