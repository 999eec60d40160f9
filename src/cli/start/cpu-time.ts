import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** The CPU time of a process group: evidence that a program which prints nothing is at work. */

/** Linux counts in hundredths of a second on every common architecture. */
const TICK_MS = 10;
/** after the name in /proc/PID/stat (proc_pid_stat(5)): 3 pgrp, 12 to 15 utime, stime, cutime, cstime, counted from 1 */
const GROUP_FIELD = 2;
const TIME_FIELDS = [11, 12, 13, 14];
const PS_MS_MAX = 5_000;

/** In milliseconds; null if this system does not report it. */
export function cpuTimeOf(group: number): number | null {
  return process.platform === "linux" ? fromProc(group) : fromPs(group);
}

function fromProc(group: number): number | null {
  let total = 0;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const fields = statOf(name);
    if (Number(fields[GROUP_FIELD]) !== group) continue;
    for (const at of TIME_FIELDS) total += Number(fields[at] ?? 0) * TICK_MS;
  }
  return total;
}

/** The fields after the name, which may hold blanks and parentheses itself; none when the process has ended. */
function statOf(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

function fromPs(group: number): number | null {
  try {
    const rows = execFileSync("ps", ["-A", "-o", "pgid=", "-o", "time="], {
      encoding: "utf8",
      timeout: PS_MS_MAX,
    });
    return parsePs(rows, group);
  } catch {
    return null;
  }
}

/** Reads rows of `ps -o pgid= -o time=`; a time is `[[days-]hours:]minutes:seconds`. */
export function parsePs(rows: string, group: number): number {
  let total = 0;
  for (const row of rows.split("\n")) {
    const [pgid, time = ""] = row.trim().split(/\s+/);
    if (Number(pgid) !== group) continue;
    const [clock = "", days = "0"] = time.split("-").toReversed();
    const seconds = clock.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
    total += (Number(days) * 86_400 + seconds) * 1_000;
  }
  return total;
}
