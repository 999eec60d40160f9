import { NO_WORDS } from "../../../../../src/cairn/core/guards/no-words.ts";
import type { PlainWords } from "../../../../../src/cairn/core/guards/words.ts";

/** Words that object to a few fixed sentences, for the tests of what the review makes of their answers. */
export const STRICT: PlainWords = {
  ...NO_WORDS,
  qualityOf: (text, background) =>
    /^(On it|Working on it)/.test(text) ? "ack" : NO_WORDS.qualityOf(text, background),
  promisesLater: (answer) => answer.endsWith("later."),
  hiddenFailures: ({ candidate }, failed) => (candidate.includes("failed") ? [] : failed),
  unbackedClaims: ({ candidate, calls }) =>
    candidate.includes("I published") && !calls.some(({ verbs }) => verbs?.includes("publish") === true)
      ? ["publish"]
      : [],
  hidesNoChange: ({ candidate }) => candidate.startsWith("Changed"),
};
