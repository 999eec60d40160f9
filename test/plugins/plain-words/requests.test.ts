import { describe, expect, test } from "vitest";
import {
  classify,
  resumedRun,
  type Classified,
  type ClassifyInput,
} from "../../../src/cairn/core/guards/budget/classify.ts";
import { WORDS } from "../../../src/plugins/plain-words/words.ts";

const of = (text: string, more: Partial<ClassifyInput> = {}): Classified =>
  classify(
    { text, attachments: 0, explicit: null, resumed: null, open: null, canResearch: true, ...more },
    WORDS,
  );
const short = ({ profile, rule, score }: Classified): unknown[] => [profile, rule, score];

describe("the rules, first match wins", () => {
  test.each<[string, string, number]>([
    ["hi", "trivial", 4],
    ["ok", "trivial", 4],
    ["Thank you very much!", "trivial", 4],
    ["Guten Morgen", "trivial", 4],
    ["Merci beaucoup !", "trivial", 4],
    ["¡Muchas gracias!", "trivial", 4],
    ["👍", "trivial", 4],
    ["hi?", "simple", 7],
    ["42", "simple", 7],
    ["发布首页吧", "simple", 7],
    ["Thanks, now delete the page", "simple", 7],
    ["Remember that our tone is friendly", "simple", 5],
    ["Merke dir: wir duzen", "simple", 5],
    ["Note the colour blue", "simple", 5],
    ["What is on the About page?", "simple", 7],
    ["Rename the About page to Company", "simple", 7],
    ["Create an About page with a hero image, then add it to the navigation", "standard", 7],
    ["Erstelle eine Seite und veröffentliche sie", "standard", 7],
    ["Crée une page et publie-la, puis supprime l'ancienne", "standard", 7],
    ["Read https://example.com/about", "standard", 7],
    ["Fix this:\n```\nlet x\n```", "standard", 7],
    ["Who are you? What can you do?", "standard", 7],
    ["Find articles about user preference models and report", "research", 6],
    ['Research "hi" in twelve languages and report', "research", 6],
    ["Please compare both prices in a table", "research", 6],
    ["Vergleiche die beiden Anbieter in einer Tabelle", "research", 6],
    ["Investiga las opciones y haz un informe", "research", 6],
    ["Compare the two pages", "simple", 7],
    ["Put a table on the research page", "simple", 7],
    ["Open the compare page with its table", "simple", 7],
  ])("%j is %s by rule %i", (text, profile, rule) => {
    const found = of(text);
    expect([found.profile, found.rule]).toEqual([profile, rule]);
  });

  test("the whole text counts, never a quoted part of it", () => {
    const quoted =
      'He wrote "hi". Create a page about it, publish it, and also send me the link. Then delete the old one.';
    expect(short(of(quoted))).toEqual(["complex", 7, 3]);
  });

  test.each(["ok", "Yes, do it", "go ahead", "Ja bitte", "mach das", "vas-y", "Sí, adelante", "proceed"])(
    "%j goes on with what is open, and is trivial where nothing is",
    (text) => {
      expect(of(text, { open: "complex" })).toMatchObject({ profile: "complex", rule: 3 });
      expect(of(text, { open: "trivial" })).toMatchObject({ profile: "standard", rule: 3 });
      expect(of(text).rule).not.toBe(3);
    },
  );

  test.each([
    "yes, but delete the page first",
    "please",
    "do it with the blue image and not the red one",
    "",
  ])("%j is no plain yes", (text) => {
    expect(of(text, { open: "complex" }).rule).not.toBe(3);
  });
});

describe("the score", () => {
  test.each<[string, number]>([
    ["One thing", 0],
    ["One. Two. Three.", 1],
    ["Version 1.2.3 of a.b.c", 0],
    ["a and b and c then d", 1],
    ["Why? How?", 1],
    ["Do:\n- one\n- two", 2], // three lines are three sentences as well
    ["the `main` file", 1],
    ['{"a": 1}', 1],
    ["NASA and ESA", 1],
    ["An API", 0],
    ["see www.example.com", 1],
    ["create and delete it", 1],
    ["create and make and build it", 0],
    ["x".repeat(400), 0],
    ["x".repeat(401), 1],
  ])("of %j is %i", (text, score) => {
    expect(of(text).score).toBe(score);
  });

  test("of three or more is a complex run", () => {
    expect(
      of("Create A. Then publish it. And then delete B, and also see https://example.com.").profile,
    ).toBe("complex");
  });
});

test("work is asked for in a class of standard and above, or by a verb that changes or researches", () => {
  const texts = ["hi", "What is there?", "Rename it", "Compare the two pages", "One. Two. Three."];
  expect(texts.map((text) => of(text).work)).toEqual([false, false, true, true, true]);
});

test.each<[string, string | null]>([
  ["continue", "last"],
  ["Continue with the page", "last"],
  ["weiter", "last"],
  ["do not continue", null],
  [`continue ${"x".repeat(100)}`, null],
])("%j takes up the run %s", (text, run) => {
  expect(resumedRun(text, WORDS)).toBe(run);
});

test("a text of any size and shape is classed in no time that grows faster than it", () => {
  for (const piece of ["and ", "`", '{"', "- a\n", "a.b ", "AA ", "[", "www.", "日"]) {
    expect(of(piece.repeat(40_000)).profile).toMatch(/^(standard|complex)$/);
  }
});

test("without a tool that reads from outside nothing is research, unless somebody names it", () => {
  const text = "Find articles about user preference models and report";
  expect(of(text)).toMatchObject({ profile: "research", rule: 6 });
  expect(of(text, { canResearch: false })).toMatchObject({ rule: 7, work: true });
  expect(of(text, { canResearch: false, explicit: "research" }).profile).toBe("research");
});
