import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { parseSource, ROOT } from "./source-tree.ts";

/** The entries of the scripts that start a file of ours in Node, such as `test/sim/main.ts`. */
function entries(): string[] {
  const text = readFileSync(path.join(ROOT, "package.json"), "utf8");
  const { scripts } = JSON.parse(text) as { scripts: Record<string, string> };
  const started = Object.values(scripts).flatMap((script) =>
    [...script.matchAll(/require-node\.cjs (\S+\.ts)/g)].map(([, entry]) => entry ?? ""),
  );
  return [...new Set(started)].sort();
}

test("Node loads every module that a script of package.json starts with", () => {
  expect(entries()).toContain("test/sim/mutate.ts");
  const modules = new Set(
    entries().flatMap((entry) => {
      const { files } = parseSource(entry, readFileSync(path.join(ROOT, entry), "utf8"));
      return files.filter((file) => file.endsWith(".ts"));
    }),
  );
  const urls = [...modules].map((file) => pathToFileURL(path.join(ROOT, file)).href);
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      "--require",
      "./src/cli/require-node.cjs",
      "--input-type=module",
      "--eval",
      `for (const url of ${JSON.stringify(urls)}) await import(url).catch((error) => {
        console.error(url, String(error));
        process.exitCode = 1;
      });
      process.exit();`,
    ],
    { cwd: ROOT, encoding: "utf8", timeout: 60_000 },
  );
  expect([status, stderr]).toEqual([0, ""]);
}, 90_000);
