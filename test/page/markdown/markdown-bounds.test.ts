import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import Markdown from "../../../src/page/parts/markdown/markdown.tsx";

// src/page/tsconfig.json checks this file, because its types are those of the page.

const show = (text: string): string => renderToStaticMarkup(createElement(Markdown, { text }));

test("the page shows a text beyond the bounds as it is, and parses one within them", () => {
  const text = `<b>first</b>\n${"> ".repeat(2_048)}\nlast & least`;
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  expect(show(text)).toBe(`<div class="prose"><p class="plain" dir="auto">${escaped}</p></div>`);
  // Only the piece that is beyond them.
  expect(show(`**said**\n\n${text}`)).toContain("<strong>said</strong>");
  expect(show("> **said**")).toContain("<strong>said</strong>");
});
