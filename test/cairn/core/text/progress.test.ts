import { expect, test } from "vitest";
import { boundedProgress, PROGRESS_CHARS_MAX } from "../../../../src/cairn/core/text/progress.ts";

test.each(["👨‍👩‍👧", "🇯🇵", "é", "क्षि", "1️⃣", "👍🏽"])(
  "a note of progress is cut before %s, not in it",
  (character) => {
    for (let at = 1; at < character.length; at++) {
      const before = "x".repeat(PROGRESS_CHARS_MAX - at);
      expect(boundedProgress(`${before}${character} more`)).toEqual({ text: before, percent: null });
    }
  },
);

test("a note that fits is stored as it is, with a whole percentage", () => {
  expect(boundedProgress("Half.", 50.4)).toEqual({ text: "Half.", percent: 50 });
  expect(boundedProgress("No number.", Number.NaN)).toEqual({ text: "No number.", percent: null });
});
