import { spawn } from "node:child_process";

/**
 * `node supervise.ts <command> [argument…]`: runs a command as long as the parent holds the other end of standard
 * input. Started `detached`, it leads its own process group, so that the five processes of `wrangler dev` end
 * together: on SIGTERM, and when the parent is killed.
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
