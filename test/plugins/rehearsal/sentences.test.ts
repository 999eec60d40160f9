import { expect, test } from "vitest";
import { understoodBy } from "../../../src/plugins/rehearsal/answer-words.ts";
import { cmsPack, imagesPack } from "../../../src/plugins/cms/pack.ts";
import { inShort, play, type Played } from "./run.ts";
import { ABOUT_IN_FOCUS, NOT_UNDERSTOOD, UNDERSTOOD, type Sentence } from "./sentences.ts";
import { FakeSite } from "./site.ts";

function playHere({ text, memory = [] }: Omit<Sentence, "calls">, site = new FakeSite()): Played {
  site.addPage("Team", "team");
  return play(site, text, { memory });
}

test.each(UNDERSTOOD)("“$text” gets exactly the expected calls", (sentence) => {
  const played = playHere(sentence);
  expect(inShort(played)).toEqual(sentence.calls);
  expect(played.calls.filter(({ ok }) => !ok)).toEqual([]);
  expect(understoodBy(played.text)).toBe("all");
});

/** Calls of it would change the site. */
const isRead = (name: string): boolean => /^(?:site_overview|page_list|page_get|image_search)$/u.test(name);

/** A line that reports a change. */
const CLAIM =
  /^(?:The (?:page|\w+ of the) .* (?:is|has) |"[^"]+" (?:is published|is no longer|is deleted|has) )/mu;

test.each(NOT_UNDERSTOOD)("“%s” changes nothing", (text) => {
  const site = new FakeSite();
  const before = JSON.stringify([site.pages, site.nav]);
  const { calls, text: answer } = play(site, text, { memory: ABOUT_IN_FOCUS });
  expect(calls.filter(({ name }) => !isRead(name))).toEqual([]);
  expect(JSON.stringify([site.pages, site.nav])).toBe(before);
  expect(answer).not.toMatch(CLAIM);
});

test("a clause after an understood one that no form matches stops the whole message", () => {
  const tails = [
    ", but not yet",
    " unless it is empty",
    " when Ben agrees",
    " or the contact page",
    " tomorrow",
    ", then order a pizza",
    ". Never mind",
    ". Wait, no!",
    " 🎉",
  ];
  for (const { text, memory } of UNDERSTOOD)
    for (const tail of tails) {
      const sentence = { text: `${text.replace(/[.!?]$/u, "")}${tail}`, ...(memory ? { memory } : {}) };
      const changes = playHere(sentence).calls.filter(({ name }) => !isRead(name));
      expect({ sentence: sentence.text, changes }).toEqual({ sentence: sentence.text, changes: [] });
    }
});

test("the real tools accept the input of every call", () => {
  const schemas = new Map(
    [...cmsPack.tools, ...imagesPack.tools].map((tool) => [tool.definition.name, tool.definition.input]),
  );
  const endless = "endless ".repeat(60);
  const long = `Create a page called "${endless}" with a hero, features, a gallery and a cta, publish it and link it in the footer`;
  const calls = [...UNDERSTOOD, { text: long }].flatMap((sentence) => playHere(sentence).calls);
  const refused = calls.flatMap(({ name, input }) => {
    const parsed = schemas.get(name)?.safeParse(input);
    return parsed?.success === true ? [] : [{ name, input, issues: parsed?.error.issues }];
  });
  expect(refused).toEqual([]);
  expect(calls.length).toBeGreaterThan(100);
});

test("a new page has content in every required field, images of the library, and a button that leads to a page", () => {
  const text = 'Create a page called "Snow days" with a hero, features, a call to action and a gallery';
  const sections = playHere({ text }).calls.find(({ name }) => name === "page_create")?.input["sections"];
  expect(sections).toMatchObject([
    { template: "hero", content: { title: "Snow days", image: "im_ridge" } },
    { template: "feature", content: { items: [{}, {}, {}] } },
    { template: "cta", content: { buttonText: "Get in touch", buttonLink: "page:pg_contact" } },
    { template: "gallery", content: { images: ["im_ridge", "im_valley", "im_shelter"] } },
  ]);
  expect(JSON.stringify(sections)).not.toMatch(/lorem|todo|\{\{|\[insert|undefined|null/iu);
});

test("a new page has no gallery when the library is empty, and the answer says so", () => {
  const site = new FakeSite();
  site.images = [];
  const played = playHere({ text: "Create a page called Huts with a hero and a gallery" }, site);
  expect(inShort(played).at(-1)).toBe("page_create Huts | hero");
  expect(played.text).toContain("could not add the gallery, because the library has no image for it");
});

test.each(["会社概要", "Контакты", "من نحن"])("a page can have a name in any script: %s", (name) => {
  const { calls } = playHere({ text: `Create a page called ${name} and publish it` });
  expect(calls.find((call) => call.name === "page_create")?.input).toMatchObject({
    name,
    slug: expect.stringMatching(/^page-[0-9a-f]{6}$/u),
  });
});
