import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { Stopped } from "../site/client.ts";

/**
 * Locks a results file for this process, by a lock file that names the process; resolves to the function that unlocks
 * it. The lock of a dead process is taken over. Throws `Stopped` while another process has it.
 */
export async function lockResults(file: string): Promise<() => Promise<void>> {
  const lock = `${file}.lock`;
  for (;;) {
    if (await write(lock)) return () => rm(lock, { force: true });
    const holder = await holderOf(lock);
    if (holder !== "gone" && (holder === "" || isAlive(Number(holder)))) throw taken(file, holder);
    if (holder !== "gone") await putAside(file, holder);
  }
}

/** False where the lock is there already. */
async function write(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** The id of a process; empty for one that is just writing it. */
async function holderOf(lock: string): Promise<string> {
  try {
    return (await readFile(lock, "utf8")).trim();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "gone";
    throw error;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists and belongs to another user.
    return codeOf(error) === "EPERM";
  }
}

/** Removes the lock of a dead process. Another process may have replaced it meanwhile: that lock stays. */
async function putAside(file: string, dead: string): Promise<void> {
  const lock = `${file}.lock`;
  const aside = `${lock}.${process.pid}`;
  try {
    await rename(lock, aside);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  const moved = await holderOf(aside);
  if (moved === dead) return rm(aside);
  await rename(aside, lock);
  throw taken(file, moved);
}

const taken = (file: string, holder: string): Stopped =>
  new Stopped(
    `Another npm run rollouts writes to ${file}${holder === "" ? "" : ` (process ${holder})`}. Wait for it, or name another file with --out. If there is none, delete ${file}.lock.`,
  );

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;
