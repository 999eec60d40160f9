import { describe, expect, test } from "vitest";
import { FOUND_TOOLS_MAX } from "../../../../src/cairn/core/limits.ts";
import { findTools, finderOffer, namesInFinder } from "../../../../src/cairn/core/loop/find-tools.ts";
import type { ToolCard } from "../../../../src/cairn/core/log/tool.ts";

/** The search of find_tool: names before words, words of names before those of descriptions, and bounds. */

const card = (name: string, description: string, schemaChars = 10): ToolCard =>
  ({ name, title: name, description, inputSchema: { x: "y".repeat(schemaChars) } }) as unknown as ToolCard;

const CARDS = [
  card("entry_create", "Creates a post or another entry of a collection."),
  card("page_delete", "Deletes pages. Posts stay."),
  card("image_search", "Searches the library for images, or stock photos."),
  card("history", "Lists what was changed, by whom."),
];
const names = (query: string, cards = CARDS): readonly string[] =>
  findTools(cards, query).tools.map(({ name }) => name);

describe("find_tool", () => {
  test.each([
    ["image_search", ["image_search"]],
    ["history, page_delete", ["page_delete", "history"]],
    ["page_delete and anything about images", ["page_delete", "image_search"]],
    ["IMAGES", ["image_search"]],
    ["write a post", ["entry_create", "page_delete"]],
    ["search pages", ["page_delete", "image_search"]],
    ["libraries", ["image_search"]],
    ["zeppelin", []],
    ["…!?", []],
  ])("finds for %j", (query, found) => {
    expect(names(query)).toEqual(found);
  });

  test("finds no more than its bounds allow, and counts the rest", () => {
    const many = Array.from({ length: FOUND_TOOLS_MAX + 5 }, (_, at) => card(`page_${at}`, "A page."));
    expect(findTools(many, "page")).toMatchObject({ more: 5 });
    expect(names("page", many)).toHaveLength(FOUND_TOOLS_MAX);
    const large = [card("page_a", "A page.", 20_000), card("page_b", "A page.", 10)];
    expect(findTools(large, "page")).toMatchObject({ tools: [{ name: "page_a" }], more: 1 });
  });

  test("takes a query as data, whatever is in it", () => {
    for (const query of ["(.*)+$", "__proto__", "constructor", "a".repeat(300), "\u0000\ud800"])
      expect(Array.isArray(names(query))).toBe(true);
  });

  test("names what it finds in its description, where it can be read again", () => {
    const offer = finderOffer(
      { name: "find_tool", description: "Finds. Tools: of a run.", inputSchema: {} },
      CARDS,
    );
    expect(namesInFinder(offer)).toEqual(CARDS.map(({ name }) => name));
    expect(namesInFinder({ ...offer, name: "other" })).toEqual([]);
    expect(namesInFinder({ name: "find_tool" })).toEqual([]);
  });
});
