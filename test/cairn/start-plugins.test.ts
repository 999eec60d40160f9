import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NO_WORDS } from "../../src/cairn/core/guards/no-words.ts";
import type { Plugin } from "../../src/cairn/plugin.ts";
import { createRedactor } from "../../src/cairn/core/text/redact.ts";
import { startPlugins } from "../../src/cairn/start-plugins.ts";

// A plugin that is left out is reported in the operator's log.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const withTargets = (name: string, ...targets: string[]): Plugin => ({
  name,
  shared: () => ({
    targets: Object.fromEntries(targets.map((target) => [target, { find: () => Promise.resolve(null) }])),
  }),
});

test("a plugin whose target another one has is left out and reported, and the other one works", () => {
  const plugins = [
    withTargets("first", "site"),
    withTargets("second", "shop", "site"),
    withTargets("third", "shop"),
  ];
  const started = startPlugins(plugins, {}, createRedactor([]));
  expect(started.plugins.map(({ name }) => name)).toEqual(["first", "third"]);
  expect([...started.shared.keys()]).toEqual(["first", "third"]);
  expect(started.problems()).toEqual([
    expect.objectContaining({
      plugin: "second",
      message: expect.stringContaining("the target site is that of the plugin first") as unknown,
    }),
  ]);
});

test("without a plugin that has words, the form of a text answers at once", () => {
  const started = startPlugins([withTargets("first", "site")], {}, createRedactor([]));
  expect(started.words.loaded).toBe(NO_WORDS);
});
