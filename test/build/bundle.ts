import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { WORKER_KIB_MAX, weighWorker } from "./worker-weight.ts";

/** Builds the worker as a deployment would, and refuses one that has grown: an isolate loads the bundle whenever it starts cold. */

const directory = mkdtempSync(path.join(tmpdir(), "cairn-bundle-"));
try {
  const { worker, onDemand } = weighWorker("wrangler.toml", directory);
  console.log(`The worker weighs ${worker} KiB gzipped, of ${WORKER_KIB_MAX} at most.`);
  console.log(`Loaded when it is asked for: ${onDemand} KiB.`);
  if (worker > WORKER_KIB_MAX) process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
