import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readTree } from "../house/source-tree.ts";
import { makeFork } from "./fork.ts";

/** What a fork is. That the suite holds in it is tried by `npm run test:fork` (run.ts). */

/** What a fork changes. */
const OWN = ["src/agents/default.ts", "src/webhooks.ts", "src/skills.ts", "src/tools/packs.ts"];

/** Tests about the deployment's own files, which hold for whatever stands there. */
const ABOUT_OWN = [
  "test/house/prompts.test.ts",
  "test/tools/tool-names.test.ts",
  "test/wire/webhook-rules.test.ts",
];

test("a fork has the documentation's agent, webhooks, skills and tool", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "cairn-fork-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  makeFork(folder);
  const text = OWN.map((file) => readFileSync(path.join(folder, file), "utf8")).join("\n");
  // Of the webhooks that ship, only that of GitHub is left.
  expect(text).not.toContain("hook:slack");
  for (const word of [
    "house-rules",
    "hook:github",
    ".add(writingPack, env)",
    "../skills/release-notes/SKILL.md",
  ])
    expect(text).toContain(word);
});

test("no other test imports a file that a fork changes", () => {
  const importing = readTree("test").filter((file) => OWN.some((own) => file.files.includes(own)));
  expect(importing.map((file) => file.path).toSorted()).toEqual(ABOUT_OWN);
});
