import { describe, expect, test } from "vitest";
import {
  classify,
  readMode,
  resumed,
  withLabel,
  type Classified,
  type ClassifyInput,
} from "../../../../../src/cairn/core/guards/budget/classify.ts";
import type { ClassLabel } from "../../../../../src/cairn/core/log/verdict.ts";

const of = (text: string, more: Partial<ClassifyInput> = {}): Classified =>
  classify({ text, attachments: 0, explicit: null, resumed: null, open: null, canResearch: true, ...more });
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

  test("what is said in so many words goes before all of it", () => {
    expect(of("hi", { explicit: "research", resumed: "trivial" })).toMatchObject({
      profile: "research",
      rule: 1,
    });
    expect(of("hi", { explicit: "lean" })).toMatchObject({ profile: "lean", rule: 1, work: false });
  });

  test("an earlier run that is taken up gives its class, at least standard", () => {
    const classes = ["trivial", "lean", "standard", "complex", "research", "time_capsule"] as const;
    expect(classes.map((profile) => of("continue", { resumed: profile }).profile)).toEqual([
      "standard",
      "standard",
      "standard",
      "complex",
      "research",
      "complex",
    ]);
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

describe("a floor", () => {
  test("an attachment makes it standard at least, also beside a courtesy", () => {
    expect(of("hi", { attachments: 1 })).toMatchObject({ profile: "standard" });
    expect(of("remember this", { attachments: 1 }).profile).toBe("standard");
  });
});

test("work is asked for in a class of standard and above, or by a verb that changes or researches", () => {
  const texts = ["hi", "What is there?", "Rename it", "Compare the two pages", "One. Two. Three."];
  expect(texts.map((text) => of(text).work)).toEqual([false, false, true, true, true]);
});

test.each<[string, string | null, string]>([
  ["/lean rename it", "lean", "rename it"],
  ["  /FAST\nrename it", "lean", "rename it"],
  ["[Lean]rename it", "lean", "rename it"],
  ["[FAST] rename it", "lean", "rename it"],
  ["/leaner rename it", null, "/leaner rename it"],
  ["rename /lean", null, "rename /lean"],
])("%j begins with the mode %s", (text, profile, rest) => {
  expect(readMode(text)).toEqual({ profile, text: rest });
});

test.each<[string, string | null]>([
  ["continue", "last"],
  ["Continue with the page", "last"],
  ["weiter", "last"],
  ["what came of r12?", "r12"],
  ["use ses.r3 again", "r3"],
  ["r0 or r2d2 or for1 r", null],
  ["do not continue", null],
  [`continue ${"x".repeat(100)}`, null],
])("%j takes up the run %s", (text, run) => {
  expect(resumed(text)).toBe(run);
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

describe("the label of a model", () => {
  const label = (level: ClassLabel["level"], confidence = 0.9): ClassLabel => ({ level, confidence });
  const after = (text: string, said: ClassLabel | null, more: Partial<ClassifyInput> = {}): string =>
    withLabel(of(text, more), said, more.canResearch ?? true).profile;
  const simple = "What is on the About page?";
  const standard = "Create an About page with a hero image, then add it to the navigation";

  test.each<[string, string, ClassLabel | null, string]>([
    ["none leaves it", simple, null, "simple"],
    ["makes it larger, however sure the model is", simple, label("complex", 0.1), "complex"],
    ["makes it smaller by one, where the model is sure", standard, label("trivial"), "simple"],
    ["does not make it smaller where it is not", standard, label("simple", 0.79), "standard"],
    ["leaves its floor", "Read https://example.com/about", label("trivial"), "standard"],
    ["says nothing of a courtesy", "Thank you very much!", label("complex"), "trivial"],
  ])("%s", (_what, text, said, expected) => {
    expect(after(text, said)).toBe(expected);
  });

  test("does not make work smaller whose words say more than one thing", () => {
    const text = "Create a page. Write a post. Then also publish both and send them, and after that tell me?";
    expect(of(text).score).toBeGreaterThan(1);
    expect(after(text, label("trivial", 1))).toBe(of(text).profile);
  });

  test("says nothing of a class that was asked for, or goes on", () => {
    expect(after(simple, label("complex"), { explicit: "lean" })).toBe("lean");
    expect(after(simple, label("complex"), { resumed: "standard" })).toBe("standard");
    expect(after("yes", label("complex"), { open: "standard" })).toBe("standard");
  });

  test("is no research without a tool for it", () => {
    expect(after(simple, label("research"))).toBe("research");
    expect(after(simple, label("research"), { canResearch: false })).toBe("simple");
  });

  test("makes work of what it takes for work", () => {
    expect(of(simple).work).toBe(false);
    expect(withLabel(of(simple), label("standard"), true).work).toBe(true);
  });
});
