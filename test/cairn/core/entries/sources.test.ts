import { describe, expect, test } from "vitest";
import { nameSources, type NamedSources } from "../../../../src/cairn/core/entries/sources.ts";
import { digestOf } from "../../../../src/cairn/core/log/digest.ts";
import type { ReadPage } from "../../../../src/cairn/core/log/receipt.ts";
import { pageText } from "../../../../src/cairn/core/text/quotes.ts";

/** Names for what calls have read: two of a thing are two, and one that is there already is that one. */

const NEW: NamedSources = { pageOf: () => null, pages: 0, evidence: 0 };
const same = (text: string): string => text;

const page = (text: string, quotes: readonly string[] = [], more: Partial<ReadPage> = {}): ReadPage => ({
  url: `https://a.example/${text.length}`,
  title: text.slice(0, 10),
  date: "2026-01-01",
  text,
  links: [],
  fetchedAt: 7,
  passages: quotes.map((quote) => ({
    start: text.indexOf(quote),
    end: text.indexOf(quote) + quote.length,
    quote,
  })),
  ...more,
});
const OUT = {
  id: { $evidence: [0, 0] },
  again: { $evidence: [0, 1] },
  page: { $page: 0 },
  other: { $page: 1 },
};

test("two quotes of one page are two, each at its own place", () => {
  const text = "The pass opens in May. The pass closes in October.";
  const { output, sources } = nameSources(
    { pages: [page(text, ["opens in May", "closes in October"])], urls: [] },
    OUT,
    NEW,
    same,
  );
  expect(output).toEqual({ id: "e1", again: "e2", page: "p1", other: null });
  expect(sources.evidence.map(({ id, page: of, quote }) => [id, of, quote])).toEqual([
    ["e1", "p1", "opens in May"],
    ["e2", "p1", "closes in October"],
  ]);
  for (const { start, end, quote } of sources.evidence) expect(text.slice(start, end)).toBe(quote);
});

test("two files of one call are two pages, whatever else is the same", () => {
  const one = page("The first upload.", ["first"], { url: "/uploads/a", title: "file" });
  const other = page("The other upload.", ["other"], { url: "/uploads/a", title: "file" });
  const { output, sources, texts } = nameSources(
    { pages: [one, other], urls: [] },
    { a: { $page: 0 }, b: { $page: 1 }, x: { $evidence: [0, 0] }, y: { $evidence: [1, 0] } },
    NEW,
    same,
  );
  expect(output).toEqual({ a: "p1", b: "p2", x: "e1", y: "e2" });
  expect(sources.pages.map(({ page: name, chars, digest }) => [name, chars, digest])).toEqual([
    ["p1", one.text.length, digestOf(pageText(one.text))],
    ["p2", other.text.length, digestOf(pageText(other.text))],
  ]);
  expect(sources.evidence.map(({ page: of }) => of)).toEqual(["p1", "p2"]);
  expect(texts).toEqual([
    ["p1", one.text],
    ["p2", other.text],
  ]);
});

test("the same text twice in one call is one page with the evidence of both", () => {
  const { output, sources, texts } = nameSources(
    { pages: [page("One text.", ["One"]), page("One text.", ["text"])], urls: [] },
    { a: { $page: 0 }, b: { $page: 1 }, x: { $evidence: [0, 0] }, y: { $evidence: [1, 0] } },
    NEW,
    same,
  );
  expect(output).toEqual({ a: "p1", b: "p1", x: "e1", y: "e2" });
  expect([sources.pages.length, texts.length]).toEqual([1, 1]);
  expect(sources.evidence.map(({ page: of }) => of)).toEqual(["p1", "p1"]);
});

describe("after others were named", () => {
  const known: NamedSources = {
    pageOf: (digest) => (digest === digestOf(pageText("Known.")) ? "p3" : null),
    pages: 4,
    evidence: 9,
  };

  test("a page that is known keeps its name and is not stored again; a new one goes on behind them", () => {
    const { output, sources, texts } = nameSources(
      { pages: [page("Known.", ["Known"]), page("New.", ["New"])], urls: [] },
      {
        a: { $page: 0 },
        b: { $page: 1 },
        x: { $evidence: [0, 0] },
        y: [{ $evidence: [1, 0] }, "e1", 5, null],
      },
      known,
      same,
    );
    expect(output).toEqual({ a: "p3", b: "p5", x: "e10", y: ["e11", "e1", 5, null] });
    expect(sources.pages).toEqual([
      {
        page: "p5",
        url: "https://a.example/4",
        title: "New.",
        date: "2026-01-01",
        fetchedAt: 7,
        chars: 4,
        digest: digestOf(pageText("New.")),
      },
    ]);
    expect(texts.map(([name]) => name)).toEqual(["p5"]);
    expect(sources).not.toHaveProperty("sealed");
  });
});

test("a quote that what is kept does not say has no name, and its mark becomes null", () => {
  const text = "The key is hunter2 and the pass is open.";
  const clean = (words: string): string => words.replaceAll("hunter2", "[secret]");
  const { output, sources } = nameSources(
    {
      pages: [
        page(text, ["pass is open"], {
          passages: [
            { start: 0, end: 5, quote: "never said" },
            { start: text.indexOf("pass is open"), end: text.length - 1, quote: "pass is open" },
          ],
        }),
      ],
      urls: [],
    },
    OUT,
    NEW,
    clean,
  );
  expect(output).toMatchObject({ id: null, again: "e1" });
  const [evidence] = sources.evidence;
  expect(clean(text).slice(evidence?.start, evidence?.end)).toBe("pass is open");
});

test("marks of what was not read are null, and anything else stays as it is", () => {
  const { output } = nameSources(
    { pages: [page("One.", ["One"])], urls: [] },
    {
      a: { $page: 7 },
      b: { $evidence: [0, 3] },
      c: { $evidence: [5, 0] },
      d: { $evidence: "x" },
      e: { f: [1, "e1"] },
    },
    NEW,
    same,
  );
  expect(output).toEqual({ a: null, b: null, c: null, d: { $evidence: "x" }, e: { f: [1, "e1"] } });
});

test("where a page leads stands behind its text, and a sealed page is marked as one", () => {
  const links = [{ text: "more", url: "https://a.example/more" }];
  const { texts, sources } = nameSources(
    { pages: [page("One.", [], { links, sealed: true })], urls: [] },
    {},
    NEW,
    same,
  );
  expect(texts).toEqual([["p1", "One.\n\nLinks of this page:\n- more: https://a.example/more"]]);
  expect(sources).toMatchObject({ sealed: true, pages: [{ chars: 4 }] });
});
