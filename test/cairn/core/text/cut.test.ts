import { describe, expect, test } from "vitest";
import {
  boundaryBefore,
  endOf,
  firstCharacters,
  shortened,
  startOf,
} from "../../../../src/cairn/core/text/cut.ts";

/** One visible character each. */
const CHARACTERS = [
  ["a family", "👨‍👩‍👧‍👦"],
  ["a flag", "🇩🇪"],
  ["a flag of a region", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"],
  ["a skin tone", "👍🏽"],
  ["a keycap", "1️⃣"],
  ["a letter with marks", "e\u0301\u0323"],
  ["a conjunct", "क्षि"],
  ["Hangul in parts", "\u1112\u1161\u11ab"],
  ["a heart with its color", "❤️"],
  ["a line end of Windows", "\r\n"],
] as const;

describe("a visible character", () => {
  test.each(CHARACTERS)("is never cut: %s", (_what, character) => {
    for (const before of ["", "ab", "🇫🇷", "é "]) {
      const text = `${before}${character}c`;
      const end = before.length + character.length;
      for (let at = before.length; at < end; at++) expect(boundaryBefore(text, at)).toBe(before.length);
      expect(boundaryBefore(text, end)).toBe(end);
    }
  });

  test.each(CHARACTERS)("is whole or gone at the beginning of an end: %s", (_what, character) => {
    const text = `abc${character}de`;
    for (let units = 0; units <= text.length; units++) {
      const end = endOf(text, units);
      expect(end.length).toBeLessThanOrEqual(units);
      expect([text, `bc${character}de`, `c${character}de`, `${character}de`, "de", "e", ""]).toContain(end);
    }
  });

  test("that is longer than 128 units is cut between two code points", () => {
    const text = `a${"\u0301".repeat(400)}`;
    expect(boundaryBefore(text, 300)).toBe(300);
    const tags = `🏴${"\u{e0061}".repeat(200)}`;
    expect(boundaryBefore(tags, 301)).toBe(300);
  });
});

test("a text that fits stays as it is, and a cut one has at most the length that is asked for", () => {
  expect([startOf("abc", 3), shortened("abc", 3)]).toEqual(["abc", "abc"]);
  expect([startOf("abcd", 3), shortened("abcd", 3)]).toEqual(["abc", "ab…"]);
  expect(shortened("ab👍🏽c", 6)).toBe("ab…");
});

test.each(CHARACTERS)("the first visible characters are counted: %s", (_what, character) => {
  const text = character.repeat(4);
  expect(firstCharacters(text, 4)).toBe(text);
  expect(firstCharacters(text, 3)).toBe(`${character.repeat(2)}…`);
});
