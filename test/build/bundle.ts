import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { wrangler } from "./wrangler.ts";

/** Builds the worker as a deployment would, and refuses one that has grown: an isolate loads the bundle whenever it starts cold. */
// The largest packages: 41 are zod, 11 cron, 9 agents (docs/decisions.md, Packages and weight).
// A new capability raises the gate by what it weighs, at most by 20: docs/decisions.md says each time by what.
const GZIP_KIB_MAX = 555;

const directory = mkdtempSync(path.join(tmpdir(), "cairn-bundle-"));
try {
  const said = wrangler(["deploy", "--dry-run", "--outdir", directory], "log");
  const all = Number(/gzip: ([\d.]+) KiB/.exec(said)?.[1]);
  if (Number.isNaN(all)) throw new Error(`wrangler names no size:\n${said}`);
  // What lies beside the worker costs a cold start nothing: it is compiled when it is asked for.
  const beside = globSync("*.mjs", { cwd: directory }).map((name) => path.join(directory, name));
  const later = beside.reduce((sum, file) => sum + gzipSync(readFileSync(file)).length / 1_024, 0);
  const gzip = Math.round((all - later) * 100) / 100;
  console.log(`The worker weighs ${gzip} KiB gzipped, of ${GZIP_KIB_MAX} at most.`);
  console.log(`Loaded when it is asked for: ${Math.round(later)} KiB.`);
  if (gzip > GZIP_KIB_MAX) process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
