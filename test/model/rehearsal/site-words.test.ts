import { expect, test } from "vitest";
import { cmsPack } from "../../../src/tools/cms/pack.ts";
import { inShort, play } from "./run.ts";
import { FakeSite } from "./site.ts";

/** What a person says to the site editor beside pages: posts, undo, history, change sets, settings; and what comes of it. */

const PACKING = '- entry en_packing "Packing light" slug=packing-light focus';
const ABOUT = '- page pg_about "About" slug=about focus';
const PHOTO = '- image im_sent "huts.jpg" focus';
const NEW_POST = "entry_create The new path";
const TOMORROW = "2026-11-22T09:00:00Z";

const SITE = ["site_overview", {}] as const;
const LOOK = ["schema_list", { kind: "collection" }] as const;
const GONE = ["collection_save", { collection: "blog", removeFields: ["cookingTime"] }] as const;
const FRENCH = { code: "fr", name: "Français", fallback: "en" };
const added = (key: string, label: string, type: string) =>
  ["collection_save", { collection: "blog", addFields: [{ key, label, type }] }] as const;
const languages = (locales: object) => ["settings_update", { locales }] as const;

interface Phrase {
  readonly says: string;
  readonly calls: readonly string[];
  readonly memory?: string;
  readonly set?: true;
  /** something was taken back before */
  readonly undone?: true;
}

const PHRASES: readonly Phrase[] = [
  // The wishes of a person who keeps a site.
  {
    says: "write a post about the new path with a cover and publish it tomorrow at nine",
    calls: ["image_search", `${NEW_POST} im_ridge`, `set_status published en_new ${TOMORROW}`],
  },
  { says: "undo that", calls: ["undo"] },
  { says: "what did you change today?", calls: ["history 2026-11-21"] },
  {
    says: "put the home page back as it was this morning",
    calls: ["site_overview", "undo pg_home 2026-11-21T08:00:00Z"],
  },
  { says: "collect these changes and show them to me before anything goes live", calls: ["changes_begin"] },
  { says: "publish the set", set: true, calls: ["changes_publish"] },
  { says: "throw the set away", set: true, calls: ["changes_discard"] },
  { says: "check the site", calls: ["site_check"] },
  // Posts.
  { says: "Write a short article about winter boots", calls: ["entry_create Winter boots"] },
  {
    says: "Add a blog post called 'Open in May' with a photo",
    calls: ["image_search", "entry_create Open in May im_ridge"],
  },
  { says: "Schreibe einen Beitrag über Hüttentouren", calls: ["entry_create Hüttentouren"] },
  {
    says: "publish the post Winter routes",
    calls: ["entry_list Winter routes", "set_status published en_winter"],
  },
  { says: "Publish that post", memory: PACKING, calls: ["set_status published en_packing"] },
  {
    says: "publish the post Winter routes tomorrow at 9:30",
    calls: ["entry_list Winter routes", "set_status published en_winter 2026-11-22T09:30:00Z"],
  },
  {
    says: "Write a post about snow and publish it",
    calls: ["entry_create Snow", "set_status published en_new"],
  },
  {
    says: "Write a post about snow and publish it tomorrow at 5 pm",
    calls: ["entry_create Snow", "set_status published en_new 2026-11-22T17:00:00Z"],
  },
  {
    says: "unpublish the post Packing light",
    calls: ["entry_list Packing light", "set_status unpublished en_packing"],
  },
  {
    says: "take the post Packing light offline",
    calls: ["entry_list Packing light", "set_status unpublished en_packing"],
  },
  {
    says: "archive the article Packing light",
    calls: ["entry_list Packing light", "set_status archived en_packing"],
  },
  {
    says: 'rename the post Packing light to "Less is more"',
    calls: ["entry_list Packing light", "entry_update en_packing Less is more"],
  },
  {
    says: "put the post Winter routes into the category News",
    calls: ["entry_list Winter routes", "entry_update en_winter News"],
  },
  { says: "delete the post Winter routes", calls: ["entry_list Winter routes", "entry_delete en_winter"] },
  { says: "Lösche den Beitrag Winter routes", calls: ["entry_list Winter routes", "entry_delete en_winter"] },
  // Taking back.
  { says: "Undo the last change, please", calls: ["undo"] },
  { says: "take that back", calls: ["undo"] },
  { says: "That was wrong, undo it", calls: ["undo"] },
  { says: "Mach das rückgängig", calls: ["undo"] },
  { says: "redo that", undone: true, calls: ["history current", "undo op_2"] },
  { says: "undo the undo", undone: true, calls: ["history current", "undo op_2"] },
  { says: "put it back as it was yesterday", memory: ABOUT, calls: ["undo pg_about 2026-11-20T23:59:59Z"] },
  {
    says: "restore the about page to how it was last week",
    calls: ["site_overview", "undo pg_about 2026-11-14T23:59:59Z"],
  },
  { says: "reset About to what visitors see it", calls: ["site_overview", "undo pg_about published"] },
  {
    says: "throw the unpublished edits of the about page away",
    calls: ["site_overview", "undo pg_about published"],
  },
  // Telling.
  { says: "what has changed so far?", calls: ["history current"] },
  { says: "Show me the history", calls: ["history current"] },
  { says: "Was hast du heute geändert?", calls: ["history 2026-11-21"] },
  { says: "is anything wrong on the site?", calls: ["site_check"] },
  { says: "Prüfe die Website", calls: ["site_check"] },
  // Change sets.
  { says: 'start a change set called "Spring"', calls: ["changes_begin Spring"] },
  { says: "Show me everything before anything goes live", calls: ["changes_begin"] },
  { says: "Sammle meine Änderungen", calls: ["changes_begin"] },
  { says: "what is in the set?", set: true, calls: ["changes_show"] },
  { says: "show me the collected changes", set: true, calls: ["changes_show"] },
  { says: "publish the change set tomorrow at nine", set: true, calls: [`changes_publish ${TOMORROW}`] },
  { says: "publish all the changes now", set: true, calls: ["changes_publish"] },
  { says: "discard the changes", set: true, calls: ["changes_discard"] },
  { says: "Verwirf die Änderungen", set: true, calls: ["changes_discard"] },
  {
    says: 'collect my changes and rename the about page to "Who we are"',
    calls: ["changes_begin", "site_overview", "page_update pg_about Who we are"],
  },
  // The image that was just sent.
  {
    says: "use the photo I just sent as the hero of About",
    memory: PHOTO,
    calls: ["site_overview", "page_get pg_about", "image_attach sc_about_0 im_sent"],
  },
  {
    says: "use it as the hero image of the about page",
    memory: PHOTO,
    calls: ["site_overview", "page_get pg_about", "image_attach sc_about_0 im_sent"],
  },
  {
    says: "Put the picture that I just uploaded into the image-text section on the about page",
    memory: PHOTO,
    calls: ["site_overview", "page_get pg_about", "image_attach sc_about_1 im_sent"],
  },
  {
    says: "Nimm das Foto als Hero der About-Seite",
    memory: PHOTO,
    calls: ["site_overview", "page_get pg_about", "image_attach sc_about_0 im_sent"],
  },
  {
    says: "use the photo I just sent as the cover of the post Winter routes",
    memory: PHOTO,
    calls: ["entry_list Winter routes", "image_attach en_winter im_sent"],
  },
  {
    says: "set the alt text of the image to 'Two huts in snow'",
    memory: PHOTO,
    calls: ["image_update im_sent"],
  },
  { says: "delete the photo I just sent", memory: PHOTO, calls: ["image_delete im_sent"] },
  { says: "use the photo I just sent", memory: PHOTO, calls: [] },
  { says: "use the photo I just sent as the hero of About", calls: [] },
  // Settings.
  { says: 'change the title of the site to "Fern & Fell in spring"', calls: ["settings_update"] },
  { says: 'set the tagline to "Slowly"', calls: ["settings_update"] },
  { says: "change the accent colour to #2a6f4e", calls: ["settings_update"] },
  { says: "make About the home page", calls: ["site_overview", "settings_update"] },
];

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

test("there are 40 of them at least", () => expect(PHRASES.length).toBeGreaterThanOrEqual(40));

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
