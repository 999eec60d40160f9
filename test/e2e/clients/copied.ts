import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PROJECT } from "../../../src/cli/places.ts";

/** The parts of the project that its commands read. Not the tests: a check of their types takes as long as one of everything else. */
const SOURCES = [
  "build",
  "scripts",
  "src",
  "prompts",
  "migrations",
  "package.json",
  "tsconfig.json",
  "vite.config.ts",
  "wrangler.toml",
];
/** The page and the list of the modules' sources, as `npm run page` leaves them. */
const BUILT = ["dist/page", "dist/page.built", "dist/module-sources.json"];

/**
 * Copies the project, whose files a test then edits, into a new folder and returns its path. With `built` the page and the
 * modules come along and are newer than their sources, so that no command builds them again.
 */
export function copyProject({ built }: { readonly built: boolean }): string {
  const copy = mkdtempSync(path.join(tmpdir(), "cairn-copy-"));
  mkdirSync(path.join(copy, "dist"));
  for (const name of built ? [...SOURCES, ...BUILT] : SOURCES) {
    const from = path.join(PROJECT, name);
    if (!existsSync(from)) throw new Error(`${from} is missing`);
    // `cpSync` gives folders the time of the copy, and the page would be older than they are.
    const { status, stderr } = spawnSync("cp", ["-Rp", from, path.join(copy, name)], { encoding: "utf8" });
    if (status !== 0) throw new Error(`cp of ${name} failed: ${stderr}`);
  }
  symlinkSync(path.join(PROJECT, "node_modules"), path.join(copy, "node_modules"));
  return copy;
}
