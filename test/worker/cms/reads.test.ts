import { beforeAll, describe, expect, it } from "vitest";
import type { OutputOf } from "./reading.ts";
import { entryGet, entryList } from "../../../src/plugins/cms/tools/entries.ts";
import { siteOverview } from "../../../src/plugins/cms/tools/overview.ts";
import { pageGet, pageList } from "../../../src/plugins/cms/tools/read-pages.ts";
import type { Field } from "../../../src/plugins/cms/model/document.ts";
import { schemaList, type ShownField } from "../../../src/plugins/cms/tools/schema.ts";
import { compile } from "../../../src/plugins/cms/model/validate.ts";
import { call, contextOf, entitiesOf, layOutSite, refusalOf, services } from "./reading.ts";

function plainField(field: ShownField): Field {
  const { example, ...plain } = field;
  expect(example).not.toBeNull();
  return plain;
}

describe("a deployment without a site", () => {
  it("answers not_configured and says what to run", async () => {
    const refusal = await refusalOf(siteOverview, {});
    expect(refusal).toMatchObject({ code: "not_configured", class: "policy", retryable: false });
    expect(refusal.hint).toMatch(/seed/);
  });
});

describe("a laid out site", () => {
  beforeAll(layOutSite);

  describe("page_get", () => {
    it("gives deep-equal results by id and by slug, with sections and content", async () => {
      const byId = await call<OutputOf<typeof pageGet>>(pageGet, { page: "pg_home", detail: "full" });
      const bySlug = await call<OutputOf<typeof pageGet>>(pageGet, { page: "home", detail: "full" });
      expect(byId).toEqual(bySlug);
      expect(byId.page.meta).toEqual({ title: "Fern & Fell", description: "Walks" });
      expect(byId.sections.map((one) => [one.id, one.position, one.template, one.heading])).toEqual([
        ["sc_home_hero", 1, "hero", "Walk the fells with us"],
        ["sc_home_feature", 2, "feature", "What we carry"],
      ]);
      expect(byId.sections[0]?.content).toEqual({
        title: "Walk the fells with us",
        subtitle: "Small groups",
        image: { image: "im_ridge", alt: "Ridge in fog" },
        ctaText: "About the guides",
        ctaLink: "page:pg_about#team",
      });
    });

    it("shows content in the form that a write takes", async () => {
      const { templates } = await call<OutputOf<typeof schemaList>>(schemaList, { key: "hero" });
      const { sections } = await call<OutputOf<typeof pageGet>>(pageGet, {
        page: "home",
        sections: ["sc_home_hero"],
      });
      const hero = sections.find((one) => one.id === "sc_home_hero");
      const fields = (templates[0]?.fields ?? []).map(plainField);
      expect(compile(fields).create.safeParse(hero?.content).success).toBe(true);
    });

    it("gives an outline without content, and the content of the sections asked for", async () => {
      const outline = await call<OutputOf<typeof pageGet>>(pageGet, { page: "home" });
      expect(outline.sections.map((one) => "content" in one)).toEqual([false, false]);
      expect(outline.page).toMatchObject({ url: "/site/", dirty: false, version: 2, publishedVersion: 2 });
      const one = await call<OutputOf<typeof pageGet>>(pageGet, {
        page: "home",
        sections: ["sc_home_feature"],
      });
      expect(one.sections.map((section) => "content" in section)).toEqual([false, true]);
    });

    it("falls back field by field and names the fields that did", async () => {
      const { page, sections } = await call<OutputOf<typeof pageGet>>(pageGet, {
        page: "home",
        detail: "full",
        locale: "de",
      });
      expect(page.locale).toBe("de");
      expect(sections[0]?.content).toMatchObject({ title: "Wandern Sie mit uns", subtitle: "Small groups" });
      expect(sections[0]?.fallbackFields).toEqual(["subtitle", "image", "ctaText", "ctaLink"]);
      expect(sections[1]?.fallbackFields).toEqual(["heading", "items"]);
    });

    it("reads the published document, which hidden sections and later edits are not in", async () => {
      const draft = await call<OutputOf<typeof pageGet>>(pageGet, { page: "about" });
      expect(draft.page).toMatchObject({ name: "About", state: "draft", dirty: true });
      expect(draft.sections.map((one) => [one.id, one.hidden])).toEqual([
        ["sc_about_gallery", false],
        ["sc_about_hidden", true],
      ]);
      const published = await call<OutputOf<typeof pageGet>>(pageGet, { page: "about", state: "published" });
      expect(published.page).toMatchObject({ name: "About (old)", state: "published" });
      expect(published.sections.map((one) => one.id)).toEqual(["sc_about_gallery"]);
    });

    it("refuses what is not there, with what is near", async () => {
      expect(await refusalOf(pageGet, { page: "about-us" })).toMatchObject({
        code: "not_found",
        suggestions: [{ ref: "pg_about" }],
      });
      expect(await refusalOf(pageGet, { page: "plans", state: "published" })).toMatchObject({ at: "state" });
      expect(await refusalOf(pageGet, { page: "home", sections: ["sc_footer"] })).toMatchObject({
        code: "not_found",
        at: "sections",
        details: { unknown: ["sc_footer"] },
      });
      expect(await refusalOf(pageGet, { page: "home", locale: "fr" })).toMatchObject({
        code: "locale_unknown",
        at: "locale",
      });
    });
  });

  describe("page_list", () => {
    it("lists the pages, not the layout, with counts and navigation", async () => {
      const { items, total } = await call<OutputOf<typeof pageList>>(pageList, {});
      expect(total).toBe(3);
      expect(
        items.map(({ slug, status, dirty, sectionCount, inNav, url }) => [
          slug,
          status,
          dirty,
          sectionCount,
          inNav,
          url,
        ]),
      ).toEqual([
        ["about", "published", true, 2, false, "/site/about"],
        ["home", "published", false, 2, true, "/site/"],
        ["plans", "draft", true, 0, false, "/site/plans"],
      ]);
      expect(items[0]?.updatedAt).toBe("2026-01-10T00:00:00.500Z");
    });

    it("combines its filters", async () => {
      const slugs = async (args: object) =>
        (await call<OutputOf<typeof pageList>>(pageList, args)).items.map((one) => one.slug);
      expect(await slugs({ status: "published" })).toEqual(["about", "home"]);
      expect(await slugs({ dirtyOnly: true })).toEqual(["about", "plans"]);
      expect(await slugs({ dirtyOnly: true, status: "published" })).toEqual(["about"]);
      expect(await slugs({ q: "WINTER" })).toEqual(["plans"]);
      expect(await slugs({ sort: "updated" })).toEqual(["about", "home", "plans"]);
    });

    it.each(["name", "updated"])("is whole when read by %s in pages of one", async (sort) => {
      const whole = await call<OutputOf<typeof pageList>>(pageList, { sort });
      const read: string[] = [];
      for (let cursor: string | undefined; ;) {
        const part: OutputOf<typeof pageList> = await call(pageList, {
          sort,
          limit: 1,
          ...(cursor === undefined ? {} : { cursor }),
        });
        read.push(...part.items.map((one) => one.id));
        expect(part.total).toBe(3);
        cursor = part.nextCursor;
        if (cursor === undefined) break;
      }
      expect(read).toEqual(whole.items.map((one) => one.id));
    });

    it("refuses a cursor of another list", async () => {
      const { nextCursor } = await call<OutputOf<typeof pageList>>(pageList, { limit: 1 });
      expect(await refusalOf(pageList, { sort: "updated", cursor: nextCursor })).toMatchObject({
        at: "cursor",
      });
      expect(await refusalOf(pageList, { cursor: "{}" })).toMatchObject({ code: "invalid_input" });
    });

    it("refuses a key it does not know", () => {
      expect(pageList.definition.input.safeParse({ statuss: "draft" }).success).toBe(false);
    });
  });

  describe("entry_list", () => {
    it("combines status and category", async () => {
      const { items, total } = await call<OutputOf<typeof entryList>>(entryList, {
        status: "draft",
        category: "News",
      });
      expect(items.map((one) => one.slug)).toEqual(["winter-routes"]);
      expect(total).toBe(1);
      expect(
        await call<OutputOf<typeof entryList>>(entryList, { status: "published", category: "News" }),
      ).toMatchObject({
        items: [],
        total: 0,
      });
    });

    it("filters by tag and text, and sorts", async () => {
      const slugs = async (args: object) =>
        (await call<OutputOf<typeof entryList>>(entryList, args)).items.map((one) => one.slug);
      expect(await slugs({})).toEqual(["reading-the-weather", "packing-light", "winter-routes"]);
      expect(await slugs({ sort: "title" })).toEqual([
        "packing-light",
        "reading-the-weather",
        "winter-routes",
      ]);
      expect(await slugs({ tag: "Gear", sort: "title" })).toEqual(["packing-light", "reading-the-weather"]);
      expect(await slugs({ tag: "gear", q: "carry less" })).toEqual(["packing-light"]);
      expect(await slugs({ collection: "notes" })).toEqual([]);
    });

    it.each(["published", "updated", "title"])("is whole when read by %s in pages of one", async (sort) => {
      const whole = await call<OutputOf<typeof entryList>>(entryList, { sort });
      const read: string[] = [];
      for (let cursor: string | undefined; ;) {
        const part: OutputOf<typeof entryList> = await call(entryList, {
          sort,
          limit: 1,
          ...(cursor === undefined ? {} : { cursor }),
        });
        read.push(...part.items.map((one) => one.id));
        cursor = part.nextCursor;
        if (cursor === undefined) break;
      }
      expect(read).toEqual(whole.items.map((one) => one.id));
    });

    it("shows what an entry is about", async () => {
      const { items } = await call<OutputOf<typeof entryList>>(entryList, { q: "packing" });
      expect(items).toEqual([
        {
          id: "en_packing",
          slug: "packing-light",
          title: "Packing light",
          status: "published",
          dirty: false,
          category: "Guides",
          tags: ["gear"],
          publishedAt: "2026-01-10T00:00:00.000Z",
          url: "/site/blog/packing-light",
        },
      ]);
    });

    it("lists the slugs when the collection is unknown", async () => {
      expect(await refusalOf(entryList, { collection: "news" })).toMatchObject({
        code: "not_found",
        hint: "The collections are: blog, notes.",
      });
    });
  });

  describe("entry_get", () => {
    it("gives deep-equal results by id and by collection and slug", async () => {
      const byId = await call<OutputOf<typeof entryGet>>(entryGet, { entry: "en_packing" });
      expect(byId).toEqual(await call(entryGet, { entry: "blog/packing-light" }));
      expect(byId.entry).toMatchObject({
        title: "Packing light",
        excerpt: "Carry less",
        collection: { id: "co_blog", slug: "blog", name: "Blog" },
        cover: { image: "im_ridge", alt: "A ridge in fog", url: "/media/sha-im_ridge/ridge.png" },
        content: { body: "A map and a [guide](page:pg_about).", tags: ["gear"] },
        url: "/site/blog/packing-light",
        version: 2,
        fallbackFields: [],
      });
    });

    it("names the fields that fall back, the title among them", async () => {
      const { entry } = await call<OutputOf<typeof entryGet>>(entryGet, {
        entry: "en_packing",
        locale: "de",
      });
      expect(entry.title).toBe("Packing light");
      expect([...entry.fallbackFields].sort()).toEqual(["body", "excerpt", "tags", "title"]);
    });

    it("tells where an entry of that slug is", async () => {
      const refusal = await refusalOf(entryGet, { entry: "notes/packing-light" });
      expect(refusal).toMatchObject({ code: "not_found", suggestions: [{ ref: "en_packing" }] });
      expect(await refusalOf(entryGet, { entry: "en_winter", state: "published" })).toMatchObject({
        at: "state",
      });
    });
  });

  describe("site_overview", () => {
    it("shows the site at a glance", async () => {
      const overview = await call<OutputOf<typeof siteOverview>>(siteOverview, {});
      expect(overview.site).toEqual({
        id: "site_main",
        name: "Fern & Fell",
        environment: "env_main",
        isProtected: false,
        baseUrl: null,
        homePage: "pg_home",
      });
      expect(overview.settings.identity).toEqual({ title: "Fern & Fell", logo: { image: "im_compass" } });
      expect(overview.locales.map(({ code, coverage }) => [code, coverage])).toEqual([
        ["en", 100],
        ["de", 17],
      ]);
      expect(overview.nav.header).toEqual([
        { id: "nv_home", label: "Home", target: "page:pg_home", visible: true, children: [] },
        {
          id: "nv_blog",
          label: "Blog",
          target: "collection:co_blog",
          visible: true,
          children: [
            {
              id: "nv_packing",
              label: "Packing light",
              target: "entry:en_packing",
              visible: true,
              children: [],
            },
          ],
        },
      ]);
      expect(overview.nav.footer.map((one) => one.target)).toEqual(["https://example.org/map"]);
      expect(overview.collections).toEqual([
        { id: "co_blog", slug: "blog", name: "Blog", entries: { draft: 1, published: 2, archived: 0 } },
        { id: "co_notes", slug: "notes", name: "Notes", entries: { draft: 0, published: 0, archived: 0 } },
      ]);
      expect(overview.pages.draft).toEqual({
        total: 1,
        items: [{ id: "pg_plans", slug: "plans", name: "Plans for winter" }],
      });
      expect(overview.pages.published.total).toBe(2);
      expect(overview.layout).toEqual({
        page: "pg_layout",
        sections: [{ id: "sc_footer", template: "footer" }],
      });
    });
  });

  describe("schema_list", () => {
    it("gives an example of each field that a write takes", async () => {
      const { templates, collections } = await call<OutputOf<typeof schemaList>>(schemaList, {});
      expect(templates.map((one) => one.key)).toEqual(["feature", "footer", "gallery", "hero"]);
      expect(collections.map((one) => one.slug)).toEqual(["blog", "notes"]);
      for (const { fields } of [...templates, ...collections]) {
        const example = Object.fromEntries(fields.map((field) => [field.key, field.example]));
        const plain = fields.map(plainField);
        expect(compile(plain).create.safeParse(example)).toMatchObject({ success: true });
      }
      const hero = templates.find((one) => one.key === "hero");
      expect(hero?.fields.find((field) => field.key === "ctaLink")?.example).toBe("page:home");
      expect(hero?.fields.find((field) => field.key === "image")?.example).toBe("im_ridge");
    });

    it("reads one by key, and suggests the nearest for an unknown one", async () => {
      const one = await call<OutputOf<typeof schemaList>>(schemaList, { key: "gallery" });
      expect([one.templates.length, one.collections.length]).toEqual([1, 0]);
      const collection = await call<OutputOf<typeof schemaList>>(schemaList, {
        kind: "collection",
        key: "co_blog",
      });
      expect(collection.collections.map((each) => each.slug)).toEqual(["blog"]);
      expect(await refusalOf(schemaList, { key: "galery" })).toMatchObject({
        code: "not_found",
        at: "key",
        suggestions: [{ value: "gallery" }],
      });
    });
  });

  describe("working memory", () => {
    const page = { op: "touch", type: "page", id: "pg_home", name: "Home", slug: "home" } as const;
    const parent = { type: "page", id: "pg_home" } as const;
    const blog = { op: "touch", type: "collection", id: "co_blog", name: "Blog", slug: "blog" } as const;
    const packing = {
      op: "touch",
      type: "entry",
      id: "en_packing",
      name: "Packing light",
      slug: "packing-light",
      parent: { type: "collection", id: "co_blog" },
    } as const;

    it("holds the golden entities of the read tools", async () => {
      expect(await entitiesOf(siteOverview, {})).toEqual([
        { op: "touch", type: "site", id: "site_main", name: "Fern & Fell" },
      ]);
      expect(await entitiesOf(pageList, { q: "home" })).toEqual([page]);
      expect(await entitiesOf(pageGet, { page: "home" })).toEqual([
        page,
        { op: "touch", type: "section", id: "sc_home_hero", name: "hero “Walk the fells with us”", parent },
        { op: "touch", type: "section", id: "sc_home_feature", name: "feature “What we carry”", parent },
      ]);
      expect(await entitiesOf(schemaList, { kind: "section" })).toEqual([]);
      expect(await entitiesOf(schemaList, { key: "blog" })).toEqual([blog]);
      expect(await entitiesOf(entryList, { q: "packing" })).toEqual([packing, blog]);
      expect(await entitiesOf(entryGet, { entry: "en_packing" })).toEqual([packing, blog]);
    });

    it("takes at most five things of a list", async () => {
      const sixth = { ...services };
      await sixth.db.batch(
        [1, 2, 3, 4].map((n) =>
          sixth.db
            .prepare(
              "INSERT INTO pages(id,env_id,slug,name,created_at,updated_at) VALUES(?1,'env_main',?2,?3,1,1)",
            )
            .bind(`pg_more${n}`, `more-${n}`, `More ${n}`),
        ),
      );
      const { definition } = pageList;
      const input = definition.input.parse({});
      const output = (await definition.run(input, contextOf("s1/five"))) as OutputOf<typeof pageList>;
      expect(output.items).toHaveLength(7);
      expect(definition.entities?.(input, output)).toHaveLength(5);
    });
  });
});
