import { describe, expect, test } from "vitest";
import { inShort, play } from "./run.ts";
import { FakeSite } from "./site.ts";

const CONTACT = '- page pg_contact "Contact" slug=contact focus';
const HERO = '- section sc_contact_0 "Hero" of page pg_contact';
const FORM = '- section sc_contact_1 "Write to us" of page pg_contact';

/** Sends these one after another on one site; returns the calls and the answer of the last one. */
function talk(
  messages: readonly string[],
  memory: readonly string[] = [],
): { calls: string[]; text: string } {
  const site = new FakeSite();
  const earlier: ["user" | "assistant", string][] = [];
  let last = { calls: [] as string[], text: "" };
  for (const message of messages) {
    const played = play(site, message, { earlier, memory });
    last = { calls: inShort(played), text: played.text };
    earlier.push(["user", message], ["assistant", played.text]);
  }
  return last;
}

describe("“it” stays the page in focus when the run began, while the run changes memory", () => {
  const during = (message: string, first: readonly string[], then: readonly string[]) => {
    const played = play(new FakeSite(), message, { memory: (step) => (step === 1 ? first : then) });
    return { calls: inShort(played), text: played.text };
  };

  test("also when it is deleted and no longer in memory", () => {
    const { calls, text } = during("delete it", [CONTACT, HERO], ['- page pg_about "About" slug=about']);
    expect(calls).toEqual(['page_delete ["pg_contact"]']);
    expect(text).toContain('"Contact" is deleted');
  });

  test("also when it has a new name, and the answer says the old one", () => {
    const renamed = '- page pg_contact "Say hello" slug=contact focus';
    const { calls, text } = during("rename it to Say hello", [CONTACT], [renamed]);
    expect(calls).toEqual(["page_update pg_contact Say hello"]);
    expect(text).toContain('The page "Contact" is called "Say hello" now');
  });

  test("also when reading its page puts another section in focus", () => {
    const read = [CONTACT, `${HERO} focus`, FORM];
    expect(during("hide it", [CONTACT, `${FORM} focus`], read).calls).toEqual([
      "page_get pg_contact",
      "section_update sc_contact_1 true",
    ]);
  });
});

test("after a list of several pages, “it” is none of them, whatever memory has in focus", () => {
  const { calls, text } = talk(["what pages do we have?", "delete it"], [CONTACT]);
  expect(text).toContain("Which page do you mean?");
  expect(calls).toEqual(["site_overview"]);
});

test("a page in memory without focus is not “it”", () => {
  const { calls, text } = talk(["rename it to Nowhere"], ['- page pg_about "About" slug=about']);
  expect(text).toContain("Which page do you mean?");
  expect(calls).toEqual(["site_overview"]);
});
