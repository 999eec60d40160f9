import { describe, expect, test } from "vitest";
import { inShort, play } from "./run.ts";
import { FakeSite } from "./site.ts";

const CONTACT = '- page pg_contact "Contact" slug=contact focus';
const HERO = '- section sc_contact_0 "Hero" of page pg_contact';
const FORM = '- section sc_contact_1 "Write to us" of page pg_contact';

/** Says these one after another on one site; the last one is told of with what was said before it. */
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

describe("what “it” was when it was said, it stays while the run changes what is in memory", () => {
  const during = (message: string, first: readonly string[], then: readonly string[]) => {
    const played = play(new FakeSite(), message, { memory: (step) => (step === 1 ? first : then) });
    return { calls: inShort(played), text: played.text };
  };

  test("also when it is deleted and memory knows nothing of it any more", () => {
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

describe("a place in a list", () => {
  const LIST = "what pages do we have?";

  test.each([
    ["publish the second page", ["page_get pg_about"]],
    ["what is on the first page?", ["page_get pg_home"]],
    ["rename the third one to Find us", ["page_update pg_contact Find us"]],
    ["delete the last page", ['page_delete ["pg_contact"]']],
    [
      "the second section of the second one: change its heading to Hello",
      ["page_get pg_about", 'section_update sc_about_1 {"heading":"Hello"}'],
    ],
    [
      "change the heading of the second section of the first page to Hello",
      ["page_get pg_home", 'section_update sc_home_1 {"heading":"Hello"}'],
    ],
    [
      'change the heading of the second section of the first page to "The first one"',
      ["page_get pg_home", 'section_update sc_home_1 {"heading":"The first one"}'],
    ],
    [
      "move the first section of the second page to the end",
      ["page_get pg_about", 'section_move sc_about_0 {"after":"sc_about_2"}'],
    ],
  ])("%s", (message, calls) => {
    const made = talk([LIST, message]).calls.filter((call) => call !== "site_overview");
    expect(made.slice(0, calls.length)).toEqual(calls);
  });

  test("stands for as long as there is no newer list", () => {
    expect(talk([LIST, "hello", "delete the second page"]).calls.at(-1)).toBe('page_delete ["pg_about"]');
  });

  test.each([
    ["without a list", ["publish the first page"]],
    ["beyond the end of the list", [LIST, "delete the fifth page"]],
    [
      "without a list, beside a page in focus",
      ["change the heading of the second section of the first one to Hello"],
    ],
    ["of a page that is gone since", [LIST, "delete the second page", "publish the second page"]],
  ])("%s is asked about", (_, messages) => {
    const { calls, text } = talk(messages, messages.length === 1 ? [CONTACT] : []);
    expect(text).toMatch(/^Which page do you mean\? The pages are /);
    expect(calls).toEqual(["site_overview"]);
  });

  test("of several is not “it”, whatever memory has in focus", () => {
    const { calls, text } = talk([LIST, "delete it"], [CONTACT]);
    expect(text).toContain("Which page do you mean?");
    expect(calls).toEqual(["site_overview"]);
  });
});

test("a page that is left alone in memory is not what “it” was before the other one was deleted", () => {
  const { calls, text } = talk(["rename it to Nowhere"], ['- page pg_about "About" slug=about']);
  expect(text).toContain("Which page do you mean?");
  expect(calls).toEqual(["site_overview"]);
});
