import { describe, expect, test } from "vitest";
import { REHEARSAL_SIGNATURE, understoodBy } from "../../../src/plugins/rehearsal/answer-words.ts";
import { play } from "./run.ts";
import { FakeSite } from "./site.ts";

function say(message: string): { readonly text: string } {
  const site = new FakeSite();
  site.addPage("Team", "team");
  return play(site, message);
}

/** How much an answer shows to have been understood. */

describe("an answer of the rehearsal model", () => {
  test.each([
    "asdf qwer",
    "What's the weather like in Berlin?",
    "Sing me a song about the sea",
    "Kannst du mir ein Gedicht schreiben?",
    "blorb the frobnicate",
    "x".repeat(5_000),
  ])("to words that it cannot read has understood nothing: %s", (message) => {
    expect(understoodBy(say(message).text)).toBe("nothing");
  });

  test.each(["hello", "help", "Which pages are on the site?", "/say Done."])(
    "to %s has understood all",
    (message) => {
      expect(understoodBy(say(message).text)).toBe("all");
    },
  );

  test("to a question among words that it cannot read has understood a part", () => {
    const { text } = say("Which pages are on the site? What's the weather like in Berlin?");
    expect(understoodBy(text)).toBe("part");
  });
});

test("the answer of a language model is taken for understood, whatever its words", () => {
  expect(understoodBy("I changed nothing. I do not understand this.")).toBe("all");
  expect(understoodBy(`I changed nothing. I do not understand this.\n\n${REHEARSAL_SIGNATURE}\n`)).toBe(
    "nothing",
  );
});
