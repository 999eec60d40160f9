import { describe, expect, test } from "vitest";
import { hearMemory } from "../../../src/model/rehearsal/remembering.ts";
import { understand } from "../../../src/model/rehearsal/understand.ts";

describe("words to keep in mind", () => {
  test.each([
    ["remember that our tone is friendly", "tone friendly", "our tone is friendly"],
    ["Please remember: never mention prices.", "never mention prices", "never mention prices"],
    [
      "Note that the office is closed on Mondays!",
      "office closed on mondays",
      "the office is closed on Mondays",
    ],
    [
      "Keep in mind that 会社概要 is the company page",
      "会社概要 company page",
      "会社概要 is the company page",
    ],
  ])("%s", (message, key, value) => {
    expect(understand(message)).toEqual([{ kind: "remember", key, value }]);
  });

  test.each([
    ["what did I tell you about our tone?", "our tone"],
    ["What do you remember?", null],
    ["what do you remember about the office", "the office"],
    ["Do you remember what I told you about prices?", "prices"],
  ])("%s is asked from them", (message, query) => {
    expect(understand(message)).toEqual([{ kind: "recall", query }]);
  });

  test.each([
    "remember to publish the team page",
    "create a page called Remember",
    "What is on the home page?",
    "note",
  ])("%s is something else", (message) => {
    expect(hearMemory(message)).toBeNull();
  });
});
