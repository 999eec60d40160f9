import { statSync } from "node:fs";
import path from "node:path";
import { PROJECT } from "../../src/cli/places.ts";
import { wrangler } from "./wrangler.ts";

/**
 * Makes worker-configuration.d.ts: the types of the runtime and of the bindings in wrangler.toml.
 * `--if-stale` leaves a file alone that is newer than what it is made from.
 */
const modified = (file: string): number =>
  statSync(path.join(PROJECT, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
const sources = ["wrangler.toml", "src/worker.ts", "node_modules/.package-lock.json"];
const fresh = modified("worker-configuration.d.ts") > Math.max(...sources.map(modified));
if (!(fresh && process.argv.includes("--if-stale"))) wrangler(["types"], "error");
