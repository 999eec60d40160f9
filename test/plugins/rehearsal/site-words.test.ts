import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { cmsPack } from "../../../src/plugins/cms/pack.ts";
import { inShort, play } from "./run.ts";
import { ABOUT, PHRASES, WISHES_OF_A_KEEPER } from "./phrases.ts";
import { FakeSite } from "./site.ts";

/** What a person says to the site editor beside pages: posts, undo, history, change sets, settings; and what comes of it. */

const SITE = ["site_overview", {}] as const;
const LOOK = ["schema_list", { kind: "collection" }] as const;
const GONE = ["collection_save", { collection: "blog", removeFields: ["cookingTime"] }] as const;
const FRENCH = { code: "fr", name: "Français", fallback: "en" };
const added = (key: string, label: string, type: string) =>
  ["collection_save", { collection: "blog", addFields: [{ key, label, type }] }] as const;
const languages = (locales: object) => ["settings_update", { locales }] as const;

/** Collections, their fields and languages: the calls with all that is in them. */
const STRUCTURE: readonly (readonly [
  says: string,
  calls: readonly (readonly [name: string, input: object])[],
])[] = [
  ["make a collection called Recipes", [["collection_save", { name: "Recipes" }]]],
  ["Create a new collection for trail reports", [["collection_save", { name: "Trail reports" }]]],
  ["add a recipes collection", [["collection_save", { name: "Recipes" }]]],
  ["Lege eine Sammlung namens Rezepte an", [["collection_save", { name: "Rezepte" }]]],
  ["Erstelle mir eine neue Sammlung für Touren", [["collection_save", { name: "Touren" }]]],
  ["add a field named rating (number) to the blog", [LOOK, added("rating", "Rating", "number")]],
  [
    "add a new field called reading time of type number to the blog",
    [LOOK, added("readingTime", "Reading time", "number")],
  ],
  ["add a field author note to the blog collection", [LOOK, added("authorNote", "Author note", "text")]],
  ["Füge zum Blog ein Feld namens Wertung (Zahl) hinzu", [LOOK, added("wertung", "Wertung", "number")]],
  ["Füge ein Feld Datum vom Typ Datum zum Blog hinzu", [LOOK, added("datum", "Datum", "date")]],
  ["add a field named rating to the recipes", [LOOK]],
  ["remove the field cooking time from the blog", [LOOK, GONE]],
  ["delete the cooking time field from Blog", [LOOK, GONE]],
  ["Entferne das Feld Cooking time aus dem Blog", [LOOK, GONE]],
  ["remove the field rating from the blog", [LOOK]],
  ["add French to the site", [SITE, languages({ add: FRENCH })]],
  ["add the language French", [SITE, languages({ add: FRENCH })]],
  ["add German to the website", [SITE]],
  ["add French and Italian as languages to the site", []],
  ["Füge Französisch zur Website hinzu", [SITE, languages({ add: FRENCH })]],
  ["Nimm Französisch als Sprache auf", [SITE, languages({ add: FRENCH })]],
  ["switch on Dutch", [SITE, languages({ activate: "nl" })]],
  ["turn Dutch on for the site", [SITE, languages({ activate: "nl" })]],
  ["Schalte Niederländisch ein", [SITE, languages({ activate: "nl" })]],
  ["switch on French", [SITE]],
  ["switch off German", [SITE, languages({ deactivate: "de" })]],
  ["disable German on the site", [SITE, languages({ deactivate: "de" })]],
  ["Schalte Deutsch ab", [SITE, languages({ deactivate: "de" })]],
  ["Deaktiviere die Sprache Deutsch", [SITE, languages({ deactivate: "de" })]],
  ["make German the default language", [SITE, languages({ setDefault: "de" })]],
  ["set the default language of the site to Dutch", [SITE, languages({ activate: "nl", setDefault: "nl" })]],
  ["Mach Deutsch zur Standardsprache", [SITE, languages({ setDefault: "de" })]],
  ["make English the default language", [SITE]],
];

const TEMPLATES = ["schema_list", { kind: "section" }] as const;
const quoted = (page: string, position?: object) =>
  [
    "section_add",
    { page, template: "quote", content: { text: "quote" }, ...(position === undefined ? {} : { position }) },
  ] as const;
const about = ["page_get", { page: "pg_about", detail: "outline" }] as const;
const home = ["page_get", { page: "pg_home", detail: "outline" }] as const;

/** Sections of templates that this site has and others have not. */
const OF_THIS_SITE: readonly (readonly [
  says: string,
  calls: readonly (readonly [name: string, input: object])[],
])[] = [
  ["add a quote section to About", [SITE, TEMPLATES, about, quoted("pg_about")]],
  ["put a quote section on the home page", [SITE, TEMPLATES, home, quoted("pg_home")]],
  ["Please add a new quotes section to the about page", [SITE, TEMPLATES, about, quoted("pg_about")]],
  [
    "add a quote section at the top of the about page",
    [SITE, TEMPLATES, about, quoted("pg_about", { before: "sc_about_0" })],
  ],
  ["the about page needs a quote section", [SITE, TEMPLATES, about, quoted("pg_about")]],
  ["add a faq section to the about page", [SITE, TEMPLATES]],
  ["add a price list section to the about page", [SITE, TEMPLATES]],
  ["add a second section to the about page", []],
  ["add a section to the about page", []],
  ["add a section about our dogs to the about page", []],
];

/** A call in short: the tool, and what of its input tells it from another. */
function short(name: string, input: Readonly<Record<string, unknown>>): string {
  const [target] = (input["targets"] ?? []) as { ref: string }[];
  const of = input["target"] as { ref: string } | undefined;
  const told = [
    ...(name === "set_status" ? [input["to"], target?.ref] : []),
    ...[of?.ref, input["entry"], ...((input["entries"] ?? []) as string[]), input["page"]],
    ...[input["image"], ...((input["images"] ?? []) as string[])],
    ...[input["title"], input["cover"], input["category"], input["name"], input["q"]],
    ...[input["operation"], input["session"], input["day"], input["at"], input["time"]],
    ...(name === "undo" ? [input["to"]] : []),
  ];
  return [name, ...told.filter((one) => typeof one === "string")].join(" ");
}

test("there are 40 of them at least, no two alike, twelve of which are what a keeper of a site says first", () => {
  expect(new Set(PHRASES.map(({ says }) => says)).size).toBe(PHRASES.length);
  expect(PHRASES.length).toBeGreaterThanOrEqual(40);
  expect(WISHES_OF_A_KEEPER).toHaveLength(12);
});

const RULES = path.resolve(import.meta.dirname, "../../../src/plugins/rehearsal");
const LINES_MAX = 5_200;

test("the rehearsal model stays small", () => {
  const lines = readdirSync(RULES, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => readFileSync(path.join(one.parentPath, one.name), "utf8").split("\n").length - 1);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(LINES_MAX);
});

test("“publish it” means the set only where it was just spoken of", () => {
  const site = new FakeSite();
  site.set = "Spring";
  const played = play(site, "publish it", { memory: [ABOUT] });
  expect(played.calls.map(({ name }) => name)).not.toContain("changes_publish");
  expect(site.set).toBe("Spring");
});

test.each(PHRASES)("“$says”", ({ says, calls, memory, set, undone }) => {
  const site = new FakeSite();
  if (set === true) site.set = "Spring";
  if (undone === true) {
    site.answer("undo", {});
  }
  const played = play(site, says, memory === undefined ? {} : { memory: [memory] });
  expect(played.calls.map(({ name, input }) => short(name, input))).toEqual(calls);
  expect(played.calls.filter((one) => !one.ok).map((one) => one.name)).toEqual([]);
});

test.each(STRUCTURE)("“%s”, with all that is in the calls", (says, calls) => {
  const played = play(new FakeSite(), says);
  expect(played.calls.map(({ name, input }) => [name, input])).toEqual(calls);
  for (const { name, input } of played.calls) {
    const tool = [...cmsPack.tools].find((one) => one.definition.name === name);
    expect(tool?.definition.input.safeParse(input).success).toBe(true);
  }
});

test.each(OF_THIS_SITE)("“%s”, by the templates of the site", (says, calls) => {
  const played = play(new FakeSite(), says);
  expect(played.calls.map(({ name, input }) => [name, input])).toEqual(calls);
  expect(played.calls.filter((one) => !one.ok)).toEqual([]);
});

test("a template that the site has not is named with those that it has, and the rest of the wish is done", () => {
  const { text } = play(new FakeSite(), "add a faq section to the about page");
  expect(text).toContain('The site has none called "faq". It has "hero", "feature", "cta", "gallery"');
  const both = play(new FakeSite(), "add a faq section and a quote section to the about page");
  expect(inShort(both).filter((one) => one.startsWith("section_add"))).toEqual([
    "section_add pg_about quote",
  ]);
  expect(both.text).toContain('"About" has a new quote section');
  expect(both.text).toContain('none called "faq"');
});

test("what the site has not is said, and nothing is guessed", () => {
  const text = (says: string) => play(new FakeSite(), says).text;
  expect(text("add a field named rating to the recipes")).toContain('There is "Blog".');
  expect(text("remove the field rating from the blog")).toContain('"Body", "Cooking time"');
  expect(text("switch on French")).toContain('"add French to the site"');
  expect(text("add German to the website")).toContain("The site has German already");
});

test("a time without a day, or with one that is none, is not guessed", () => {
  const site = new FakeSite();
  const played = play(site, "publish the post Winter routes tomorrow at half past");
  expect(inShort(played).filter((one) => one.startsWith("set_status"))).toEqual([]);
});

test("without the tools of change sets it says that it cannot", () => {
  const played = play(new FakeSite(), "publish the set", { tools: ["site_overview", "page_list"] });
  expect(played.calls).toEqual([]);
  expect(played.text).toContain("I could not publish the set");
});
