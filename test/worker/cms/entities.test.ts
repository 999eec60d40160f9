import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import { changeMemory } from "../../../src/cairn/core/state/memory.ts";
import { EMPTY_MEMORY, type Memory } from "../../../src/cairn/core/state/state.ts";
import type { EntityRef } from "../../../src/cairn/core/log/tool.ts";
import { cmsPack, imagesPack } from "../../../src/plugins/cms/pack.ts";
import { Registry } from "../../../src/cairn/tools/registry.ts";
import { webBindings } from "../../plugins/web/dns.ts";
import { png } from "./media/image-bytes.ts";

/**
 * Working memory after each CMS tool's real output, on the seeded site. The calls form one conversation: each finds the
 * things that earlier calls made. A tool without a call here fails the test.
 */

const AT = Date.UTC(2026, 2, 1);
const web = webBindings(() => Promise.resolve(new Response(png({ seed: 77 }))));
const registry = new Registry("s1", () => AT).add(cmsPack, env).add(imagesPack, { ...env, ...web });

interface Golden {
  readonly tool: string;
  readonly input: Json;
  /** what is to be remembered, a line each: op, type, id, name, /slug, parent */
  readonly entities: readonly string[];
}

const GOLDEN: readonly Golden[] = [
  { tool: "site_overview", input: {}, entities: ['touch site site_main "Fern & Fell"'] },
  {
    tool: "page_list",
    input: {},
    entities: [
      'touch page pg_about "About" /about',
      'touch page pg_contact "Contact" /contact',
      'touch page pg_home "Home" /home',
    ],
  },
  { tool: "page_list", input: { q: "zeppelin" }, entities: [] },
  {
    tool: "page_get",
    input: { page: "about" },
    entities: [
      'touch page pg_about "About" /about',
      'touch section sc_about_hero "hero “We walk slowly, on purpose”" of page pg_about',
      'touch section sc_about_image_text "image-text “How we plan a day”" of page pg_about',
      'touch section sc_about_gallery "gallery “Places we keep going back to”" of page pg_about',
    ],
  },
  { tool: "schema_list", input: {}, entities: ['touch collection co_blog "Blog" /blog'] },
  { tool: "schema_list", input: { kind: "section" }, entities: [] },
  {
    tool: "entry_list",
    input: {},
    entities: [
      'touch entry en_packing_light "Packing light" /packing-light of collection co_blog',
      'touch entry en_reading_the_weather "Reading the weather" /reading-the-weather of collection co_blog',
      'touch entry en_winter_routes "Winter routes" /winter-routes of collection co_blog',
      'touch collection co_blog "Blog" /blog',
    ],
  },
  {
    tool: "entry_get",
    input: { entry: "blog/packing-light" },
    entities: [
      'touch entry en_packing_light "Packing light" /packing-light of collection co_blog',
      'touch collection co_blog "Blog" /blog',
    ],
  },
  {
    tool: "find",
    input: { query: "How we plan a day" },
    entities: [
      'touch section sc_about_image_text "Image and text How we plan a day" of page pg_about',
      'touch page pg_about "About" /about',
      'touch page pg_contact "Contact" /contact',
    ],
  },
  { tool: "find", input: { query: "Gallery", types: ["template"] }, entities: [] },
  { tool: "site_check", input: {}, entities: ['touch site site_main "Fern & Fell"'] },
  {
    tool: "site_check",
    input: { scope: "page", ref: "about" },
    entities: ['touch page pg_about "About"'],
  },
  {
    tool: "image_search",
    input: {},
    entities: [
      'touch image im_compass "A compass with a red and green needle pointing north-east"',
      'touch image im_contours "Contour lines of a hill with a dotted route leading to its side"',
      'touch image im_logo "Fern & Fell: a pale fern leaf in a green disc"',
    ],
  },
  {
    tool: "page_create",
    input: {
      name: "Our beginnings",
      sections: [
        { template: "hero", content: { title: "How it began" } },
        { template: "feature", content: { heading: "Three reasons", items: [] } },
      ],
      nav: { location: "both" },
    },
    entities: [
      'create page NEW_PAGE "Our beginnings" /our-beginnings',
      'create section NEW_HERO "hero “How it began”" of page NEW_PAGE',
      'create section NEW_FEATURE "feature “Three reasons”" of page NEW_PAGE',
      'create nav_item NEW_HEADER_ITEM "Our beginnings"',
      'create nav_item NEW_FOOTER_ITEM "Our beginnings"',
    ],
  },
  {
    tool: "page_update",
    input: { page: "our-beginnings", name: "Our story" },
    entities: ['touch page NEW_PAGE "Our story" /our-beginnings'],
  },
  {
    tool: "section_add",
    input: {
      page: "our-beginnings",
      template: "cta",
      content: { heading: "Come along", buttonText: "Write", buttonLink: "page:contact" },
    },
    entities: [
      'create section NEW_CTA "cta “Come along”" of page NEW_PAGE',
      'touch page NEW_PAGE "Our story" /our-beginnings',
    ],
  },
  {
    tool: "section_update",
    input: { section: "sc_home_hero", content: { title: "Walk with us" } },
    entities: [
      'touch section sc_home_hero "hero “Walk with us”" of page pg_home',
      'touch page pg_home "Home" /home',
    ],
  },
  {
    tool: "section_move",
    input: { section: "sc_home_hero", position: 1, toPage: "about" },
    entities: [
      'touch section sc_home_hero "hero “Walk with us”" of page pg_about',
      'touch page pg_about "About" /about',
    ],
  },
  {
    tool: "entry_create",
    input: { title: "The new path", content: { body: "It opens in May." }, cover: "im_ridge" },
    entities: ['create entry NEW_ENTRY "The new path" /the-new-path of collection co_blog'],
  },
  {
    tool: "entry_update",
    input: { entry: "blog/the-new-path", title: "A new path", unset: ["cover"] },
    entities: ['touch entry NEW_ENTRY "A new path" /the-new-path of collection co_blog'],
  },
  {
    tool: "entry_delete",
    input: { entries: ["blog/the-new-path"] },
    entities: ['delete entry NEW_ENTRY "A new path" /the-new-path of collection co_blog'],
  },
  {
    tool: "image_attach",
    input: { image: "im_valley", target: { type: "section", ref: "sc_home_hero" }, field: "image" },
    entities: [
      'touch image im_valley "valley.png"',
      'touch section sc_home_hero "Walk with us" of page pg_about',
    ],
  },
  {
    tool: "image_update",
    input: { image: "im_valley", alt: "A valley in the morning" },
    entities: ['touch image im_valley "valley.png"'],
  },
  {
    tool: "image_replace",
    input: { from: "im_valley", to: "im_ridge" },
    entities: ['touch image im_ridge "ridge.png"', 'touch image im_valley "valley.png"'],
  },
  {
    tool: "image_import",
    input: { source: "url", url: "https://photos.example.com/path.png" },
    entities: ['create image NEW_IMAGE "path.png"'],
  },
  {
    tool: "image_delete",
    input: { images: ["im_shelter"], onUse: "replace", replacement: "im_ridge" },
    entities: ['delete image im_shelter "shelter.png"'],
  },
  {
    tool: "image_attach",
    input: { image: "im_valley", target: { type: "entry", ref: "blog/winter-routes" }, field: "cover" },
    entities: [
      'touch image im_valley "valley.png"',
      'touch entry en_winter_routes "Winter routes" /winter-routes of collection co_blog',
    ],
  },
  {
    tool: "image_attach",
    input: { image: "im_logo", target: { type: "setting", ref: "identity" }, field: "logo" },
    entities: ['touch image im_logo "logo.svg"', 'touch site site_main "Fern & Fell"'],
  },
  {
    tool: "set_status",
    input: {
      targets: [
        { type: "page", ref: "our-beginnings" },
        { type: "entry", ref: "blog/winter-routes" },
      ],
      to: "published",
    },
    entities: [
      'touch page NEW_PAGE "Our story" /our-beginnings',
      'touch entry en_winter_routes "Winter routes" /winter-routes',
    ],
  },
  {
    tool: "nav_edit",
    input: {
      ops: [
        { op: "add", location: "footer", label: "Start", target: "page:home" },
        { op: "update", item: "nv_header_home", label: "Start" },
        { op: "remove", item: "nv_header_blog", children: "remove" },
      ],
    },
    entities: [
      'create nav_item NEW_ITEM "Start"',
      'touch nav_item nv_header_home "Start"',
      'delete nav_item nv_header_packing_light "Packing light"',
      'delete nav_item nv_header_blog "Blog"',
    ],
  },
  {
    tool: "settings_update",
    input: { set: { identity: { tagline: "Walks for small groups" } } },
    entities: ['touch site site_main "Fern & Fell"'],
  },
  {
    tool: "settings_update",
    input: { locales: { add: { code: "fr", name: "Français", fallback: "en" } } },
    entities: ['touch site site_main "Fern & Fell"', 'create locale fr "Français"'],
  },
  {
    tool: "collection_save",
    input: { name: "Recipes" },
    entities: ['create collection NEW_COLLECTION "Recipes" /recipes'],
  },
  {
    tool: "collection_save",
    input: { collection: "recipes", addFields: [{ key: "rating", type: "number" }] },
    entities: ['touch collection NEW_COLLECTION "Recipes" /recipes'],
  },
  {
    tool: "section_delete",
    input: { sections: ["sc_home_feature", "sc_home_image_text"] },
    entities: [
      'delete section sc_home_feature "feature “What a day with us is like”" of page pg_home',
      'delete section sc_home_image_text "image-text “Two guides and a lot of rain”" of page pg_home',
      'touch page pg_home "Home" /home',
    ],
  },
  {
    tool: "page_delete",
    input: { pages: ["our-beginnings"] },
    entities: [
      'delete page NEW_PAGE "Our story" /our-beginnings',
      'delete section NEW_HERO "NEW_HERO" of page NEW_PAGE',
      'delete section NEW_FEATURE "NEW_FEATURE" of page NEW_PAGE',
      'delete section NEW_CTA "NEW_CTA" of page NEW_PAGE',
      'delete nav_item NEW_HEADER_ITEM "Our beginnings"',
      'delete nav_item NEW_FOOTER_ITEM "Our beginnings"',
    ],
  },
  {
    tool: "history",
    input: { target: { type: "page", ref: "home" } },
    entities: ['touch page pg_home "Home" /home'],
  },
  { tool: "history", input: { session: "current" }, entities: [] },
  {
    tool: "diff",
    input: { target: { type: "page", ref: "home" } },
    entities: ['touch page pg_home "Home"'],
  },
  {
    tool: "undo",
    input: {},
    entities: [
      'create page NEW_PAGE "Our story" /our-beginnings',
      'create nav_item NEW_HEADER_ITEM "Our beginnings"',
      'create nav_item NEW_FOOTER_ITEM "Our beginnings"',
    ],
  },
  {
    tool: "undo",
    input: { target: { type: "page", ref: "home" }, to: "published" },
    entities: [
      'touch page pg_home "Home" /home',
      'touch page pg_about "About" /about',
      'touch section sc_home_hero "hero “Walk with someone who knows the way”" of page pg_home',
      'create section sc_home_feature "feature “What a day with us is like”" of page pg_home',
      'create section sc_home_image_text "image-text “Two guides and a lot of rain”" of page pg_home',
    ],
  },
  {
    tool: "changes_begin",
    input: { name: "Spring" },
    entities: ['create change_set NEW_SET "Spring"'],
  },
  {
    tool: "page_update",
    input: { page: "contact", name: "Write to us" },
    entities: ['touch page pg_contact "Write to us" /contact'],
  },
  { tool: "changes_show", input: {}, entities: ['touch change_set NEW_SET "Spring"'] },
  {
    tool: "changes_publish",
    input: {},
    entities: ['touch change_set NEW_SET "Spring"', 'touch page pg_contact "Write to us" /contact'],
  },
  { tool: "changes_begin", input: { name: "Autumn" }, entities: ['create change_set NEW_SET_2 "Autumn"'] },
  { tool: "changes_discard", input: {}, entities: ['delete change_set NEW_SET_2 "Autumn"'] },
];

/** Entities from each call's output, in the order of GOLDEN, and the memory after each. */
const results: (readonly EntityRef[])[] = [];
const memories: Memory[] = [];

/** The way of the loop: checked, previewed, approved where it asks, run. */
async function entitiesOf({ tool, input }: Golden, n: number): Promise<readonly EntityRef[]> {
  const checked = registry.check(tool, input);
  if (!checked.ok) throw new Error(checked.failure.message);
  const { signal } = new AbortController();
  const place = { call: `r1s${n}c0`, key: `s1/r1s${n}c0`, run: "s1.r1", subject: "ada", attempt: 1, at: AT };
  const order = { ...place, tool, input: checked.input, approved: null };
  const planned = await registry.preview(order, signal);
  if (planned.kind === "failed") throw new Error(planned.failure.message);
  const { need, basis } = planned.preview;
  const approved = need.kind === "ask" ? { approval: "r1s1c0a1", basis } : null;
  const ran = await registry.run({ ...order, approved }, signal);
  if (ran.kind === "failed") throw new Error(ran.failure.message);
  return ran.entities;
}

/** Ids of what the calls make are named in the order in which they appear. */
const NEW_IDS = [
  "NEW_PAGE",
  "NEW_HERO",
  "NEW_FEATURE",
  "NEW_HEADER_ITEM",
  "NEW_FOOTER_ITEM",
  "NEW_CTA",
  "NEW_ENTRY",
  "NEW_IMAGE",
  "NEW_ITEM",
];
const NEW_OF: Readonly<Record<string, string[]>> = {
  change_set: ["NEW_SET", "NEW_SET_2"],
  collection: ["NEW_COLLECTION"],
  locale: ["fr"],
};
let inOrder = 0;
const named = new Map<string, string>();

function told({ op, type, id, name, slug, parent }: EntityRef): string {
  const plain = (text: string): string => named.get(text) ?? text;
  const words = [op, type, plain(id), JSON.stringify(plain(name))];
  if (slug !== undefined) words.push(`/${slug}`);
  if (parent !== undefined) words.push("of", parent.type, plain(parent.id));
  return words.join(" ");
}

beforeAll(async () => {
  let memory = EMPTY_MEMORY;
  for (const [at, golden] of GOLDEN.entries()) {
    const entities = await entitiesOf(golden, at + 1);
    for (const { op, type, id } of entities) {
      if (op !== "create" || named.has(id)) continue;
      named.set(id, (type in NEW_OF ? NEW_OF[type]?.shift() : NEW_IDS[inOrder++]) ?? id);
    }
    memory = changeMemory(memory, entities, { tool: golden.tool, step: `r1s${at + 1}`, seq: at + 1 });
    results.push(entities);
    memories.push(memory);
  }
});

const at = (tool: string, nth = 0): number => {
  const found = GOLDEN.flatMap((golden, index) => (golden.tool === tool ? [index] : []))[nth];
  if (found === undefined) throw new Error(`no call of ${tool}`);
  return found;
};
const after = (tool: string, nth = 0): Memory => memories[at(tool, nth)] ?? EMPTY_MEMORY;
const has = (memory: Memory, id: string): boolean =>
  memory.entities.some((entity) => (named.get(entity.id) ?? entity.id) === id);

test("every tool of the pack has a golden", () => {
  const tools = [...cmsPack.tools, ...imagesPack.tools].map((tool) => tool.definition.name);
  expect([...new Set(GOLDEN.map((golden) => golden.tool))].sort()).toEqual([...tools].sort());
});

test.each(GOLDEN.map((golden, index) => ({ ...golden, index })))(
  "$tool $input is remembered as it should be",
  ({ entities, index }) => expect(results[index]?.map(told)).toEqual(entities),
);

describe("over a conversation", () => {
  const TYPES = new Set([
    "page",
    "section",
    "entry",
    "collection",
    "image",
    "nav_item",
    "locale",
    "site",
    "change_set",
  ]);

  test("only real things become entities: no template, under the id by which a tool finds them", async () => {
    const keys = await env.DB.prepare("SELECT key FROM section_templates").all<{ key: string }>();
    const templates = keys.results.map((row) => row.key);
    expect(templates).toContain("hero");
    const prefixes: Readonly<Record<string, RegExp>> = {
      page: /^pg_/,
      section: /^sc_/,
      entry: /^en_/,
      collection: /^co_/,
      image: /^im_/,
      nav_item: /^nv_/,
      site: /^site_/,
      change_set: /^cs_/,
      locale: /^[a-z]{2}$/,
    };
    const things = results
      .flat()
      .flatMap((entity) => [entity, ...(entity.parent === undefined ? [] : [entity.parent])]);
    for (const { type, id } of things) {
      expect(TYPES.has(type)).toBe(true);
      expect(templates).not.toContain(id);
      expect(id).toMatch(prefixes[type] ?? /never/);
    }
  });

  test("after section_add, “it” is the section, with its page as parent", () => {
    const memory = after("section_add");
    const [it] = memory.entities;
    expect(named.get(it?.id ?? "")).toBe("NEW_CTA");
    expect(memory.focus["section"]).toBe(it?.id);
    expect(named.get(memory.focus["page"] ?? "")).toBe("NEW_PAGE");
    expect(it?.parent).toEqual({ type: "page", id: memory.focus["page"] });
  });

  test("a section that moved has its new page as parent, and keeps it when it is only touched", () => {
    const parentOf = (memory: Memory) => memory.entities.find((one) => one.id === "sc_home_hero")?.parent?.id;
    expect([after("section_update"), after("section_move"), after("image_attach")].map(parentOf)).toEqual([
      "pg_home",
      "pg_about",
      "pg_about",
    ]);
  });

  test("an entry whose parent a result does not name keeps it", () => {
    const entry = after("set_status").entities.find((one) => one.id === "en_winter_routes");
    expect(entry?.parent).toEqual({ type: "collection", id: "co_blog" });
  });

  test("what is deleted is gone, with its children and from the focus, and what is left stays", () => {
    const cut = after("section_delete");
    expect([has(cut, "sc_home_feature"), has(cut, "sc_home_image_text"), has(cut, "pg_home")]).toEqual([
      false,
      false,
      true,
    ]);
    expect([has(after("nav_edit"), "nv_header_blog"), has(after("nav_edit"), "nv_header_home")]).toEqual([
      false,
      true,
    ]);
    expect([has(after("entry_update"), "NEW_ENTRY"), has(after("entry_delete"), "NEW_ENTRY")]).toEqual([
      true,
      false,
    ]);
    const before = after("section_delete");
    const gone = after("page_delete");
    for (const id of [
      "NEW_PAGE",
      "NEW_HERO",
      "NEW_FEATURE",
      "NEW_CTA",
      "NEW_HEADER_ITEM",
      "NEW_FOOTER_ITEM",
    ]) {
      expect([id, has(before, id), has(gone, id)]).toEqual([id, true, false]);
    }
    expect(Object.values(gone.focus).every((id) => gone.entities.some((entity) => entity.id === id))).toBe(
      true,
    );
    expect([has(gone, "pg_about"), has(gone, "sc_about_hero")]).toEqual([true, true]);
  });
});
