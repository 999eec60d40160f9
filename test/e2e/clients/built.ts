import { readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PROJECT } from "../../../src/cli/places.ts";
import { wrangler } from "../../build/wrangler.ts";

/**
 * Edits that make the project's configuration serve the finished build next to it. A server that bundles the sources
 * itself needs seconds of processor time at each start, and the tests start more than a hundred.
 */
const EDITS: readonly (readonly [was: RegExp, is: string])[] = [
  [/^main = .*$/m, 'main = "worker.js"\nno_bundle = true'],
  [/^base_dir = .*$/m, 'base_dir = "."'],
  [/^minify = .*$/m, ""],
  [/^keep_names = .*$/m, ""],
  [/^\[build\]\n(?:[a-z_]+ = .*\n)+/m, ""],
  [/^directory = "(.*)"$/m, `directory = "${PROJECT}/$1"`],
  [/^migrations_dir = "(.*)"$/m, `migrations_dir = "${PROJECT}/$1"`],
];

/** Wrangler compiles the entry module at each start, to see what it exports: this one takes no time, the bundle a second. */
const ENTRY = 'export * from "./bundle.mjs";\nexport { default } from "./bundle.mjs";\n';

/**
 * Bundles the project's worker, or another one in its place, into a directory, as `wrangler deploy` does, and returns the
 * path of a configuration that serves it.
 */
export function buildWorker(directory: string, script = "src/worker.ts"): string {
  wrangler(["deploy", script, "--dry-run", "--outdir", directory], "error");
  const bundle = `${path.basename(script, ".ts")}.js`;
  renameSync(path.join(directory, bundle), path.join(directory, "bundle.mjs"));
  writeFileSync(path.join(directory, "worker.js"), ENTRY);
  const config = path.join(directory, "wrangler.toml");
  let text = readFileSync(path.join(PROJECT, "wrangler.toml"), "utf8");
  for (const [was, is] of EDITS) {
    if (!was.test(text)) throw new Error(`wrangler.toml has nothing that matches ${was.source}`);
    text = text.replace(was, is);
  }
  writeFileSync(config, text);
  return config;
}
