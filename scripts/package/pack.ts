import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * Packs the library into a folder, and prints the name of the file. Without the scripts of this repository: npm would ask whoever
 * installs the package whether they may run.
 *
 *     node --require ./src/cli/require-node.cjs scripts/package/pack.ts ../shop
 */

const ROOT = path.resolve(import.meta.dirname, "../..");
/** files that npm always packs */
const ALWAYS = ["LICENSE", "README.md"];

function npm(args: readonly string[], cwd: string): string {
  const isWindows = process.platform === "win32";
  const { status, stdout } = spawnSync(isWindows ? "npm.cmd" : "npm", args, {
    cwd,
    encoding: "utf8",
    shell: isWindows,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) {
    console.error(stdout);
    process.exit(1);
  }
  return stdout;
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name the folder that the package is packed into.");

npm(["run", "--silent", "prepack"], ROOT);
const stagingFolder = mkdtempSync(path.join(ROOT, "dist/package-"));
try {
  const { scripts: _scripts, ...packed } = JSON.parse(
    readFileSync(path.join(ROOT, "package.json"), "utf8"),
  ) as { readonly scripts: unknown; readonly files: readonly string[] };
  for (const file of globSync([...packed.files, ...ALWAYS], { cwd: ROOT }))
    cpSync(path.join(ROOT, file), path.join(stagingFolder, file), { recursive: true });
  writeFileSync(path.join(stagingFolder, "package.json"), `${JSON.stringify(packed, null, 2)}\n`);
  console.log(npm(["pack", "--silent", "--pack-destination", path.resolve(folder)], stagingFolder).trim());
} finally {
  rmSync(stagingFolder, { recursive: true, force: true });
}
