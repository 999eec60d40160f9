import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { collectionSave } from "../../../../src/plugins/cms/collections/collection-save.ts";
import { entryCreate } from "../../../../src/plugins/cms/entries/entry-create.ts";
import { entryDelete } from "../../../../src/plugins/cms/entries/entry-delete.ts";
import { entryUpdate } from "../../../../src/plugins/cms/entries/entry-update.ts";
import { undo } from "../../../../src/plugins/cms/history/undo.ts";
import { imageDelete } from "../../../../src/plugins/cms/media/image-delete.ts";
import { imageReplace } from "../../../../src/plugins/cms/media/image-replace.ts";
import { imageUpdate } from "../../../../src/plugins/cms/media/image-update.ts";
import type { CmsServices } from "../../../../src/plugins/cms/model/types.ts";
import { ensureSeeded } from "../../../../src/plugins/cms/seed/index.ts";
import { settingsUpdate } from "../../../../src/plugins/cms/settings/settings-update.ts";
import { imageAttach } from "../../../../src/plugins/cms/tools/image-attach.ts";
import { navEdit } from "../../../../src/plugins/cms/tools/nav.ts";
import { pageCreate } from "../../../../src/plugins/cms/tools/page-create.ts";
import { pageDelete } from "../../../../src/plugins/cms/tools/page-delete.ts";
import { pageUpdate } from "../../../../src/plugins/cms/tools/pages.ts";
import { sectionDelete } from "../../../../src/plugins/cms/tools/section-delete.ts";
import { sectionAdd, sectionMove, sectionUpdate } from "../../../../src/plugins/cms/tools/sections.ts";
import { setStatus } from "../../../../src/plugins/cms/tools/status.ts";
import type { AnyTool } from "../../../../src/cairn/tools/define.ts";
import { rendering } from "../../../../src/plugins/cms/renderer/rendering.ts";
import { NOW, openSite } from "../../site/fixture.ts";
import { call, contextOf, previewOf } from "../fixture.ts";

/**
 * Every act on the site and its undo, held against what visitors see: where nobody was asked, every address of the
 * public site answers as before. What the site shows is read from the site, not from the plan of the act.
 */

const site = openSite({ render: rendering });
const STARTS = ["/site/", "/site/de/", "/site/sitemap.xml", "/site/feed.xml", "/robots.txt"];
const known = new Set([...STARTS, "/site/assets/theme.css"]);

/** The answer of every address that a visitor can find, or could find before. */
async function visible(): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  const open = [...known];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (path in answers) continue;
    const response = await site.fetch(path, { redirect: "manual" });
    const body = await response.text();
    answers[path] = `${response.status} ${response.headers.get("location") ?? ""} ${body}`;
    for (const [, found = ""] of body.matchAll(
      /(?:href="|<loc>)(?:https:\/\/walks\.example)?(\/site\/[^"#<]*)/g,
    ))
      if (!known.has(found)) {
        known.add(found);
        open.push(found);
      }
  }
  return answers;
}

type Act = readonly [what: string, tool: AnyTool<CmsServices>, args: object];
const page = (ref: string) => ({ type: "page", ref });
const entry = (ref: string) => ({ type: "entry", ref });

const ACTS: readonly Act[] = [
  ["the title of the site", settingsUpdate, { set: { identity: { title: "Fern" } } }],
  ["the accent colour", settingsUpdate, { set: { theme: { accent: "#123456" } } }],
  ["a setting taken away", settingsUpdate, { unset: ["identity.tagline"] }],
  ["the search texts", settingsUpdate, { set: { seo: { description: "Other words." } } }],
  ["another home page", settingsUpdate, { set: { home: { page: "about" } } }],
  ["a language that is off", settingsUpdate, { locales: { add: { code: "fr", name: "Français" } } }],
  ["a language turned on", settingsUpdate, { locales: { activate: "fr" } }],
  ["a language turned off", settingsUpdate, { locales: { deactivate: "de" } }],
  ["the name of a language", settingsUpdate, { locales: { add: { code: "de", name: "Deutsche Fassung" } } }],
  [
    "the logo",
    imageAttach,
    { image: "im_ridge", target: { type: "setting", ref: "identity" }, field: "logo" },
  ],
  [
    "the image of a draft section",
    imageAttach,
    { image: "im_valley", target: { type: "section", ref: "sc_home_hero" }, field: "image" },
  ],
  ["the text of a public image", imageUpdate, { image: "im_ridge", alt: "Another ridge" }],
  ["the text of the logo", imageUpdate, { image: "im_logo", alt: "Another logo" }],
  ["the German text of a public image", imageUpdate, { image: "im_ridge", alt: "Ein Grat", locale: "de" }],
  [
    "the caption and the tags of a public image",
    imageUpdate,
    { image: "im_ridge", caption: "Dawn", tags: ["dawn"] },
  ],
  [
    "the text of a public image in a language that is off",
    imageUpdate,
    { image: "im_ridge", alt: "Crête", locale: "fr" },
  ],
  ["one image for another", imageReplace, { from: "im_ridge", to: "im_valley" }],
  [
    "an image that is shown",
    imageDelete,
    { images: ["im_valley"], onUse: "replace", replacement: "im_ridge" },
  ],
  [
    "a link to a public page",
    navEdit,
    { ops: [{ op: "add", location: "header", label: "Sky", target: "entry:blog/winter-routes" }] },
  ],
  [
    "a link to elsewhere",
    navEdit,
    { ops: [{ op: "add", location: "footer", label: "Out", target: "https://example.org/" }] },
  ],
  [
    "a link to a collection",
    navEdit,
    { ops: [{ op: "add", location: "footer", label: "Posts", target: "collection:blog" }] },
  ],
  [
    "a link that is shown no more",
    navEdit,
    { ops: [{ op: "update", item: "nv_header_about", visible: false }] },
  ],
  ["the label of a link", navEdit, { ops: [{ op: "update", item: "nv_header_about", label: "We" }] }],
  [
    "the German label of a link",
    navEdit,
    { ops: [{ op: "update", item: "nv_header_about", label: "Wir" }], locale: "de" },
  ],
  ["a link removed", navEdit, { ops: [{ op: "remove", item: "nv_header_contact" }] }],
  [
    "the links in another order",
    navEdit,
    { ops: [{ op: "move", item: "nv_header_contact", location: "header", position: 1 }] },
  ],
  [
    "a new page with a link to it",
    pageCreate,
    {
      name: "Plans",
      sections: [{ template: "hero", content: { title: "Plans" } }],
      nav: { location: "both" },
    },
  ],
  ["the address of a draft page", pageUpdate, { page: "plans", slug: "our-plans" }],
  ["a draft page published", setStatus, { targets: [page("our-plans")], to: "published" }],
  ["the address of a public page", pageUpdate, { page: "about", slug: "about-us" }],
  ["the name of a public page", pageUpdate, { page: "about", name: "Who we are" }],
  ["the texts of a public page", pageUpdate, { page: "about", meta: { title: "Who", description: "We." } }],
  ["a public page that search engines leave out", pageUpdate, { page: "about", indexing: false }],
  ["a public page off the site", setStatus, { targets: [page("about")], to: "unpublished" }],
  ["a public page deleted", pageDelete, { pages: ["contact"] }],
  ["a section of a public page", sectionUpdate, { section: "sc_home_hero", content: { title: "Elsewhere" } }],
  [
    "a section of the layout",
    sectionUpdate,
    { section: "sc_layout_footer", content: { note: "Other words." } },
  ],
  ["a section hidden", sectionUpdate, { section: "sc_home_hero", hidden: true }],
  ["a section more", sectionAdd, { page: "home", template: "hero", content: { title: "More" }, position: 1 }],
  ["a section on another page", sectionMove, { section: "sc_home_hero", toPage: "contact", position: 1 }],
  ["a section deleted", sectionDelete, { sections: ["sc_home_hero"] }],
  ["a draft post", entryCreate, { title: "Soon", content: { body: "Soon." }, excerpt: "Soon." }],
  ["the address of a public post", entryUpdate, { entry: "blog/packing-light", slug: "light" }],
  [
    "the words of a public post",
    entryUpdate,
    { entry: "blog/packing-light", title: "Pack less", content: { body: "Less." } },
  ],
  ["a public post in the archive", setStatus, { targets: [entry("blog/packing-light")], to: "archived" }],
  ["a public post deleted", entryDelete, { entries: ["blog/packing-light"] }],
  ["the name of a public collection", collectionSave, { collection: "blog", name: "Notes" }],
  ["the order of a public collection", collectionSave, { collection: "blog", sort: "title asc" }],
  ["a field taken from a public collection", collectionSave, { collection: "blog", removeFields: ["tags"] }],
  ["a field more", collectionSave, { collection: "blog", addFields: [{ key: "rating", type: "number" }] }],
  ["a new collection", collectionSave, { name: "Recipes" }],
];

beforeAll(() => ensureSeeded(env, NOW));

test("no unapproved change or undo is visible to visitors", async () => {
  const baseline = await visible();
  const faults: string[] = [];
  const make = async (tool: AnyTool<CmsServices>, args: object) => {
    const context = contextOf();
    const asks = (await previewOf(tool, args, context)).need.kind === "ask";
    return { asks, key: context.key, run: () => call(tool, args, context) };
  };
  /** Takes an operation back, asked about or not; the site is looked at only where nobody was asked. */
  const takeBack = async (what: string, operation: string): Promise<string> => {
    const { asks, key, run } = await make(undo, { operation });
    await (asks ? run() : unasked(what, run));
    return key;
  };
  const silent: string[] = [];
  const unasked = async (what: string, run: () => Promise<unknown>): Promise<void> => {
    const before = await visible();
    await run();
    for (const [path, after] of Object.entries(await visible()))
      if (before[path] !== after) faults.push(`${what}: nobody was asked, and ${path} changed`);
  };
  const redoes = new Set<AnyTool<CmsServices>>();
  for (const [what, tool, args] of ACTS) {
    const { asks, key, run } = await make(tool, args);
    await (asks ? run() : unasked(what, run));
    if (!asks) {
      silent.push(key);
      continue;
    }
    const undone = await takeBack(`${what}, undone`, key);
    // A redo is the undo of an undo, whatever it was: one of each tool is enough.
    if (redoes.has(tool)) continue;
    redoes.add(tool);
    await takeBack(`${what}, undone again`, await takeBack(`${what}, redone`, undone));
  }
  expect(faults).toEqual([]);
  expect(silent.length).toBeGreaterThan(10);
  expect(await visible()).toEqual(baseline);
  for (const operation of silent.toReversed()) await (await make(undo, { operation })).run();
  expect(await visible()).toEqual(baseline);
}, 120_000);
