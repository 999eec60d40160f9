import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { copyProject } from "../clients/copied.ts";
import { agentSource } from "../clients/own-files.ts";

/** `npm run deploy -- --check` on a copy of the project in which somebody has changed one thing. */

let copy = "";
beforeAll(() => {
  copy = copyProject({ built: true });
  // The second check of the types reads what the first found of the files that both share.
  const types = path.join(copy, "tsconfig.json");
  const option = '"compilerOptions": {';
  const text = readFileSync(types, "utf8");
  if (!text.includes(option)) throw new Error(`${types} has no ${option}`);
  writeFileSync(types, text.replace(option, `${option} "incremental": true, "tsBuildInfoFile": ".tsbuild",`));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Checks the copy with some files changed, and puts the files back. */
function checked(changes: Readonly<Record<string, (text: string) => string>>): {
  code: number | null;
  out: string;
} {
  const before = new Map<string, string>();
  try {
    for (const [file, change] of Object.entries(changes)) {
      const at = path.join(copy, file);
      const text = readFileSync(at, "utf8");
      const changed = change(text);
      if (changed === text) throw new Error(`nothing to change in ${file}`);
      before.set(at, text);
      writeFileSync(at, changed);
    }
    const args = ["run", "--silent", "deploy", "--", "--check"];
    const { status, stdout, stderr } = spawnSync("npm", args, { cwd: copy, encoding: "utf8" });
    return { code: status, out: stdout + stderr };
  } finally {
    for (const [at, text] of before) writeFileSync(at, text);
  }
}

const AGENT = "src/agents/default.ts";

test("a missing bucket is reported with what is off then; a rule for a tool that there is not stops it, by its name", () => {
  const block = '[[r2_buckets]]\nbinding = "MEDIA"\nbucket_name = "cairn-media"\n';
  const { code, out } = checked({
    "wrangler.toml": (text) => text.replace(block, ""),
    [AGENT]: () => agentSource('description: "Works here.", approvals: { page_remove: { needed: 2 } }'),
  });
  expect([code, out]).toEqual([
    1,
    expect.stringContaining("✗ src/agents: approvals.page_remove: There is no tool"),
  ]);
  expect(out.match(/^\s*✗.*$/gm)).toEqual([expect.stringContaining("approvals.page_remove")]);
  expect(out).toContain("· MEDIA: No bucket is bound, so there are no images.");
  expect(out).toContain("· pack images: Images need a bucket: bind MEDIA");
});

test("a worker that does not load stops it, with what it says", () => {
  const { code, out } = checked({
    [AGENT]: () => agentSource('description: "Works here.", approvals: { page_delete: { approvers: [] } }'),
  });
  expect([code, out]).toEqual([1, expect.stringContaining("✗ worker: The worker file throws as it loads.")]);
  expect(out).toContain("approvals.page_delete of an agent can never hold: approvers are named, or left out");
});
