import { startOf } from "../../cairn/core/text/cut.ts";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { PROJECT } from "../places.ts";
import { applyMigrations, freePort, startDevServer, type DevServer } from "./dev-server.ts";
import { banner } from "./banner.ts";
import { awaitStart } from "./await-start.ts";
import { runCron } from "./cron.ts";
import { openLocalProxy, type LocalProxy } from "./local-proxy.ts";
import { findModels, foundLines } from "./found-models.ts";
import { fetchHealth, hasSite } from "./health.ts";
import { watchServer } from "./watch-server.ts";
import { parseStartOptions, runCommand, START_USAGE, type StartOptions } from "./start-options.ts";
import { localPushKeys } from "./push-keys.ts";
import { watchEdits, type Edits } from "./reload.ts";
import { isReloaded, LOG_START, sift } from "./wrangler-log.ts";

/** `npm start`: a whole Cairn on this machine, from an empty checkout to an address to open. */

/** how often it is looked for what is to be published at a time */
const CRON_MS = 60_000;
const PARENT_CHECK_MS = 1_000;
/** for the first look at the worker, which a busy machine may keep waiting */
const HEALTH_MS_MAX = 120_000;
/** so many restarts within so long are a fault that a restart does not fix */
const RESTARTS_MAX = 3;
const RESTART_WINDOW_MS = 60_000;

/** The parts that outlive one dev server. */
interface Cairn {
  readonly options: StartOptions;
  readonly proxy: LocalProxy;
  readonly edits: Edits;
}

async function start(options: StartOptions): Promise<number> {
  const key = randomBytes(24).toString("base64url");
  const proxy = await openLocalProxy(options.port, key).catch(async (error: unknown) => {
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    console.error(await portTaken(options.port));
    return null;
  });
  if (proxy === null) return 1;
  const vars = [
    ...pushVariables(options),
    ...(options.demoWeb ? await demoVariables() : []),
    ...options.vars,
    `LOCAL_KEY:${key}`,
  ];
  // Chosen once: a restart of the server leaves a debugger where it was.
  const inspectorPort = options.inspect ? (options.inspectorPort ?? (await freePort())) : null;
  if (inspectorPort !== null)
    console.log(
      `Debugger: http://127.0.0.1:${inspectorPort}. It asks for no key: whatever runs on this machine can attach, and read every secret.`,
    );
  const cairn: Cairn = {
    options: { ...options, vars, inspectorPort },
    proxy,
    edits: watchEdits(vars, console.log),
  };
  const stopped = untilInterrupted();
  console.log("Starting Cairn…");
  const server = await Promise.race([bringUp(cairn), stopped]);
  // Whatever was being started ends with this process: the leash sees to it.
  if (server === "asked") return 0;

  const first = await Promise.race([greet(server, proxy.url, options), stopped, server.ended]);
  if (first === "greeted") return runServers(server, cairn, stopped);
  await server.stop();
  return first === "asked" ? 0 : endedByItself(server);
}

/** Starts the demo web, which ends with this process, and returns the variables that point the worker to it. */
async function demoVariables(): Promise<readonly string[]> {
  // The search needs a development package, which not every user of `npm start` has.
  const { startDemoWeb, variablesOf } = await import("../../../scripts/demo-web/server.ts");
  const web = await startDemoWeb();
  return Object.entries(variablesOf(web)).map(([name, value]) => `${name}:${value}`);
}

function pushVariables({ persistTo, vars }: StartOptions): readonly string[] {
  const devVars = path.join(PROJECT, ".dev.vars");
  return localPushKeys(
    persistTo ?? path.join(PROJECT, ".wrangler/state"),
    vars,
    existsSync(devVars) ? readFileSync(devVars, "utf8") : null,
  );
}

/**
 * `wrangler dev` may crash. Its data is on disk, so it is restarted, and open pages reconnect; not forever, because
 * that would hide a fault of ours.
 */
async function runServers(first: DevServer, cairn: Cairn, stopped: Promise<"asked">): Promise<number> {
  const restarts: number[] = [];
  for (let server = first; ;) {
    // At a breakpoint of a debugger nothing answers.
    const watch = cairn.options.inspectorPort == null ? watchServer(server.url) : null;
    const why = await Promise.race([stopped, server.ended, ...(watch === null ? [] : [watch.hangs])]);
    watch?.stop();
    if (why === "hangs") console.error("The local server does not answer any more. Stopping it.");
    await server.stop();
    if (why === "asked") return 0;
    const now = Date.now();
    restarts.push(now);
    if (restarts.filter((at) => now - at < RESTART_WINDOW_MS).length > RESTARTS_MAX)
      return endedByItself(server);
    console.error("The local server stopped unexpectedly. Restarting it; nothing is lost.");
    const next = await Promise.race([launch(cairn), stopped]);
    if (next === "asked") return 0;
    console.error("The local server runs again.");
    server = next;
  }
}

function endedByItself(server: DevServer): number {
  console.error(
    `The local server stopped unexpectedly. The end of its output:\n${server.log().split("\n").slice(-20).join("\n")}`,
  );
  return 1;
}

async function bringUp(cairn: Cairn): Promise<DevServer> {
  await applyMigrations(cairn.options.persistTo, console.log);
  return launch(cairn);
}

async function launch({ options, proxy, edits }: Cairn): Promise<DevServer> {
  let filter = LOG_START;
  const port = await freePort();
  const server = await startDevServer({
    ...options,
    port,
    onWait: console.log,
    onLine: (line) => {
      const next = sift(filter, line);
      filter = next.filter;
      if (options.verbose || next.show) console.error(line);
      if (isReloaded(line)) edits.loaded();
    },
  });
  proxy.forwardTo(port);
  runCron(server, CRON_MS);
  return server;
}

/** The first look at a site makes the worker write its seed content, so that the address printed is not empty. */
async function greet(server: DevServer, url: string, { demoWeb }: StartOptions): Promise<"greeted"> {
  const patiently = <Value>(event: Promise<Value>, step: string) =>
    awaitStart(event, { group: server.pid, lines: () => 0, step: () => step }, console.log);
  const answer = await patiently(fetchHealth(url, HEALTH_MS_MAX), "asking the worker how it is");
  const health = "kind" in answer && answer.kind === "cairn" ? answer.health : null;
  if (health !== null && hasSite(health)) {
    const warmUp = fetch(`${url}/site/`).then(
      async (response) => ({ status: response.status, text: await response.text() }),
      (error: unknown) => ({ status: 0, text: String(error) }),
    );
    const site = await patiently(warmUp, "writing the sample site");
    if ("reason" in site) console.error(`The site does not answer yet. ${site.reason}`);
    else if (site.status !== 200)
      console.error(`The site does not answer yet (${site.status}): ${startOf(site.text, 400)}`);
  }
  console.log(banner(url, health, demoWeb));
  if (health?.rules === true) for (const line of foundLines(await findModels(process.env))) console.log(line);
  return "greeted";
}

async function portTaken(port: number): Promise<string> {
  const url = `http://127.0.0.1:${port}`;
  const answer = await fetchHealth(url);
  return answer.kind === "cairn"
    ? `Cairn is already running at ${url}. To run a second one: npm start -- --port ${port + 1} --persist-to <other folder>`
    : `Port ${port} is in use by another program. Choose another port: npm start -- --port ${port + 1}`;
}

/** Resolves on Ctrl-C, on SIGTERM and SIGHUP, and when the process that started this one is gone. */
function untilInterrupted(): Promise<"asked"> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve("asked"));
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) resolve("asked");
    }, PARENT_CHECK_MS).unref();
  });
}

await runCommand(parseStartOptions(process.argv.slice(2)), START_USAGE, async (options) =>
  process.exit(
    await start(options).catch((error: unknown) => {
      console.error(error instanceof Error ? error.message : error);
      return 1;
    }),
  ),
);
