import { describe, expect, test } from "vitest";
import anyLanguage from "../../../src/plugins/plain-words/data/any-language.md";
import channels from "../../../src/plugins/plain-words/data/channels.md";
import numbers from "../../../src/plugins/plain-words/data/numbers.md";
import otherLanguages from "../../../src/plugins/plain-words/data/other-languages.md";
import requests from "../../../src/plugins/plain-words/data/requests.md";
import { LANGUAGES, PHRASES, VERBS } from "../../../src/plugins/plain-words/languages.ts";
import type { Phrase } from "../../../src/plugins/plain-words/lexicon.ts";
import { Lists } from "../../../src/plugins/plain-words/lists.ts";

const PHRASES_READ: Readonly<Record<Phrase, true>> = {
  ack: true,
  assent: true,
  done: true,
  failure: true,
  noFailure: true,
  promise: true,
  noPromise: true,
  condition: true,
  asksPerson: true,
  closing: true,
  asksToKnow: true,
  asksForPast: true,
  yesNo: true,
  asksToCheck: true,
  inOrder: true,
  asksForText: true,
  negative: true,
  small: true,
};

describe("a data file", () => {
  const lists = new Lists(
    "# File\n\n## pets\n\n```\ncats?\n(big )?dog\n```\n\n## wish\n\n```\nget {pets} now\n```\n",
  );

  test("is lists by their headings, a word or phrase on each line", () => {
    expect(lists.names).toEqual(["pets", "wish"]);
    expect(lists.lines("pets")).toEqual(["cats?", "(big )?dog"]);
    expect([...lists.words("pets")]).toEqual(["cats?", "(big )?dog"]);
    expect(lists.has("cars")).toBe(false);
    expect(() => lists.lines("cars")).toThrow('no list "cars"');
  });

  test("has phrases whose groups capture nothing, and that may name a list", () => {
    expect(lists.pattern("pets")).toBe("cats?|(?:big )?dog");
    expect(lists.pattern("wish")).toBe("get (?:cats?|(?:big )?dog) now");
    expect(new Lists("## a\n\n```\n\\(x{1,2}\n(?!b)c\n```\n").pattern("a")).toBe("\\(x{1,2}|(?!b)c");
  });
});

describe("the lists", () => {
  const all = [
    ...LANGUAGES.flatMap((language) => [
      [`${language}/phrases`, PHRASES[language]] as const,
      [`${language}/verbs`, VERBS[language]] as const,
    ]),
    ...Object.entries({ anyLanguage, channels, numbers, requests }).map(
      ([name, file]) => [name, new Lists(file)] as const,
    ),
  ];

  test.each(all)("of %s are patterns, on lines that a person can read", (_name, lists) => {
    expect(lists.names.length).toBeGreaterThan(2);
    for (const name of lists.names) {
      expect(() => new RegExp(lists.pattern(name), "u"), name).not.toThrow();
      for (const line of lists.lines(name)) {
        expect(line, name).toBe(line.trim());
        expect(line.length, line).toBeGreaterThan(0);
        expect(line.length, line).toBeLessThanOrEqual(120);
      }
      expect(lists.words(name).size, name).toBe(lists.lines(name).length);
    }
  });

  test("have every phrase in each language, and the grammar its words", () => {
    for (const language of LANGUAGES)
      for (const phrase of [...Object.keys(PHRASES_READ), "unreal", "elsewhere", "earlier"])
        expect(PHRASES[language].has(phrase), `${language}: ${phrase}`).toBe(true);
  });

  test("of other languages are words with stars", () => {
    const lists = new Lists(otherLanguages);
    expect(lists.names).toEqual(["small", "notSo", "wish", "text"]);
    for (const name of lists.names)
      for (const word of lists.lines(name)) expect(word).toMatch(/^\*?[^\s*]+\*?$/u);
  });
});
