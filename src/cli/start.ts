import { applyMigrations, freePort, isPortFree, startDevServer, type DevServer } from "./dev-server.ts";
import { banner } from "./banner.ts";
import { fetchHealth } from "./health.ts";
import { parseStartOptions, START_USAGE, type StartOptions } from "./start-options.ts";
import { LOG_START, sift } from "./wrangler-log.ts";

/** `npm start`: a whole Cairn on this machine, from an empty checkout to an address to open. */

const PARENT_CHECK_MS = 1_000;
/** so many restarts within so long are a fault that a restart does not mend */
const RESTARTS_MAX = 3;
const RESTART_WINDOW_MS = 60_000;

async function start(options: StartOptions): Promise<number> {
  if (!(await isPortFree(options.port))) {
    console.error(await portTaken(options.port));
    return 1;
  }
  const stopped = whenAskedToStop();
  console.log("Starting Cairn …");
  const server = await Promise.race([bringUp(options), stopped]);
  // Whatever was being started ends with this process: the leash sees to it.
  if (server === "asked") return 0;

  const first = await Promise.race([greet(server), stopped, server.ended]);
  if (first === "greeted") return keepUp(server, options, stopped);
  await server.stop();
  return first === "asked" ? 0 : endedByItself(server);
}

/**
 * `wrangler dev` may end as a whole over a fault of its own. What it served is on disk, so it is started again, and open
 * pages come back by themselves; not for ever, or a fault of ours would hide.
 */
async function keepUp(first: DevServer, options: StartOptions, stopped: Promise<"asked">): Promise<number> {
  const restarts: number[] = [];
  for (let server = first; ;) {
    const why = await Promise.race([stopped, server.ended]);
    await server.stop();
    if (why === "asked") return 0;
    const now = Date.now();
    restarts.push(now);
    if (restarts.filter((at) => now - at < RESTART_WINDOW_MS).length > RESTARTS_MAX)
      return endedByItself(server);
    console.error("The dev server ended by itself. Starting it again; nothing is lost.");
    const next = await Promise.race([launch(options), stopped]);
    if (next === "asked") return 0;
    console.error("It is back.");
    server = next;
  }
}

function endedByItself(server: DevServer): number {
  console.error(
    `The local server ended by itself. Its last words:\n${server.log().split("\n").slice(-20).join("\n")}`,
  );
  return 1;
}

async function bringUp(options: StartOptions): Promise<DevServer> {
  await applyMigrations(options.persistTo);
  return launch(options);
}

async function launch(options: StartOptions): Promise<DevServer> {
  let filter = LOG_START;
  return startDevServer({
    ...options,
    inspectorPort: options.inspectorPort ?? (await freePort()),
    onLine: (line) => {
      const next = sift(filter, line);
      filter = next.filter;
      if (options.verbose || next.show) console.error(line);
    },
  });
}

/** The first look at the site makes the worker write its seed content, so that the address printed is not empty. */
async function greet(server: DevServer): Promise<"greeted"> {
  const site = await fetch(`${server.url}/site/`).then(
    async (response) => ({ status: response.status, text: await response.text() }),
    (error: unknown) => ({ status: 0, text: String(error) }),
  );
  if (site.status !== 200)
    console.error(`The site does not answer yet (${site.status}): ${site.text.slice(0, 400)}`);
  const answer = await fetchHealth(server.url);
  console.log(banner(server.url, answer.kind === "cairn" ? answer.health : null));
  return "greeted";
}

async function portTaken(port: number): Promise<string> {
  const url = `http://127.0.0.1:${port}`;
  const answer = await fetchHealth(url);
  return answer.kind === "cairn"
    ? `Cairn already runs at ${url}. To run a second one: npm start -- --port ${port + 1} --persist-to <other folder>`
    : `Port ${port} is taken by another program. Choose another one: npm start -- --port ${port + 1}`;
}

/** Resolves on Ctrl-C, on SIGTERM and SIGHUP, and when the process that started this one is gone. */
function whenAskedToStop(): Promise<"asked"> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve("asked"));
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) resolve("asked");
    }, PARENT_CHECK_MS).unref();
  });
}

const parsed = parseStartOptions(process.argv.slice(2));
if (parsed.kind === "options") {
  const code = await start(parsed.options).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  });
  process.exit(code);
} else if (parsed.kind === "help") console.log(START_USAGE);
else {
  console.error(`${parsed.problem}\n\n${START_USAGE}`);
  process.exitCode = 2;
}
