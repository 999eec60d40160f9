import { spawn } from "node:child_process";

/**
 * `node supervise.ts <command> [argument…]`: runs a command for as long as somebody holds the other end of standard
 * input. Started `detached`, it leads a process group of its own, so that the five processes of `wrangler dev`
 * end together: when the holder asks (SIGTERM), and when the holder dies in a way that leaves it no last word.
 */

const STOP_MS_MAX = 3_000;

const [command, ...rest] = process.argv.slice(2);
if (command === undefined) throw new Error("No command was given.");

const child = spawn(command, rest, { stdio: ["ignore", "inherit", "inherit"] });
let stopping = false;

function stop(): void {
  if (stopping) return;
  stopping = true;
  child.kill("SIGTERM");
  // A process that ignores the signal is killed with the whole group, this process included.
  setTimeout(() => process.kill(-process.pid, "SIGKILL"), STOP_MS_MAX).unref();
}

child.on("error", (error) => {
  console.error(`Cannot start ${command}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code) => {
  const wasStopping = stopping;
  stopping = true;
  // A command that crashed leaves its own children behind.
  process.kill(-process.pid, "SIGTERM");
  process.exit(wasStopping ? 0 : (code ?? 1));
});
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, stop);
process.stdin.on("close", stop).on("error", stop).resume();
