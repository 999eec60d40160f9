import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { wrangler } from "./wrangler.ts";

/**
 * The most that the sample may weigh. The largest packages: 49 are zod, 11 croner, 9 agents. A new capability raises it by its own
 * weight, at most by 20.
 */
export const WORKER_KIB_MAX = 555;

/** Size of a worker as `wrangler deploy --dry-run` builds it, KiB gzipped. */
export interface WorkerWeight {
  /** loaded whenever an isolate starts */
  readonly worker: number;
  /** modules uploaded with it, and loaded on demand */
  readonly onDemand: number;
}

/** Builds a worker into `directory`, which is empty, and weighs it. Throws with wrangler's output when it fails. */
export function weighWorker(config: string, directory: string): WorkerWeight {
  const printed = wrangler(["deploy", "--dry-run", "-c", config, "--outdir", directory], "log");
  const all = Number(/gzip: ([\d.]+) KiB/.exec(printed)?.[1]);
  if (Number.isNaN(all)) throw new Error(`wrangler names no size:\n${printed}`);
  const onDemand = globSync("*.mjs", { cwd: directory })
    .map((name) => gzipSync(readFileSync(path.join(directory, name))).length / 1_024)
    .reduce((sum, kib) => sum + kib, 0);
  return { worker: Math.round((all - onDemand) * 100) / 100, onDemand: Math.round(onDemand) };
}
