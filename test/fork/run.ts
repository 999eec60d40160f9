import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeFork } from "./fork.ts";

/** Runs the suite, or what the arguments choose of it, in a fork with files of its own. */
const folder = mkdtempSync(path.join(tmpdir(), "cairn-fork-"));
try {
  makeFork(folder);
  const vitest = path.join("node_modules", "vitest", "vitest.mjs");
  // The test of forks would make a fork of this one.
  const args = [vitest, "run", "--exclude", "test/fork/**", ...process.argv.slice(2)];
  process.exitCode = spawnSync(process.execPath, args, { cwd: folder, stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
