import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readTree } from "../house/source-tree.ts";
import { makeFork } from "./fork.ts";

/** The suite holds in a fork with an agent, webhooks and a tool of its own. CI runs more of it (run.ts); here what is decisive. */

/** What a fork changes. */
const OWN = ["src/agents/default.ts", "src/webhooks.ts", "src/tools/packs.ts"];

/** Tests about the deployment's own files, which hold for whatever stands there. */
const ABOUT_OWN = [
  "test/house/prompts.test.ts",
  "test/tools/tool-names.test.ts",
  "test/wire/webhook-rules.test.ts",
];

describe("in a fork with the documentation's agent, webhooks and tool", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), "cairn-fork-"));
    makeFork(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("its own files stand there", () => {
    const text = OWN.map((file) => readFileSync(path.join(folder, file), "utf8")).join("\n");
    // Of the webhooks that ship, only that of GitHub is left.
    expect(text).not.toContain("hook:slack");
    for (const word of ["house-rules", "hook:github", ".add(writingPack, env)"]) expect(text).toContain(word);
  });

  test("what reads them passes, and so does the worker, whose deployment is that of the tests", () => {
    const files = [
      ...ABOUT_OWN,
      "test/house/architecture.test.ts",
      "test/tools/reading-time.test.ts",
      "test/worker/http/deployment.test.ts",
    ];
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [path.join("node_modules", "vitest", "vitest.mjs"), "run", ...files],
      {
        cwd: folder,
        encoding: "utf8",
        env: { ...process.env, NO_COLOR: "1" },
      },
    );
    expect(stdout, stderr).toMatch(new RegExp(`Test Files +${files.length} passed \\(${files.length}\\)`));
    expect(status).toBe(0);
  }, 180_000);
});

test("no other test imports a file that a fork changes", () => {
  const importing = readTree("test").filter((file) => OWN.some((own) => file.files.includes(own)));
  expect(importing.map((file) => file.path).toSorted()).toEqual(ABOUT_OWN);
});
