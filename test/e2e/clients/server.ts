import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, inject } from "vitest";
import { buildWorker } from "./built.ts";
import { freePort, launchDevServer, type DevServer } from "../../../src/cli/start/dev-server.ts";

/**
 * A real server for a test file: `wrangler dev` on a directory and a port of its own, which can be killed as a power
 * cut would, and started again on what is left.
 */
export interface TestServer {
  /** the same before and after a restart */
  readonly url: string;
  /** where its databases are (`--persist-to`) */
  readonly directory: string;
  /** SIGKILL of the whole process group */
  kill(): Promise<void>;
  /** starts it again on the same directory and port; resolves when it listens */
  start(): Promise<void>;
  /** as `start`, without waiting: what it works at before it listens is part of its life */
  launch(onLine?: (line: string) => void): DevServer;
  /** what all its lives have printed */
  log(): string;
}

/**
 * Brings a server up before the tests of a file (or of a `describe`) and takes everything away after them. `vars` is
 * asked late, so that it can name what an earlier `beforeAll` started. `script` is a worker in place of the project's own.
 * When a test fails, the server's output is printed.
 */
export function useServer(vars: () => readonly string[] = () => [], script?: string): TestServer {
  let directory = "";
  let config = "";
  let port = 0;
  let running: DevServer | null = null;
  const lives: (() => string)[] = [];

  const server: TestServer = {
    get url() {
      return `http://127.0.0.1:${port}`;
    },
    get directory() {
      return directory;
    },
    async kill() {
      const before = running;
      running = null;
      await before?.kill();
    },
    start: () => server.launch().ready,
    launch(onLine) {
      if (running !== null) throw new Error("it runs already");
      running = launchDevServer({
        port,
        persistTo: directory,
        vars: ["ALLOW_ANONYMOUS:true", ...vars()],
        config,
        ...(onLine === undefined ? {} : { onLine }),
      });
      lives.push(running.log);
      return running;
    },
    log: () => lives.map((each, at) => `--- life ${at + 1} ---\n${each()}`).join("\n"),
  };

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "cairn-e2e-"));
    port = await freePort();
    config = script === undefined ? inject("built") : buildWorker(path.join(directory, "worker"), script);
    await cp(inject("migrated"), directory, { recursive: true });
    await server.start();
    // The first look at the site writes its seed content.
    await (await fetch(`${server.url}/site/`)).text();
  });
  afterEach(({ task }) => {
    if (task.result?.state === "fail") console.error(server.log());
  });
  afterAll(async () => {
    const last = running;
    running = null;
    await last?.stop();
    if (directory !== "") await rm(directory, { recursive: true, force: true });
  });
  return server;
}
