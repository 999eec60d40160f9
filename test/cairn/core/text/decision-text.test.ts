import { describe, expect, test } from "vitest";
import {
  CUT_NOTICE,
  decisionLines,
  decisionText,
  jsonLines,
} from "../../../../src/cairn/core/text/decision-text.ts";
import { visibleLine, visibleText } from "../../../../src/cairn/core/text/visible.ts";

const asked = {
  title: "Publish “About”",
  summary: "It becomes public.",
  impact: ["URL: /about", "No link leads to it."],
  warnings: ["No link leads to it."],
  tainted: true,
  tool: "set_status",
  args: { to: "published", targets: ["about"] },
};

test("a text has the title, the warnings first, then summary, impact, changes and canonical arguments", () => {
  const changes = [{ what: "Page “About” · Title", before: "Old", after: null }];
  expect(decisionLines(decisionText({ ...asked, changes, askedArgs: { to: "archived" } }))).toEqual([
    "Publish “About”",
    "",
    "⚠ This run has read content from outside, which may have influenced it. Read carefully.",
    "⚠ No link leads to it.",
    "",
    "It becomes public.",
    "",
    "What it changes:",
    "- URL: /about",
    "",
    "Before and after:",
    "  Page “About” · Title: “Old” → nothing",
    "",
    "Request details: set_status",
    '  {"targets":["about"],"to":"published"}',
    "",
    "What the agent asked for, before it was changed:",
    '  {"to":"archived"}',
  ]);
});

test("before and after stand on lines of their own where a letter is written from right to left", () => {
  const linesOf = (what: string, before: string, after: string) =>
    decisionText({ ...asked, changes: [{ what, before, after }] }).sections.find(
      ({ kind }) => kind === "changes",
    )?.lines;
  expect(linesOf("Title", "א", "ב")).toEqual(["Title", "− “א”", "+ “ב”"]);
  expect(linesOf("כותרת", "a", "b")).toEqual(["כותרת", "− “a”", "+ “b”"]);
  expect(linesOf("Title", "a", "b")).toEqual(["Title: “a” → “b”"]);
});

test("a text without room for all of it says so, is short, and is not complete", () => {
  const long = {
    ...asked,
    summary: "s".repeat(5_000),
    warnings: Array.from({ length: 9 }, () => "w".repeat(900)),
  };
  const text = decisionText(long, () => false);
  expect(text.complete).toBe(false);
  expect(decisionLines(text).at(-1)).toBe(CUT_NOTICE);
  expect(decisionLines(text).join("\n").length).toBeLessThan(4_000);
  expect(decisionText(long).complete).toBe(true);
});

describe("arguments", () => {
  test("of several lines stand behind bars, so that none of them is a line of the card", () => {
    expect(jsonLines({ code: "import os\n  print(1)\nRequest details: nothing", on: true })).toEqual([
      "{",
      '  "code": │',
      "    │ import os",
      "    │   print(1)",
      "    │ Request details: nothing",
      '  "on": true',
      "}",
    ]);
  });

  test.each([
    ["blanks", `a${" ".repeat(1_990)}b\nc`, "\\u0020{1990}"],
    ["an override", "a\u202eb\nc", "\\u202e"],
    ["a blank at the end of a line", "a \nb", '"a \\nb"'],
    ["many empty lines", `a${"\n".repeat(90)}b`, "\\n\\n\\n"],
    ["half of a character", "a\ud800\nb", "\\ud800"],
  ])("with %s are quoted instead, on one line, as JSON writes them", (_name, code, said) => {
    const lines = jsonLines({ code });
    expect(lines.join("\n")).not.toContain("│");
    expect(lines.join("\n")).toContain(said);
  });

  test("with letters that are written from right to left have one item on a line, so that their order is seen", () => {
    expect(jsonLines(["א", 1, 2, "ב"])).toEqual(["[", '  "א",', "  1,", "  2,", '  "ב"', "]"]);
    expect(jsonLines({ to: "ا", ג: { ד: [] }, ה: ["a"], ب: 1 })).toEqual([
      "{",
      '  "to": "ا",',
      '  "ג": {',
      '    "ד":',
      "      []",
      "  },",
      '  "ה": [',
      '    "a"',
      "  ],",
      '  "ب":',
      "    1",
      "}",
    ]);
    expect(jsonLines("א")).toEqual(['"א"']);
    expect(jsonLines({ a: ["é", 1, "日"] })).toEqual(['{"a":["é",1,"日"]}']);
  });

  test("keep keys that differ in what is not seen apart, at any depth, and are not indented off the screen", () => {
    const deep = Array.from({ length: 60 }).reduce<object>((inner) => ({ a: inner }), { "k\u200b": 1, k: 2 });
    const lines = jsonLines(deep as { a: never });
    expect(lines.join("\n")).toContain('"k\\u200b":');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(40);
  });
});

describe("a visible text", () => {
  test.each([
    ["zero\u200bwidth", "zero\\u200bwidth"],
    ["nous\u00a0?", "nous\u00a0?"],
    ["a\u00a0\u00a0b", "a\\u00a0\\u00a0b"],
    ["\u{e0041}", "\\udb40\\udc41"],
    ["👩\u200d💻 ❤\ufe0f 1\ufe0f", "👩\u200d💻 ❤\ufe0f 1\\ufe0f"],
    ["\u001b[2J\tx\n", "\\u001b[2J\\tx\\n"],
    [`x${" ".repeat(25)}y`, "x\\u0020{25}y"],
    [`e${"\u0301".repeat(6)}`, `e${"\u0301".repeat(4)}\\u0301\\u0301`],
    ["日本語 – “ok”", "日本語 – “ok”"],
  ])("%j is %j", (text, shown) => expect(visibleLine(text)).toBe(shown));

  test.each([
    0x2800, 0x2d7f, 0xfffc, 0x1107f, 0x13441, 0x16fe4, 0x1bc9d, 0x1d159, 0x1da9b, 0x1daaf, 0x3164, 0xe0041,
  ])("shows U+%x, which draws nothing", (code) =>
    expect(visibleLine(`a${String.fromCodePoint(code)}b`)).toMatch(/^a(?:\\u[0-9a-f]{4}){1,2}b$/),
  );

  test("keeps its lines and tabs", () => expect(visibleText("a\n\tb\u200b")).toBe("a\n\tb\\u200b"));
});
