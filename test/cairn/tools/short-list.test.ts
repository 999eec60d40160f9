import { expect, test } from "vitest";
import { AT_ONCE_CHARS_MAX, shortListOf } from "../../../src/cairn/tools/short-list.ts";
import { definitionSchema } from "../../../src/cairn/tools/stored/definition.ts";
import { storedPack, storedTool } from "../../../src/cairn/tools/stored/pack.ts";

/** Packs whose tools come from a list are offered at once as far as their size allows. */

const stored = (name: string, description: string) => ({
  name,
  definition: definitionSchema.parse({ method: "GET", url: "https://api.example.com/items", description }),
});
const many = (count: number, chars: number) =>
  Array.from({ length: count }, (_, at) => stored(`item_${at}`, "x".repeat(chars)));

test("few small tools are all offered at once, and such a pack has no short list", () => {
  expect(shortListOf(many(20, 100).map(storedTool))).toBeUndefined();
  expect(shortListOf([])).toBeUndefined();
  expect(storedPack(many(20, 100))).not.toHaveProperty("shortList");
});

test("of many tools the first ones are offered, as many as fit", () => {
  const { shortList = [] } = storedPack(many(20, 1_000));
  expect(shortList).toEqual(["item_0", "item_1", "item_2", "item_3", "item_4", "item_5", "item_6"]);
});

test("a tool that is larger than the bound is found, and so are those after it", () => {
  const tools = [stored("large", "x".repeat(1_000)), stored("small", "x")].map(storedTool);
  const [large, small] = tools;
  if (large === undefined || small === undefined) throw new Error("no tools");
  const huge = { ...large, definition: { ...large.definition, description: "x".repeat(AT_ONCE_CHARS_MAX) } };
  expect(shortListOf([huge, small])).toEqual([]);
});
