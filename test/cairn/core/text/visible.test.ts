import { describe, expect, test } from "vitest";
import {
  isPlainBlock,
  visibleLine,
  visibleString,
  visibleText,
} from "../../../../src/cairn/core/text/visible.ts";

/** Nothing in the text of a decision is there unseen, and ordinary words of every script are shown as they are. */

describe("a combining mark without a base is written out", () => {
  test.each([
    ["at the beginning", "\u0301abc", "\\u0301abc"],
    ["behind a blank", "a \u0301b", "a \\u0301b"],
    ["behind a no-break space", "a\u00a0\u0301b", "a\u00a0\\u0301b"],
    ["at the beginning of a line", "a\n\u0489b", "a\n\\u0489b"],
    ["behind a tab", "a\t\u093fb", "a\t\\u093fb"],
    ["all of a row", "\u0301\u0302\u0303a", "\\u0301\\u0302\\u0303a"],
    ["behind a zero-width space", "a\u200b\u0301b", "a\\u200b\\u0301b"],
    ["behind a filler, which is a letter", "a\u3164\u0301b", "a\\u3164\\u0301b"],
    ["behind a mark that draws nothing", "a\u034f\u0301b", "a\\u034f\\u0301b"],
    ["outside of the first plane", "\u{1133b}b", "\\ud804\\udf3bb"],
    ["that encloses", "\u20dd x", "\\u20dd x"],
  ])("%s", (_where, text, shown) => {
    expect(visibleText(text)).toBe(shown);
    expect(isPlainBlock(text)).toBe(false);
  });

  test.each([
    ["\u0301a", '"\\u0301a"'],
    ["\n\u0301a", '"\\n\\u0301a"'],
    ["a\u0301", '"a\u0301"'],
    ['"\u0301', '"\\"\\u0301"'],
  ])("also as a string of JSON, whose quotes and escapes are no base", (text, shown) => {
    expect(visibleString(text)).toBe(shown);
  });
});

describe("a sign that stacks letters unseen is written out where it stacks none", () => {
  test.each([
    ["at the end of a word of Khmer", "ក\u17d2 ក", "ក\\u17d2 ក"],
    ["twice", "ក\u17d2\u17d2ក", "ក\\u17d2\\u17d2ក"],
    ["behind a Latin letter", "pay\u17d2pal", "pay\\u17d2pal"],
    ["before a letter of another script", "က\u1039ក", "က\\u1039ក"],
    ["before a sign that is no letter", "ក\u17d2ា", "ក\\u17d2ា"],
    ["of Burmese in a number", "1\u10390", "1\\u10390"],
    ["of Tai Tham", "a\u1a60b", "a\\u1a60b"],
    ["of Chakma", "a\u{11133}b", "a\\ud804\\udd33b"],
    ["of Tulu, which is new", "a\u{113d0}b", "a\\ud804\\udfd0b"],
  ])("%s", (_where, text, shown) => {
    expect(visibleLine(text)).toBe(shown);
  });
});

test.each([
  ["Khmer", "ភាសាខ្មែរ ក្រុងភ្នំពេញ ស្ត្រី"],
  ["Burmese", "မြန်မာဘာသာ မန္တလေး အင်္ဂလိပ် ကမ္ဘာ"],
  ["Tai Tham", "ᨽᩣᩈᩣᨾᩮᩬᩥᨦ ᩈ᩠ᨠ"],
  ["Hindi", "हिन्दी भाषा, विद्यार्थी और क्षत्रिय"],
  ["Tamil", "தமிழ் மொழி"],
  ["Thai", "ภาษาไทย ที่นี่"],
  ["Hebrew with points", "שָׁלוֹם עֲלֵיכֶם"],
  ["Arabic with points", "السَّلَامُ عَلَيْكُمْ"],
  ["Vietnamese in parts", "Tiê\u0301ng Viê\u0323t"],
  ["a slashed sign", "a =\u0338 b"],
  ["emoji", "❤️ 👩‍👩‍👧 👍🏽 1️⃣ #️⃣"],
])("%s is shown as it is", (_language, text) => {
  expect(visibleText(text)).toBe(text);
  expect(isPlainBlock(text)).toBe(true);
});
