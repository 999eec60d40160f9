import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { bundleMcpClient, MCP_CLIENT_FILE } from "../build/mcp-client.ts";
import { packSkills, SKILLS_FILE } from "../build/skills.ts";
import { ROOT } from "./source-tree.ts";

/** Modules beside the worker that stand in the tree: each as its packages make it. */

test("the client of MCP that lies beside the worker is what its package makes, and makes no code from text", async () => {
  const kept = readFileSync(MCP_CLIENT_FILE, "utf8");
  expect(kept === (await bundleMcpClient())).toBe(true);
  expect(kept).not.toMatch(/\bnew Function\b|\beval\(/);
  expect(kept).not.toMatch(/^import\b/m);
}, 30_000);

test("the reader of skills is as test/build/skills.ts makes it of the packages", async () => {
  expect(readFileSync(SKILLS_FILE, "utf8")).toBe(await packSkills());
});

test("no configuration of a worker puts anything in the place of a package", () => {
  for (const config of ["wrangler.toml", "test/bench/cairn/wrangler.toml", "test/bench/scale/wrangler.toml"])
    expect([config, /^\s*\[?alias\b/m.test(readFileSync(path.join(ROOT, config), "utf8"))]).toEqual([
      config,
      false,
    ]);
});
