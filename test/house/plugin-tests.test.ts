import { expect, test } from "vitest";
import { readTree } from "./source-tree.ts";

/**
 * A test of the kernel imports no plugin, and one of a plugin no other, on any path: without that plugin they would run as they
 * do now. The tests in `test/worker`, `test/e2e` and `test/sim` have the whole sample, so they prove nothing of it; how the
 * sample runs without each plugin is checked by `npm run build:check`.
 */

const files = new Map(["src", "test", "build"].flatMap(readTree).map((file) => [file.path, file.files]));

/** The simulation: its people read what they are sent in channels. */
const SIMULATION = "test/sim/";

/** Tests of rules that several plugins share: how they offer tools, name things and refuse invalid input. */
const ON_SEVERAL = [
  "test/cairn/agents/definition-fuzz.test.ts",
  "test/cairn/core/guards/permissions.test.ts",
  "test/cairn/core/guards/review/corpus-answers.test.ts",
  "test/cairn/core/state/memory.test.ts",
  "test/cairn/documents/extract.test.ts",
  "test/cairn/http/unread.test.ts",
  "test/cairn/http/whose.test.ts",
  "test/cairn/models/providers.test.ts",
  "test/cairn/protocol/inherited-names.test.ts",
  "test/cairn/session/bad-input.test.ts",
  "test/cairn/tools/after-effect.test.ts",
  "test/cairn/tools/before-effect.test.ts",
  "test/cairn/tools/offers.test.ts",
  "test/cairn/tools/tool-names.test.ts",
  "test/page/whole-text.test.ts",
  "test/page/wishes.test.ts",
  "test/plugins/channels/plugin.test.ts",
  "test/plugins/channels/session/decision-surfaces.test.ts",
  "test/plugins/plain-words/claims-corpus.test.ts",
  "test/plugins/rehearsal/sentences.test.ts",
  "test/plugins/web/can-research.test.ts",
];

const tests = [...files.keys()].filter((file) => /^test\/(cairn|page|plugins)\/.*\.test\.tsx?$/.test(file));

const pluginOf = (file: string): string | undefined => /^(?:src|test)\/plugins\/([\w-]+)\//.exec(file)?.[1];

/** Files of other plugins that a file imports, by what imports them. What those import is theirs. */
function foreignImports(start: string): string[] {
  const own = pluginOf(start);
  const found: string[] = [];
  const seen = new Set([start]);
  // A set is read on while it grows.
  for (const file of seen)
    for (const target of files.get(file) ?? []) {
      const plugin = target.startsWith("src/") ? pluginOf(target) : undefined;
      if (plugin !== undefined && plugin !== own) found.push(`${file} → ${target}`);
      else if (!target.startsWith(SIMULATION)) seen.add(target);
    }
  return found;
}

test("a test of the kernel imports no plugin, and one of a plugin no other", () => {
  expect(tests.length).toBeGreaterThan(200);
  const strays = tests.filter((file) => !ON_SEVERAL.includes(file)).flatMap(foreignImports);
  expect(strays).toEqual([]);
});

test("every exception is one", () => {
  expect(ON_SEVERAL.filter((file) => foreignImports(file).length === 0)).toEqual([]);
});
