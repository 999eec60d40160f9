import { createElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/cairn/core/log/json.ts";
import { readTurn } from "../../../src/page/chat/turn.ts";
import { Cited } from "../../../src/page/parts/citations/cited.tsx";
import { sourcesOf } from "../../../src/page/parts/citations/citations.ts";
import { Sources } from "../../../src/page/parts/citations/sources.tsx";
import Markdown from "../../../src/page/parts/markdown/markdown.tsx";
import type { CitationView } from "../../../src/cairn/protocol/receipt.ts";
import { sharedMessage } from "../../../src/cairn/protocol/shared.ts";

// src/page/tsconfig.json checks this file, because its types are those of the page.

const citation = (id: string, more: Partial<CitationView> = {}): CitationView => ({
  id,
  page: "p1",
  url: "https://alps.example/passes",
  title: "The passes",
  quote: "It opens on 15 May.",
  start: 10,
  end: 29,
  fetchedAt: "2026-11-22T10:00:00.000Z",
  ...more,
});
const other = { page: "p2", url: "http://huts.example:80/list", title: "" };
const CITED = [citation("e12"), citation("e3", other), citation("e14", { quote: "No snow." })];

const shown = (inside: ReactNode): string => renderToStaticMarkup(inside);
const cited = (text: string): string =>
  shown(
    createElement(Cited, { citations: CITED, session: null, children: createElement(Markdown, { text }) }),
  );
const buttons = (html: string): string[] =>
  Array.from(html.matchAll(/<button[^>]*aria-label="([^"]*)"[^>]*>(\d+)<\/button>/g), ([, label, number]) =>
    [number, label].join(" "),
  );
/** The words of a piece of HTML, its elements left out. */
const words = (html: string): string => html.replace(/<[^>]*>/g, "");

describe("a mark of an answer", () => {
  test("that a passage stands for is a button with the number and the name of its source", () => {
    const html = cited("The pass opens on 15 May [e12], **the hut [e3]** later [e14].");
    expect(buttons(html)).toEqual([
      "1 Source 1: The passes",
      "2 Source 2: huts.example",
      "1 Source 1: The passes",
    ]);
    expect(words(html)).toBe("The pass opens on 15 May 1, the hut 2 later 1.");
  });

  test("that names several is a button for each, and what none stands for stays text", () => {
    expect(words(cited("Both [e12, e3]."))).toBe("Both 12.");
    const some = cited("One [e99] and [e12; e98].");
    expect(words(some)).toBe("One [e99] and 1[e98].");
    expect(buttons(some)).toEqual(["1 Source 1: The passes"]);
  });

  test.each([
    ["in a line of code", "Write `[e12]`."],
    ["in a block of code", "```\na [e12]\n```"],
    ["in a block that is indented", "    a [e12]"],
    ["in a link", "[see [e12]](https://x.example)"],
    ["of a definition", "See [e12].\n\n[e12]: https://x.example"],
  ])("%s is no button", (_, text) => {
    const html = cited(text);
    expect(buttons(html)).toEqual([]);
    expect(words(html)).toContain("e12");
  });

  test("stays text where no answer with citations is around it", () => {
    const html = shown(createElement(Markdown, { text: "It opens [e12]." }));
    expect(html).toContain(">It opens [e12].</p>");
  });
});

describe("the sources of an answer", () => {
  test("stand once each, in the order of their first marks, with title and host", () => {
    const html = shown(createElement(Sources, { citations: CITED }));
    expect(Array.from(html.matchAll(/<li>(.*?)<\/li>/g), ([, item = ""]) => words(item))).toEqual([
      "The passes alps.example",
      "huts.example",
    ]);
    expect(html).toContain(
      '<a href="https://alps.example/passes" target="_blank" rel="noreferrer noopener">',
    );
    expect(shown(createElement(Sources, { citations: [] }))).toBe("");
  });

  test.each(["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "upload:report.pdf", ""])(
    "are no link with the address %j",
    (url) => {
      const html = shown(createElement(Sources, { citations: [citation("e1", { url })] }));
      expect(html).not.toContain("<a ");
      expect(sourcesOf([citation("e1", { url })])).toMatchObject([{ host: "", href: null, url }]);
    },
  );

  test("show what would not be seen in a title", () => {
    const title = "Safe\u202eexe";
    expect(shown(createElement(Sources, { citations: [citation("e1", { title })] }))).toContain(
      'class="unseen"',
    );
  });
});

test("a message and a read-only link carry what its answer cites", () => {
  const part: JsonObject = {
    type: "data-citations",
    id: "r1",
    data: { items: CITED.slice(0, 1), unmarked: 0 },
  };
  const parts: JsonObject[] = [{ type: "step-start" }, { type: "text", text: "It opens [e12]." }, part];
  expect(readTurn(parts).citations).toEqual([CITED[0]]);
  const message = { id: "ses.r1", role: "assistant" } as const;
  expect(sharedMessage({ ...message, parts }).citations).toEqual([CITED[0]]);
  expect(sharedMessage({ ...message, parts: parts.slice(0, 2) }).citations).toEqual([]);
});
