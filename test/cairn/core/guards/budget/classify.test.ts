import { describe, expect, test } from "vitest";
import {
  classify,
  readMode,
  resumedRun,
  withLabel,
  type Classified,
  type ClassifyInput,
} from "../../../../../src/cairn/core/guards/budget/classify.ts";
import { NO_WORDS } from "../../../../../src/cairn/core/guards/no-words.ts";
import type { PlainWords, RequestCues } from "../../../../../src/cairn/core/guards/words.ts";
import type { ClassLabel } from "../../../../../src/cairn/core/log/verdict.ts";

const NO_CUES = NO_WORDS.cuesOf("");
/** Words that find these cues in every text. */
const finding = (cues: Partial<RequestCues>): PlainWords => ({
  ...NO_WORDS,
  cuesOf: () => ({ ...NO_CUES, ...cues }),
});
const of = (text: string, more: Partial<ClassifyInput> = {}, by: PlainWords = NO_WORDS): Classified =>
  classify(
    { text, attachments: 0, explicit: null, resumed: null, open: null, canResearch: true, ...more },
    by,
  );

describe("the rules, first match wins", () => {
  test.each<[string, string, number]>([
    ["hi", "trivial", 4],
    ["ok", "trivial", 4],
    ["👍", "trivial", 4],
    ["hi?", "simple", 7],
    ["42", "simple", 7],
    ["发布首页吧", "simple", 7],
    ["Thank you very much!", "simple", 7],
    ["Rename the About page to Company", "simple", 7],
    ["Read https://example.com/about", "standard", 7],
    ["Fix this:\n```\nlet x\n```", "standard", 7],
    ["Who are you? What can you do?", "standard", 7],
    ["Find articles about user preference models and report", "simple", 7],
  ])("%j is %s by rule %i, without words", (text, profile, rule) => {
    const found = of(text);
    expect([found.profile, found.rule]).toEqual([profile, rule]);
  });

  test.each<[string, Partial<RequestCues>, string, number]>([
    ["a courtesy", { courtesy: true }, "trivial", 4],
    ["something to remember", { remembers: true }, "simple", 5],
    ["research with a report", { research: true, output: true }, "research", 6],
    ["research alone", { research: true }, "simple", 7],
    ["joined orders", { joiners: 3 }, "standard", 7],
    ["two changes", { changes: 2 }, "standard", 7],
    ["one change", { changes: 1 }, "simple", 7],
    ["a yes with nothing open", { goAhead: true }, "simple", 7],
  ])("%s is a cue", (_what, cues, profile, rule) => {
    const found = of("Look at the page", {}, finding(cues));
    expect([found.profile, found.rule]).toEqual([profile, rule]);
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

  test("a yes goes on with what is open; without words, so does any short reply", () => {
    const yes = finding({ goAhead: true });
    expect(of("Yes, do it", { open: "complex" }, yes)).toMatchObject({ profile: "complex", rule: 3 });
    expect(of("Yes, do it", { open: "trivial" }, yes)).toMatchObject({ profile: "standard", rule: 3 });
    expect(of("Yes, do it", { open: "complex" }).rule).toBe(7);
    expect(of("ok", { open: "complex" })).toMatchObject({ profile: "complex", rule: 3 });
    expect(of("ok?", { open: "complex" }).rule).toBe(7);
    expect(of("", { open: "complex" }).rule).not.toBe(3);
  });
});

describe("the score", () => {
  test.each<[string, number]>([
    ["One thing", 0],
    ["One. Two. Three.", 1],
    ["Version 1.2.3 of a.b.c", 0],
    ["Why? How?", 1],
    ["Do:\n- one\n- two", 2], // three lines are three sentences as well
    ["the `main` file", 1],
    ['{"a": 1}', 1],
    ["NASA and ESA", 1],
    ["An API", 0],
    ["see www.example.com", 1],
    ["x".repeat(400), 0],
    ["x".repeat(401), 1],
  ])("of %j is %i", (text, score) => {
    expect(of(text).score).toBe(score);
  });

  test("of three or more is a complex run", () => {
    expect(of("Look at A. Then at B. And at https://example.com: NASA and ESA.").profile).toBe("complex");
  });
});

describe("a floor", () => {
  test("an attachment makes it standard at least, also beside a courtesy", () => {
    expect(of("hi", { attachments: 1 })).toMatchObject({ profile: "standard" });
    expect(of("remember this", { attachments: 1 }, finding({ remembers: true })).profile).toBe("standard");
  });
});

test("work is asked for in a class of standard and above, or by a cue of a change or of research", () => {
  expect(of("One. Two. Three.").work).toBe(true);
  expect(of("What is there").work).toBe(false);
  expect(of("Rename it", {}, finding({ changes: 1 })).work).toBe(true);
  expect(of("Compare them", {}, finding({ research: true })).work).toBe(true);
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
  ["what came of r12?", "r12"],
  ["use ses.r3 again", "r3"],
  ["r0 or r2d2 or for1 r", null],
  ["continue", null],
])("%j takes up the run %s", (text, run) => {
  expect(resumedRun(text, NO_WORDS)).toBe(run);
});

test("a short text with a cue for it takes up the last run", () => {
  const cue = finding({ resumes: true });
  expect(resumedRun("Go on with it", cue)).toBe("last");
  expect(resumedRun("x".repeat(100), cue)).toBeNull();
});

test("without a tool that reads from outside nothing is research, unless somebody names it", () => {
  const cue = finding({ research: true, output: true });
  expect(of("Look there", {}, cue)).toMatchObject({ profile: "research", rule: 6 });
  expect(of("Look there", { canResearch: false }, cue)).toMatchObject({ rule: 7, work: true });
  expect(of("Look there", { canResearch: false, explicit: "research" }, cue).profile).toBe("research");
});

describe("the label of a model", () => {
  const label = (level: ClassLabel["level"], confidence = 0.9): ClassLabel => ({ level, confidence });
  const after = (text: string, said: ClassLabel | null, more: Partial<ClassifyInput> = {}): string =>
    withLabel(of(text, more), said, more.canResearch ?? true).profile;
  const simple = "What is on the About page?";
  const standard = "Who are you? What can you do?";

  test.each<[string, string, ClassLabel | null, string]>([
    ["none leaves it", simple, null, "simple"],
    ["makes it larger, however sure the model is", simple, label("complex", 0.1), "complex"],
    ["makes it smaller by one, where the model is sure", standard, label("trivial"), "simple"],
    ["does not make it smaller where it is not", standard, label("simple", 0.79), "standard"],
    ["leaves its floor", "Read https://example.com/about", label("trivial"), "standard"],
    ["says nothing of a courtesy", "hello", label("complex"), "trivial"],
  ])("%s", (_what, text, said, expected) => {
    expect(after(text, said)).toBe(expected);
  });

  test("does not make work smaller whose words say more than one thing", () => {
    const text = "Create a page. Write a post. Read https://example.com?";
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
