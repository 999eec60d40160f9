import { describe, expect, test } from "vitest";
import { shortAnswer } from "../../../../src/cairn/core/family/rollouts.ts";
import { NO_WORDS } from "../../../../src/cairn/core/guards/no-words.ts";
import type { PlainWords } from "../../../../src/cairn/core/guards/words.ts";
import type { Json } from "../../../../src/cairn/core/log/json.ts";

/** Two attempts agree where their short answers are the same: then the others are stopped, so in doubt there is none. */

/** Words that take every text for an answer. */
const ANY: PlainWords = { ...NO_WORDS, givesAnswer: (text) => text !== "" };
const said = (
  answer: string,
  more: { readonly value?: Json; readonly outcome?: "completed" | "failed_provider" } = {},
  words = ANY,
) => shortAnswer({ outcome: "completed", answer, ...more }, words);
const agree = (one: string, other: string): boolean => said(one) !== null && said(one) === said(other);

test.each([
  ["2,104 m", "**2,104 m**"],
  ["2,104 m\n\nBy the road office.", "**2,104 m**\nBy the road office [e2]."],
  ["2,104 m", "2,104 m."],
  ["Yes", "yes."],
  ["About 5 MW.", "about 5 MW [e3]"],
  ["-5 °C", "−5 °C"],
  ["-5 °C", "`-5 °C`"],
  ["It is in Zürich", "It is in Zürich."],
  ["The Grimsel opens on 28 May 2026 [e1].", "The Grimsel opens on 28 May 2026 [e1, e2]."],
  ["# Answer\n\n5 m", "5 m"],
  ["Answer:\n5 m", "## Result\n\n5 m"],
  ["Result\n======\n\n5 m", "5 m"],
])("%j and %j agree", (one, other) => {
  expect(said(one)).not.toBeNull();
  expect(said(one)).toBe(said(other));
});

test.each([
  ["-5 °C", "5 °C"],
  ["−5 °C", "5 °C"],
  ["+5 %", "-5 %"],
  ["±5 m", "5 m"],
  ["x < 5", "x > 5"],
  ["x <= 5", "x < 5"],
  ["x ≤ 5", "x ≥ 5"],
  ["x = 5", "x != 5"],
  ["x = 5", "x ≠ 5"],
  ["~5 m", "5 m"],
  ["2 * 3", "2 + 3"],
  ["2*3*4", "234"],
  ["5!", "5"],
  ["10^5", "105"],
  ["10⁵", "105"],
  ["m²", "m2"],
  ["5 mW", "5 MW"],
  ["5 m", "5 km"],
  ["5 m", "5 ft"],
  ["$5", "€5"],
  ["5 %", "5"],
  ["1/2", "12"],
  ["1:2", "12"],
  ["1.5", "15"],
  ["1,5", "15"],
  ["(5)", "5"],
  ["It is open.", "It is not open."],
  ["It isn't open", "It isnt open"],
  ["possible", "impossible"],
  ["C++", "C"],
  ["C#", "C"],
  ["A & B", "A B"],
  ["A | B", "A B"],
  ["is it open?", "is it open"],
  ["5…", "5"],
  ["~~5~~ 6", "5 6"],
  ["# Answer\n\n5 m", "# Answer\n\n6 m"],
  ["Answer:\n5 m", "Answer:\n6 m"],
  ["**Answer:**\n5 m", "**Answer:**\n6 m"],
  ["Result\n\n5 m", "Result\n\n6 m"],
  ["Result\n---\n5 m", "Result\n---\n6 m"],
  ["**Summary**\n\n5 m", "**Summary**\n\n6 m"],
  ["Result 1\n\n5 m", "Result 1\n\n6 m"],
  ["---\n\n5 m.", "---\n\n6 m."],
  ["Here is the answer.\n\nYes", "Here is the answer.\n\nNo"],
  ["Sure!\n\n5", "Sure!\n\n6"],
  ["I have checked 3 sources.\n\n5 m", "I have checked 3 sources.\n\n6 m"],
  ["2026\n\n1. A", "2026\n\n1. B"],
  ["5 m\n\nbut only in winter", "5 m"],
  ["2**3**4", "234"],
  ["The name is __call__ 2", "The name is call 2"],
  ["It is *not* 5", "It is not 5"],
  ["NO", "No"],
  ["CO 2", "Co 2"],
  ["mA 5", "MA 5"],
  ["Pa 5", "pa 5"],
  ["5[e1]0", "50"],
])("%j and %j do not agree", (one, other) => {
  expect(agree(one, other)).toBe(false);
});

test.each([
  ["a heading alone", "# Answer"],
  ["a label alone", "Answer:"],
  ["an item of a list", "- 5 °C\n- 6 °C"],
  ["a numbered item", "1. Open the door\n2. Close it"],
  ["a quote", "> 5 m"],
  ["a table", "| a | b |\n| - | - |"],
  ["code", "```\n5\n```"],
  ["markup", "<del>5</del> 6"],
  ["marks alone", "[e1, e2]"],
  ["nothing", " \n "],
  ["too much", "x".repeat(1_000)],
])("%s is no short answer", (_, answer) => {
  expect(said(answer)).toBeNull();
});

describe("without words", () => {
  const form = (answer: string, value?: Json) => said(answer, value === undefined ? {} : { value }, NO_WORDS);

  test.each(["42", "-5 °C", "14 ferries", "$5"])("%j is an answer", (answer) => {
    expect(form(answer)).toBe(answer);
  });

  test.each(["Yes", "It is in Zürich", "404 not found", "Not found in 3 sources", "5?", "I read 3 pages"])(
    "%j is none to agree on",
    (answer) => {
      expect(form(answer)).toBeNull();
    },
  );

  test("so is a value whose texts are no numbers", () => {
    expect(form("", { metres: 2164, open: true })).not.toBeNull();
    expect(form("", { pass: "Grimsel", metres: 2164 })).toBeNull();
  });
});

describe("a value", () => {
  test("is the answer, whatever the words say, in any order of its keys", () => {
    expect(said("# One", { value: { a: 1, b: "x" } })).toBe(said("Two", { value: { b: "x", a: 1 } }));
    expect(said("", { value: -5 })).not.toBe(said("", { value: 5 }));
    expect(said("", { value: false })).not.toBeNull();
    expect(said("", { value: 0 })).not.toBeNull();
  });

  test.each<[Json]>([[null], [""], [[]], [{}], [{ answer: null }], [{ found: false, answer: "" }]])(
    "that says nothing (%j) agrees with nothing",
    (value) => {
      expect(said("5 m", { value })).toBeNull();
    },
  );
});

test("an attempt that has not answered says nothing, whatever it wrote", () => {
  expect(said("5 m", { outcome: "failed_provider" })).toBeNull();
  expect(said("", { outcome: "failed_provider", value: 5 })).toBeNull();
});
