import { gfmFromMarkdown } from "mdast-util-gfm";
import { fromMarkdown } from "mdast-util-from-markdown";
import { toHast } from "mdast-util-to-hast";
import { toHtml } from "hast-util-to-html";
import { gfm } from "micromark-extension-gfm";
import { expect, test } from "vitest";
import { markdownBlocks } from "../../../src/page/parts/markdown/blocks.ts";
import { Chance } from "../../sim/platform/chance.ts";

const html = (text: string): string =>
  toHtml(toHast(fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })))
    .replaceAll(/\s*\n\s*/g, "\n")
    .trim();

const inPieces = (text: string): string =>
  markdownBlocks(text)
    .map(html)
    .filter((piece) => piece !== "")
    .join("\n");

/** Lines that begin, go on with, or end something. */
const LINES = [
  "",
  "",
  "",
  "plain words",
  "more *words* and `code`",
  "# heading",
  "===",
  "---",
  "> quoted",
  ">",
  "- item",
  "* other",
  "1. one",
  "2) two",
  "  going on",
  "    indented",
  "\tby a tab",
  "- [ ] to do",
  "```",
  "```ts",
  "~~~",
  "  ```",
  "````",
  "| a | b |",
  "| - | - |",
  "| 1 | 2 |",
  "***",
  "&nbsp;",
  "<b>bold</b>",
  "<div>",
  "</div>",
  "<!-- note",
  "-->",
  "<pre>",
  "</pre>",
  "[a]: https://example.com",
  "[a]",
  "[^1]",
  "[^1]: a note",
  "https://example.com",
  "trailing  ",
  "\\",
  "+ plus",
  "10. ten",
] as const;

test("the pieces of a text are drawn as the whole of it", () => {
  const chance = new Chance(7);
  for (let n = 0; n < 3_000; n++) {
    const text = Array.from({ length: 1 + chance.below(14) }, () => chance.pick(LINES)).join("\n");
    expect(inPieces(text), JSON.stringify(text)).toBe(html(text));
  }
});

test("a text of ordinary paragraphs, lists and code is in pieces, and only the last one grows", () => {
  const text = "# Title\n\nOne.\n\n- a\n\n- b\n\n```ts\nlet a;\n\nlet b;\n```\n\nTwo.";
  expect(markdownBlocks(text)).toEqual([
    "# Title\n",
    "One.\n",
    "- a\n\n- b\n",
    "```ts\nlet a;\n\nlet b;\n```\n",
    "Two.",
  ]);
  const grown = markdownBlocks(`${text} And more.\n\nThree.`);
  expect(grown.slice(0, 4)).toEqual(markdownBlocks(text).slice(0, 4));
  expect(grown.slice(4)).toEqual(["Two. And more.\n", "Three."]);
});
