import { expect, test } from "vitest";
import { stretches } from "../../src/page/parts/unseen.ts";

const shown = (text: string, ordinary: boolean): string =>
  stretches(text, { ordinary })
    .map(({ text: said, unseen }) => (unseen === null ? said : `[${said}]`))
    .join("");

test("what is not seen stands there in escapes, with its kind", () => {
  expect(stretches("a\u202eb")).toEqual([
    { text: "a", unseen: null },
    { text: "\\u202e", unseen: "bidirectional embeddings and overrides" },
    { text: "b", unseen: null },
  ]);
  expect(stretches("plain")).toEqual([{ text: "plain", unseen: null }]);
  expect(stretches("")).toEqual([]);
});

test.each([
  ["a family", "👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"],
  ["a red heart", "❤\ufe0f", "❤\ufe0f"],
  ["Persian with a non-joiner", "می\u200cخواهم", "می\u200cخواهم"],
  ["a soft hyphen", "Donau\u00addampf", "Donau\u00addampf"],
  ["a word broken to pass a filter", "to\u200dken", "to[\\u200d]ken"],
  ["an override", "a\u202eb", "a[\\u202e]b"],
  ["a zero-width space", "a\u200bb", "a[\\u200b]b"],
  ["tags that spell words", "a\u{e0041}", "a[\\udb40\\udc41]"],
])("in an answer, of %s only what hides is shown", (_name, text, expected) => {
  expect(shown(text, true)).toBe(expected);
});

test("where somebody decides, all of it is shown", () => {
  expect(shown("👨\u200d👩", false)).toBe("👨[\\u200d]👩");
  expect(shown("❤\ufe0f", false)).toBe("❤[\\ufe0f]");
});
