import { spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { LIBRARY, PROJECT } from "../places.ts";
import { STILL } from "../start/progress.ts";

/** `npm start` for the demo: a child process that ends with this one. */
export interface DemoServer {
  /** resolves when it listens; rejects with its last lines when it ends before */
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  /** Stops the server; resolves to how it ended. */
  stop(): Promise<"stopped" | "killed">;
}

const UP = "Cairn is running.";
const STOP_MS_MAX = 12_000;
const LINES_MAX = 40;

/** `trouble` gets its complaints once it is up, and until then a line for each wait: which step of its start it is at. */
export function startServer(options: readonly string[], trouble: (line: string) => void): DemoServer {
  const folder = path.join(LIBRARY, "src/cli");
  const script = ["--require", path.join(folder, "require-node.cjs"), path.join(folder, "start/start.ts")];
  // In its own process group: Ctrl-C goes to the demo, which asks for the running work before it stops the server.
  const child = spawn(process.execPath, [...script, ...options], {
    cwd: PROJECT,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  let isUp = false;
  let up = (): void => {};
  const listens = new Promise<"up">((resolve) => (up = () => resolve("up")));
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    if (line.includes(UP)) up();
    if (line.startsWith(STILL)) trouble(line);
  });
  createInterface({ input: child.stderr }).on("line", (line) => {
    lines.push(line);
    if (isUp) trouble(line);
  });
  const ended = new Promise<void>((resolve) => {
    child.once("close", () => resolve()).once("error", () => resolve());
  });
  const ready = Promise.race([listens, ended.then(() => "ended" as const)]).then((outcome) => {
    isUp = outcome === "up";
    if (!isUp) throw new Error(`Cairn did not start.\n${lines.slice(-LINES_MAX).join("\n")}`);
  });
  ready.catch(() => {});
  return {
    ready,
    ended,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return "stopped";
      child.kill("SIGTERM");
      let late: NodeJS.Timeout | undefined;
      const killed = new Promise<"killed">((resolve) => {
        late = setTimeout(() => {
          child.kill("SIGKILL");
          resolve("killed");
        }, STOP_MS_MAX);
      });
      const how = await Promise.race([ended.then(() => "stopped" as const), killed]);
      clearTimeout(late);
      await ended;
      return how;
    },
  };
}
