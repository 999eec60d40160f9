import { env } from "cloudflare:workers";
import type { OutputOf } from "./reading.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { AnyTool, ToolContext } from "../../../src/cairn/tools/define.ts";
import { checkEntry, checkPage } from "../../../src/plugins/cms/checks/checks.ts";
import { entryGet, entryList } from "../../../src/plugins/cms/tools/entries.ts";
import { loadCheckFacts } from "../../../src/plugins/cms/checks/facts.ts";
import { find } from "../../../src/plugins/cms/tools/find.ts";
import { imageSearch } from "../../../src/plugins/cms/media/image-search.ts";
import {
  loadCollections,
  loadEntries,
  loadEnvironment,
  loadPages,
  loadPublished,
  loadTemplates,
} from "../../../src/plugins/cms/storage/load.ts";
import { siteOverview, type ShownNavItem } from "../../../src/plugins/cms/tools/overview.ts";
import { cmsPack } from "../../../src/plugins/cms/pack.ts";
import { entryDocument, publishedPageDocument } from "../../../src/plugins/cms/edit/publish.ts";
import { pageGet } from "../../../src/plugins/cms/tools/read-pages.ts";
import { sectionUpdate } from "../../../src/plugins/cms/tools/sections.ts";
import { ensureSeeded, seed } from "../../../src/plugins/cms/seed/index.ts";
import type { SeedServices } from "../../../src/plugins/cms/seed/seed-rows.ts";
import type { CmsServices } from "../../../src/plugins/cms/model/types.ts";
import { META_FIELDS, validateContent } from "../../../src/plugins/cms/model/validate.ts";

const NOW = Date.UTC(2026, 2, 1);
const services: SeedServices = { db: env.DB, media: env.MEDIA, assets: env.ASSETS, env: "env_main" };
const PAGES = ["_layout", "home", "about", "contact"];
const ENTRIES = ["blog/packing-light", "blog/reading-the-weather", "blog/winter-routes"];

async function tables(): Promise<string[]> {
  const { results } = await env.DB.prepare(
    `SELECT name FROM sqlite_master WHERE type='table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB 'd1_*'
      AND name NOT GLOB '_cf_*' AND name NOT GLOB '*_fts*' ORDER BY name`,
  ).all<{ name: string }>();
  return results.map((one) => one.name);
}

/** Every row of every table, and every object with its etag: two that are equal have nothing changed between them. */
async function everything() {
  const names = await tables();
  const answers = await env.DB.batch(names.map((name) => env.DB.prepare(`SELECT * FROM ${name}`)));
  const { objects } = await env.MEDIA.list({ limit: 100 });
  return {
    rows: Object.fromEntries(names.map((name, at) => [name, answers[at]!.results])),
    objects: objects.map(({ key, size, etag }) => ({ key, size, etag })),
  };
}

function counts(all: Awaited<ReturnType<typeof everything>>): Record<string, number> {
  const rows = Object.entries(all.rows).map(([name, own]) => [name, own.length]);
  return Object.fromEntries([...rows, ["R2", all.objects.length]]);
}

async function call<Output>(tool: AnyTool<CmsServices>, args: object): Promise<Output> {
  const context: ToolContext<CmsServices> = {
    key: `s1/${tool.definition.name}`,
    call: "r1s1c0",
    attempt: 1,
    at: NOW + 1_000,
    services,
    signal: new AbortController().signal,
    facts: { session: "s1", run: "r1", subject: "user:1" },
    approved: null,
    log: () => {},
    progress: () => {},
    spend: () => {},
  };
  const output = await tool.definition.run(tool.definition.input.parse(args), context);
  return JSON.parse(JSON.stringify(output)) as Output;
}

/** As after the migrations. Tables with foreign keys go before what they point at. */
async function emptyAll(): Promise<void> {
  const { objects } = await env.MEDIA.list({ limit: 100 });
  await env.MEDIA.delete(objects.map((one) => one.key));
  const first = ["revisions", "operations", "sections", "entries", "section_templates", "sites"];
  const names = [...first, ...(await tables()).filter((one) => !first.includes(one))];
  await env.DB.batch(names.map((name) => env.DB.prepare(`DELETE FROM ${name}`)));
}

/** The object with one method replaced. */
function replaced<T extends object>(target: T, name: keyof T, method: unknown): T {
  return new Proxy(target, {
    get: (own, key) => {
      const value: unknown = key === name ? method : Reflect.get(own, key);
      return typeof value === "function" ? value.bind(own) : value;
    },
  });
}

describe("seeding", () => {
  beforeEach(emptyAll);

  test("a second seed changes no row and no object", async () => {
    expect(await seed(services, NOW)).toEqual({ seeded: true });
    const first = await everything();
    expect(await seed(services, NOW + 60_000)).toEqual({ seeded: false });
    expect(await everything()).toEqual(first);
    expect(counts(first)).toMatchObject({
      sites: 1,
      environments: 1,
      locales: 2,
      settings: 4,
      secrets: 1,
      section_templates: 7,
      collections: 1,
      pages: 4,
      sections: 11,
      entries: 3,
      nav_items: 7,
      published_docs: 6,
      operations: 1,
      redirects: 0,
      images: 6,
      image_metadata: 6,
      image_variants: 6,
      R2: 12,
    });
  });

  test("seeds that meet leave what one leaves, and one of them says that it did it", async () => {
    await seed(services, NOW);
    const alone = counts(await everything());
    await emptyAll();
    // All three have found no site and stand before their batch; only then does the first one go.
    const { promise: met, resolve: meet } = Promise.withResolvers<void>();
    let waiting = 0;
    const batch = async (statements: D1PreparedStatement[]) => {
      waiting += 1;
      if (waiting === 3) meet();
      await met;
      return env.DB.batch(statements);
    };
    const together = { ...services, db: replaced(env.DB, "batch", batch) };
    const outcomes = await Promise.all([0, 1, 2].map((n) => seed(together, NOW + n)));
    expect(outcomes.map((one) => one.seeded).sort()).toEqual([false, false, true]);
    expect(counts(await everything())).toEqual(alone);
  });

  test("a seed after an edit leaves the edit alone", async () => {
    await seed(services, NOW);
    await call(sectionUpdate, { section: "sc_home_hero", content: { title: "Walk with us" } });
    const edited = await everything();
    expect(await seed(services, NOW + 60_000)).toEqual({ seeded: false });
    expect(await everything()).toEqual(edited);
    expect((await loadPages(services, ["home"]))[0]?.sections[0]?.content.en?.title).toBe("Walk with us");
  });

  test("a seed that dies at its batch leaves no row, and the next one completes it", async () => {
    const broken = replaced(env.DB, "batch", () => Promise.reject(new Error("network lost")));
    await expect(seed({ ...services, db: broken }, NOW)).rejects.toThrow("network lost");
    const { R2: objects, ...rows } = counts(await everything());
    expect(objects).toBe(12);
    expect(Object.values(rows).filter((one) => one !== 0)).toEqual([]);
    expect(await seed(services, NOW)).toEqual({ seeded: true });
    expect(counts(await everything())).toMatchObject({ R2: 12, images: 6, operations: 1 });
  });

  test("the pack seeds an empty deployment once, and a failed attempt is made again", async () => {
    let looks = 0;
    const db = replaced(env.DB, "prepare", (sql: string) => {
      if (sql.startsWith("SELECT 1 FROM sites")) looks += 1;
      return env.DB.prepare(sql);
    });
    const broken = replaced(env.MEDIA, "put", () => Promise.reject(new Error("no bucket")));
    await expect(ensureSeeded({ DB: db, MEDIA: broken, ASSETS: env.ASSETS }, NOW)).rejects.toThrow(
      "no bucket",
    );
    await cmsPack.ready?.({ DB: db, MEDIA: env.MEDIA, ASSETS: env.ASSETS }, NOW);
    expect((await loadEnvironment(services)).siteName).toBe("Fern & Fell");
    await cmsPack.ready?.({ DB: db, MEDIA: env.MEDIA, ASSETS: env.ASSETS }, NOW);
    expect(looks).toBe(2);
  });

  test("without a bucket the site is there all the same, and nothing but the bytes of its images is missing", async () => {
    const db = replaced(env.DB, "prepare", (sql: string) => env.DB.prepare(sql));
    await ensureSeeded({ DB: db, ASSETS: env.ASSETS }, NOW);
    const without = counts(await everything());
    await emptyAll();
    await seed(services, NOW);
    const { R2: bytes, ...rows } = counts(await everything());
    expect(without).toEqual({ ...rows, R2: 0 });
    expect(bytes).toBeGreaterThan(0);
  });

  test("CMS_AUTOSEED 0 and a missing database leave the deployment empty", async () => {
    const db = replaced(env.DB, "prepare", (sql: string) => env.DB.prepare(sql));
    await ensureSeeded({ DB: db, MEDIA: env.MEDIA, CMS_AUTOSEED: "0" }, NOW);
    await ensureSeeded({ MEDIA: env.MEDIA }, NOW);
    expect(Object.values(counts(await everything())).filter((one) => one !== 0)).toEqual([]);
    await ensureSeeded({ DB: db, MEDIA: env.MEDIA, ASSETS: env.ASSETS, CMS_AUTOSEED: "1" }, NOW);
    expect(counts(await everything()).sites).toBe(1);
  });

  test("the secret of the draft links is random and of 32 bytes", async () => {
    const secret = () =>
      env.DB.prepare("SELECT value FROM secrets WHERE name='preview'").first<string>("value");
    await seed(services, NOW);
    const first = await secret();
    await emptyAll();
    await seed(services, NOW);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await secret()).not.toBe(first);
  });
});

describe("the seeded site", () => {
  beforeAll(async () => {
    await emptyAll();
    await seed(services, NOW);
  });

  test("the pages and the layout have their sections in order", async () => {
    const pages = await loadPages(services, PAGES);
    expect(Object.fromEntries(pages.map((one) => [one.page.slug, one.sections.map(({ id }) => id)]))).toEqual(
      {
        _layout: ["sc_layout_header", "sc_layout_footer"],
        home: ["sc_home_hero", "sc_home_feature", "sc_home_image_text", "sc_home_cta"],
        about: ["sc_about_hero", "sc_about_image_text", "sc_about_gallery"],
        contact: ["sc_contact_hero", "sc_contact_cta"],
      },
    );
  });

  test("every content is valid against its template as it is stored", async () => {
    const [templates, collections] = [await loadTemplates(services), await loadCollections(services)];
    for (const { page, sections } of await loadPages(services, PAGES)) {
      for (const meta of Object.values(page.meta))
        expect(validateContent(META_FIELDS, meta, "create", page.id)).toEqual(meta);
      for (const { id, template, variant, content } of sections) {
        const { fields = [], variants = [] } = templates.get(template) ?? {};
        expect(variants, id).toContain(variant);
        expect(validateContent(fields, content.en ?? {}, "create", id)).toEqual(content.en);
        expect(validateContent(fields, content.de ?? {}, "patch", id)).toEqual(content.de ?? {});
        expect(Object.keys(content), id).toEqual(id === "sc_home_hero" ? ["de", "en"] : ["en"]);
      }
    }
    for (const { id, collectionId, content } of await loadEntries(services, ENTRIES)) {
      const { excerpt, ...own } = content.en ?? {};
      expect(excerpt, id).toBeTypeOf("string");
      expect(validateContent(collections.get(collectionId)?.fields ?? [], own, "create", id)).toEqual(own);
    }
  });

  test("published pages have the document of their working copy, and the draft entry has none", async () => {
    const [pages, entries] = [await loadPages(services, PAGES), await loadEntries(services, ENTRIES)];
    const documents = await loadPublished(services, [
      ...pages.map((one) => one.page.id),
      ...entries.map((one) => one.id),
    ]);
    expect([...documents.keys()].sort()).toEqual([
      "en_packing_light",
      "en_reading_the_weather",
      "pg_about",
      "pg_contact",
      "pg_home",
      "pg_layout",
    ]);
    for (const one of pages) {
      expect(documents.get(one.page.id)?.document).toEqual(publishedPageDocument(one));
      expect(documents.get(one.page.id)?.version).toBe(one.page.publishedVersion);
    }
    for (const one of entries.filter(({ status }) => status === "published"))
      expect(documents.get(one.id)?.document).toEqual(entryDocument(one, "en"));
  });

  test("the publish checks find nothing but the German that is yet to be written", async () => {
    const environment = await loadEnvironment(services);
    const found = [];
    for (const page of (await loadPages(services, PAGES)).map(publishedPageDocument)) {
      const { blockers, warnings } = checkPage(page, await loadCheckFacts(services, environment, page));
      found.push(...blockers, ...warnings);
    }
    for (const entry of (await loadEntries(services, ENTRIES)).map((one) => entryDocument(one, "en"))) {
      const { blockers, warnings } = checkEntry(entry, await loadCheckFacts(services, environment, entry));
      found.push(...blockers, ...warnings);
    }
    expect(found.filter((one) => one.code !== "locale_coverage")).toEqual([]);
  });

  test("the bytes of every image and variant lie where the rows say, under the hash of the original", async () => {
    const images = await env.DB.prepare("SELECT id, sha256, ext, byte_size, media_type FROM images").all<{
      id: string;
      sha256: string;
      ext: string;
      byte_size: number;
      media_type: string;
    }>();
    const variants = await env.DB.prepare("SELECT r2_key, byte_size FROM image_variants").all<{
      r2_key: string;
      byte_size: number;
    }>();
    for (const { sha256, ext, byte_size, media_type } of images.results) {
      const object = await env.MEDIA.get(`media/env_main/${sha256}/orig.${ext}`);
      const bytes = await object?.bytes();
      expect(bytes?.length).toBe(byte_size);
      expect(object?.httpMetadata?.contentType).toBe(media_type);
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes!));
      expect([...digest].map((one) => one.toString(16).padStart(2, "0")).join("")).toBe(sha256);
    }
    for (const { r2_key, byte_size } of variants.results) {
      expect(r2_key).toMatch(/^media\/env_main\/[0-9a-f]{64}\/w(480|960)\.png$/);
      expect((await env.MEDIA.head(r2_key))?.size).toBe(byte_size);
    }
  });

  test("site_overview shows the site, its trees and its layout", async () => {
    const overview = await call<OutputOf<typeof siteOverview>>(siteOverview, {});
    expect(overview.site).toMatchObject({ id: "site_main", name: "Fern & Fell", homePage: "pg_home" });
    expect(Object.keys(overview.settings).sort()).toEqual(["home", "identity", "seo", "theme"]);
    expect(
      overview.locales.map(({ code, fallback, active, isDefault }) => [code, fallback, active, isDefault]),
    ).toEqual([
      ["en", null, true, true],
      ["de", "en", true, false],
    ]);
    const shown = (items: readonly ShownNavItem[]): unknown =>
      items.map((one) => [one.label, one.target, shown(one.children)]);
    expect(shown(overview.nav.header)).toEqual([
      ["Home", "page:pg_home", []],
      ["About", "page:pg_about", []],
      ["Blog", "collection:co_blog", [["Packing light", "entry:en_packing_light", []]]],
      ["Contact", "page:pg_contact", []],
    ]);
    expect(shown(overview.nav.footer)).toEqual([
      ["About", "page:pg_about", []],
      ["Contact", "page:pg_contact", []],
    ]);
    expect(overview.collections).toMatchObject([
      { id: "co_blog", entries: { draft: 1, published: 2, archived: 0 } },
    ]);
    expect(overview.pages.published.items.map((one) => one.slug)).toEqual(["about", "contact", "home"]);
    expect(overview.layout?.sections.map((one) => one.template)).toEqual(["header", "footer"]);
  });

  test("page_get reads a page whole, and the German home page falls back field by field", async () => {
    const about = await call<OutputOf<typeof pageGet>>(pageGet, { page: "about", detail: "full" });
    expect(about.page).toMatchObject({
      id: "pg_about",
      status: "published",
      dirty: false,
      url: "/site/about",
    });
    expect(about.page.meta.title).toBe("About our guides");
    expect(about.sections.map((one) => one.template)).toEqual(["hero", "image-text", "gallery"]);
    const home = await call<OutputOf<typeof pageGet>>(pageGet, {
      page: "pg_home",
      detail: "full",
      locale: "de",
    });
    expect(home.sections[0]?.content?.title).toBe("Wandern mit jemandem, der den Weg kennt");
    expect([...(home.sections[0]?.fallbackFields ?? [])].sort()).toEqual(["ctaLink", "image"]);
    expect(home.sections[1]?.content?.heading).toBe("What a day with us is like");
  });

  test("entry_list and entry_get tell the draft from what is public", async () => {
    const slugs = async (args: object) =>
      (await call<{ items: { slug: string }[] }>(entryList, args)).items.map((one) => one.slug);
    expect(await slugs({ status: "draft", category: "News" })).toEqual(["winter-routes"]);
    expect(await slugs({ status: "published" })).toEqual(["packing-light", "reading-the-weather"]);
    const { entry } = await call<{
      entry: { cover: { image: string }; excerpt: string; content: { tags: string[] } };
    }>(entryGet, { entry: "blog/packing-light", state: "published" });
    expect(entry.cover.image).toBe("im_valley");
    expect(entry.excerpt).not.toBe("");
    expect(entry.content.tags).toContain("packing");
  });

  test("find leads to entries, pages, sections, images, templates and the collection by their words", async () => {
    const best = async (query: string, ...types: string[]) => {
      const { items } = await call<OutputOf<typeof find>>(find, {
        query,
        ...(types.length > 0 ? { types } : {}),
      });
      return items[0]?.id;
    };
    expect(await best("packing")).toBe("en_packing_light");
    expect(await best("winter routes")).toBe("en_winter_routes");
    expect(await best("about")).toBe("pg_about");
    expect(await best("Wandern", "section")).toBe("sc_home_hero");
    expect(await best("compass", "image")).toBe("im_compass");
    expect(await best("gallery", "template")).toBe("gallery");
    expect(await best("blog", "collection")).toBe("co_blog");
  });

  test("image_search finds an image by its words, its tags and its colours, and knows its uses", async () => {
    const ids = async (args: object) =>
      (await call<OutputOf<typeof imageSearch>>(imageSearch, args)).items.map((one) => one.id);
    expect((await ids({ query: "river valley" }))[0]).toBe("im_valley");
    expect(await ids({ tags: ["landscape"] })).toEqual(["im_ridge", "im_valley"]);
    expect(await ids({ color: "yellow" })).toEqual(["im_shelter"]);
    expect(await ids({ unused: true })).toEqual([]);
    expect(await ids({ missingAlt: true })).toEqual([]);
    const [logo] = (await call<OutputOf<typeof imageSearch>>(imageSearch, { ids: ["im_logo"], usages: true }))
      .items;
    expect(logo?.usages?.map((one) => `${one.ownerId} ${one.field} ${one.state}`).sort()).toEqual([
      "identity logo live",
      "sc_home_feature items[0].icon draft",
      "sc_home_feature items[0].icon published",
      "sc_layout_header logo draft",
      "sc_layout_header logo published",
    ]);
  });
});
