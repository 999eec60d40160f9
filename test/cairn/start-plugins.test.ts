import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NO_WORDS } from "../../src/cairn/core/guards/no-words.ts";
import type { PlainWords } from "../../src/cairn/core/guards/words.ts";
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

const withWords = (name: string, words: Partial<PlainWords>): Plugin => ({
  name,
  words: () => Promise.resolve({ ...NO_WORDS, ...words }),
});

test("a second plugin with words is left out and reported, and the first one is asked", async () => {
  const plugins = [
    withWords("first", { promisesLater: () => true }),
    withWords("second", { isQuestion: () => true }),
    withTargets("third", "site"),
  ];
  const started = startPlugins(plugins, {}, createRedactor([]));
  expect(started.plugins.map(({ name }) => name)).toEqual(["first", "third"]);
  expect(started.words.loaded).toBeNull();
  const words = await started.words.load();
  expect([words.promisesLater("x"), words.isQuestion("x")]).toEqual([true, false]);
  expect(started.problems()).toEqual([
    expect.objectContaining({
      plugin: "second",
      message: expect.stringContaining("the plugin first has words already") as unknown,
    }),
  ]);
});

test("without a plugin that has words, the form of a text answers at once", () => {
  const started = startPlugins([withTargets("first", "site")], {}, createRedactor([]));
  expect(started.words.loaded).toBe(NO_WORDS);
});

test("words that throw, or cannot be loaded, are reported, and the form of the text answers", async () => {
  const broken = (): never => {
    throw new Error("no list of that name");
  };
  const throwing = Object.fromEntries(Object.keys(NO_WORDS).map((name) => [name, broken]));
  const started = startPlugins([withWords("first", throwing)], {}, createRedactor([]));
  const words = await started.words.load();
  expect(words.cuesOf("hello")).toEqual(NO_WORDS.cuesOf("hello"));
  expect(words.givesAnswer("42", false)).toBe(true);
  expect(started.problems()).toEqual([
    expect.objectContaining({
      plugin: "first",
      message: "Its words failed: no list of that name.",
    }),
  ]);
  const missing: Plugin = { name: "first", words: () => Promise.reject(new Error("no such module")) };
  const without = startPlugins([missing], {}, createRedactor([]));
  expect(await without.words.load()).toBe(NO_WORDS);
  expect(without.problems()).toEqual([
    expect.objectContaining({ message: "Its words failed: no such module." }),
  ]);
});
