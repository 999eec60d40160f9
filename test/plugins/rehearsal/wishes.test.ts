import { describe, expect, test } from "vitest";
import { REHEARSAL_SIGNATURE as SIGNATURE } from "../../../src/plugins/rehearsal/answer-words.ts";
import { cmsPack, imagesPack } from "../../../src/plugins/cms/pack.ts";
import { CLAIMS_HOLD_MIN, score } from "./wishes/judge.ts";
import { playWish } from "./wishes/play.ts";
import { siteOf } from "./wishes/site.ts";
import { BLIND, WISHES } from "./wishes/wishes.ts";
import { inShort, play, type Played } from "./run.ts";
import { FakeSite } from "./site.ts";

describe("of all wishes", () => {
  const runs = WISHES.map(playWish);
  const { counts, wrong, open, claimsHold } = score(runs.map(({ judgement }) => judgement));
  const told = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
  console.info(
    `${WISHES.length} wishes: ${told.join(", ")}; ${(100 * claimsHold).toFixed(1)} % of the claims hold`,
  );
  const idsOf = (judgements: typeof wrong): string[] => judgements.map(({ wish }) => wish.id);

  test("there are 200 at least, and who worded half of them had not seen the table", () => {
    expect(WISHES.length).toBeGreaterThanOrEqual(200);
    expect(BLIND.length).toBeGreaterThanOrEqual(WISHES.length / 2);
  });

  test("none ends in a wrong write", () => {
    expect(idsOf(wrong)).toEqual([]);
  });

  test("each is done, done in part with the rest named, asked about, or answered with what it can do", () => {
    expect(idsOf(open)).toEqual([]);
  });

  test("those that it claims to have done are done", () => {
    expect(counts.done).toBeGreaterThan(80);
    expect(claimsHold).toBeGreaterThanOrEqual(CLAIMS_HOLD_MIN);
  });

  test("those that its table was made for are done whole, and where it would have to guess it asks or declines", () => {
    const own = runs.filter(({ judgement }) => !BLIND.includes(judgement.wish));
    const missed = own.filter(({ judgement: { wish, outcome } }) =>
      wish.wants === "nothing" ? outcome !== "asked" && outcome !== "declined" : outcome !== "done",
    );
    expect(missed.map(({ judgement, text }) => [judgement.wish.id, text])).toEqual([]);
  });

  test("each answer says what speaks", () => {
    expect(runs.filter(({ text }) => !text.endsWith(SIGNATURE)).map(({ text }) => text)).toEqual([]);
  });
});

function playHere(wish: string): Played {
  const site = new FakeSite();
  site.addPage("Team", "team");
  return play(site, wish, { memory: ['- page pg_about "About" slug=about focus'] });
}

test("every call that the wishes plan is accepted by the schema of the real tool", () => {
  const tools = [...cmsPack.tools, ...imagesPack.tools];
  const schemas = new Map(tools.map((tool) => [tool.definition.name, tool.definition.input]));
  const endless = "endless ".repeat(60);
  const long = [
    `Create a page called "${endless}" with a hero, features, a gallery and a cta, publish it and link it in the footer`,
    `Add the team page to the menu as "${endless}"`,
    `Search for "${endless}"`,
  ];
  const played = [...WISHES.map((wish) => play(siteOf(wish), wish.text)), ...long.map(playHere)];
  const calls = played.flatMap((one) => one.calls);
  const refused = calls.flatMap(({ name, input }) => {
    const parsed = schemas.get(name)?.safeParse(input);
    return parsed === undefined || parsed.success ? [] : [{ name, input, issues: parsed.error.issues }];
  });
  expect(refused).toEqual([]);
  expect(calls.filter(({ name }) => schemas.has(name)).length).toBeGreaterThan(150);
});

describe("a page that it makes", () => {
  test("has real content in every required field, an image from the library, and a button that leads to a page", () => {
    const wish = 'Create a page called "Snow days" with a hero, features, a call to action and a gallery';
    const sections = playHere(wish).calls.find((call) => call.name === "page_create")?.input["sections"];
    expect(sections).toMatchObject([
      { template: "hero", content: { title: "Snow days", image: "im_ridge" } },
      { template: "feature", content: { items: [{}, {}, {}] } },
      { template: "cta", content: { buttonText: "Get in touch", buttonLink: "page:pg_contact" } },
      { template: "gallery", content: { images: ["im_ridge", "im_valley", "im_shelter"] } },
    ]);
    expect(JSON.stringify(sections)).not.toMatch(/lorem|todo|\{\{|\[insert|undefined|null/iu);
  });

  test("goes without a gallery, and says so, when the library is empty", () => {
    const site = new FakeSite();
    site.images = [];
    const played = play(site, "Create a page called Huts with a hero and a gallery");
    expect(inShort(played).at(-1)).toBe("page_create Huts | hero");
    expect(played.text).toContain("could not add the gallery, because the library has no image for it");
  });

  test.each(["会社概要", "Контакты", "من نحن"])("has a name in any script: %s", (name) => {
    const made = playHere(`Create a page called ${name} and publish it`).calls.find(
      (call) => call.name === "page_create",
    );
    expect(made?.input).toMatchObject({ name, slug: expect.stringMatching(/^page-[0-9a-f]{6}$/u) });
  });
});

test("the wishes that the first page and the README offer are done as they say", () => {
  expect(
    inShort(
      playHere(
        "Create an About us page with a hero image and a feature section, publish it and add it to the navigation",
      ),
    ),
  ).toEqual([
    "site_overview",
    "image_search 10",
    "page_create About us | hero+feature",
    "set_status published pg_3",
    "nav_edit add header About us page:pg_3",
  ]);
  expect(
    inShort(playHere('Change the title of the hero on the home page to "Walk slowly, see more"')),
  ).toEqual([
    "site_overview",
    "page_get pg_home",
    'section_update sc_home_0 {"title":"Walk slowly, see more"}',
  ]);
  expect(inShort(playHere("Which pages are on the site?"))).toEqual(["page_list"]);
});
