import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./source-tree.ts";

/** Folders whose test files share one isolate, and so one namespace of sessions: a name of two files fails in one order of them. */
const ISOLATES = [["sessions", "approvals", "runs"], ["crash"]];
const NAMED = /\b(?:say|stubOf|api|until|log|boot|open|sessionOf|idFromName|send)\(\s*"([a-z0-9-]+)"/g;

test("no two test files of one isolate name a session alike", () => {
  for (const folders of ISOLATES) {
    const owners = new Map<string, Set<string>>();
    for (const folder of folders)
      for (const file of readdirSync(path.join(ROOT, "test/worker", folder)).filter((name) =>
        name.endsWith(".test.ts"),
      ))
        for (const [, name = ""] of readFileSync(
          path.join(ROOT, "test/worker", folder, file),
          "utf8",
        ).matchAll(NAMED))
          owners.set(name, (owners.get(name) ?? new Set()).add(`${folder}/${file}`));
    expect(owners.size).toBeGreaterThan(10);
    const shared = [...owners].filter(([, files]) => files.size > 1).map(([name]) => name);
    expect(shared).toEqual([]);
  }
});
