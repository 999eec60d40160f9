import { describe, expect, it } from "vitest";
import { checkEntry, checkPage, computeCoverage } from "../../../src/plugins/cms/checks/checks.ts";
import type {
  EntryDocument,
  Field,
  PageDocument,
  SectionDocument,
} from "../../../src/plugins/cms/model/document.ts";
import type { CheckFacts, CheckImage } from "../../../src/plugins/cms/checks/facts.ts";
import type { Checks, Environment, Template } from "../../../src/plugins/cms/model/types.ts";

const HERO: Template = {
  key: "hero",
  name: "Hero",
  description: "",
  region: "main",
  fields: [
    { key: "title", label: "Title", type: "text", required: true },
    { key: "subtitle", label: "Subtitle", type: "text" },
    { key: "image", label: "Image", type: "image" },
    { key: "ctaText", label: "Button text", type: "text" },
    { key: "ctaLink", label: "Button link", type: "link" },
    { key: "body", label: "Body", type: "markdown" },
    {
      key: "items",
      label: "Items",
      type: "list",
      item: [
        { key: "heading", label: "Heading", type: "text" },
        { key: "icon", label: "Icon", type: "image", required: true },
      ],
    },
  ],
  variants: ["default"],
  version: 1,
};

const ENVIRONMENT: Environment = {
  id: "main",
  siteId: "site_main",
  siteName: "Fern & Fell",
  baseUrl: null,
  isProtected: false,
  epoch: 1,
  locales: [{ code: "en", name: "English", fallback: null, isDefault: true, active: true, version: 1 }],
  defaultLocale: "en",
  homePageId: "pg_home",
};

function image(id: string, more: Partial<CheckImage> = {}): CheckImage {
  return {
    id,
    filename: `${id}.png`,
    alt: "A ridge in fog",
    altSource: "human",
    byteSize: 10,
    variants: 0,
    ...more,
  };
}

function facts(more: Partial<CheckFacts> = {}): CheckFacts {
  const images = [
    image("im_ok"),
    image("im_bare", { alt: "" }),
    image("im_named", { filename: "winter-hut.png", alt: "Winter hut" }),
    image("im_model", { altSource: "model" }),
    image("im_huge", { byteSize: 2_000_000 }),
    image("im_huge_sized", { byteSize: 2_000_000, variants: 3 }),
  ];
  return {
    environment: ENVIRONMENT,
    templates: new Map([["hero", HERO]]),
    collections: new Map(),
    images: new Map(images.map((one) => [one.id, one])),
    targets: new Map([
      ["page:pg_about", { type: "page", id: "pg_about", name: "About", public: true }],
      ["page:pg_draft", { type: "page", id: "pg_draft", name: "Plans", public: false }],
    ]),
    linked: new Set(["page:pg_x"]),
    otherTitles: new Set(["about us"]),
    ...more,
  };
}

function hero(
  content: SectionDocument["content"][string],
  more: Partial<SectionDocument> = {},
): SectionDocument {
  const whole = { title: "Walk the fells", ...content };
  return { id: "sc_1", template: "hero", variant: "default", hidden: false, content: { en: whole }, ...more };
}

function page(sections: readonly SectionDocument[], more: Partial<PageDocument> = {}): PageDocument {
  const meta = { en: { title: "Walks", description: "Walks with a guide." } };
  return {
    v: 1,
    type: "page",
    kind: "page",
    id: "pg_x",
    slug: "walks",
    name: "Walks",
    indexing: true,
    meta,
    sections,
    ...more,
  };
}

const codes = ({ blockers, warnings }: Checks) => ({
  blocks: blockers.map((one) => [one.code, one.field ?? ""]),
  warns: warnings.map((one) => [one.code, one.field ?? ""]),
});
const checked = (content: SectionDocument["content"][string]) =>
  codes(checkPage(page([hero(content)]), facts()));

describe("a page", () => {
  it("in good order has no finding", () => {
    const content = {
      image: { image: "im_ok" },
      ctaText: "Meet the guides",
      ctaLink: { kind: "page", id: "pg_about" },
    };
    expect(checked(content)).toEqual({ blocks: [], warns: [] });
  });

  it("is blocked by a missing required field, in a list too, and names owner, field and fix", () => {
    const { blockers } = checkPage(page([hero({ title: "  ", items: [{ heading: "Map" }] })]), facts());
    expect(blockers).toEqual([
      {
        code: "missing_required",
        owner: { type: "section", id: "sc_1", name: "Hero" },
        field: "title",
        message: "“Title” is required and empty.",
        fix: "Give title a value.",
      },
      {
        code: "missing_required",
        owner: { type: "section", id: "sc_1", name: "Hero" },
        field: "items[0].icon",
        message: "“Icon” is required and empty.",
        fix: "Give items[0].icon a value.",
      },
    ]);
  });

  it("is blocked by a link whose target is gone, and warned of one that is not public", () => {
    expect(checked({ ctaText: "Go", ctaLink: { kind: "page", id: "pg_gone" } }).blocks).toEqual([
      ["broken_link", "ctaLink"],
    ]);
    expect(checked({ body: "See [the plans](page:pg_gone#top)." }).blocks).toEqual([["broken_link", "body"]]);
    expect(checked({ body: "See [the plans](page:pg_draft)." })).toEqual({
      blocks: [],
      warns: [["link_to_draft", "body"]],
    });
    expect(checked({ ctaText: "Go", ctaLink: { kind: "url", url: "https://example.org" } })).toEqual({
      blocks: [],
      warns: [],
    });
  });

  it("is blocked by a gone image where one is required, and warned elsewhere", () => {
    expect(checked({ items: [{ icon: { image: "im_gone" } }] }).blocks).toEqual([
      ["broken_image", "items[0].icon"],
    ]);
    expect(checked({ image: { image: "im_gone" } })).toEqual({
      blocks: [],
      warns: [["broken_image", "image"]],
    });
    expect(checked({ body: "![A hut](image:im_gone)" })).toEqual({
      blocks: [],
      warns: [["broken_image", "body"]],
    });
  });

  it("is blocked by an image without alternative text, unless it is decorative or described in its slot", () => {
    expect(checked({ image: { image: "im_bare" } }).blocks).toEqual([["alt_missing", "image"]]);
    expect(checked({ body: "![](image:im_bare)" }).blocks).toEqual([["alt_missing", "body"]]);
    expect(checked({ image: { image: "im_bare", decorative: true } })).toEqual({ blocks: [], warns: [] });
    expect(checked({ image: { image: "im_bare", alt: "Fog" } })).toEqual({ blocks: [], warns: [] });
  });

  it("is warned of alternative text that no person wrote", () => {
    expect(checked({ image: { image: "im_model" } }).warns).toEqual([["alt_unreviewed", "image"]]);
    expect(checked({ image: { image: "im_model", alt: "A hut" } }).warns).toEqual([]);
    expect(checked({ image: { image: "im_named" } }).warns).toEqual([["alt_is_filename", "image"]]);
  });

  it("is warned of a large image without variants", () => {
    expect(checked({ image: { image: "im_huge" } }).warns).toEqual([["image_oversized", "image"]]);
    expect(checked({ image: { image: "im_huge_sized" } }).warns).toEqual([]);
  });

  it("is blocked by an unknown template or variant", () => {
    const sections = [hero({}, { template: "marquee" }), hero({}, { id: "sc_2", variant: "loud" })];
    expect(codes(checkPage(page(sections), facts())).blocks).toEqual([
      ["unknown_template", ""],
      ["unknown_variant", ""],
    ]);
  });

  it("is blocked by a reserved slug or that of a locale, and by its size", () => {
    expect(codes(checkPage(page([hero({})], { slug: "media" }), facts())).blocks).toEqual([
      ["slug_reserved", "slug"],
    ]);
    expect(codes(checkPage(page([hero({})], { slug: "en" }), facts())).blocks).toEqual([
      ["slug_reserved", "slug"],
    ]);
    const large = page(
      Array.from({ length: 6 }, (_, n) => hero({ body: "x".repeat(100_000) }, { id: `sc_${n}` })),
    );
    expect(codes(checkPage(large, facts())).blocks).toEqual([["doc_too_large", ""]]);
  });

  it("is warned about its meta", () => {
    const of = (meta: PageDocument["meta"][string]) =>
      codes(checkPage(page([hero({})], { meta: { en: meta } }), facts())).warns;
    expect(of({ title: "Walks" })).toEqual([["meta_description", "meta.description"]]);
    expect(of({ title: "Walks", description: "x".repeat(161) })).toEqual([
      ["meta_description", "meta.description"],
    ]);
    expect(of({ title: "x".repeat(61), description: "y" })).toEqual([["title_length", "meta.title"]]);
    expect(of({ title: "About us", description: "y" })).toEqual([["duplicate_title", "meta.title"]]);
    expect(of({ description: "y", ogImage: { image: "im_gone" } })).toEqual([
      ["broken_image", "meta.ogImage"],
    ]);
  });

  it("is warned when it is empty, all hidden or an orphan; the home page is never an orphan", () => {
    expect(codes(checkPage(page([]), facts())).warns).toEqual([["empty_page", ""]]);
    expect(codes(checkPage(page([hero({}, { hidden: true })]), facts())).warns).toEqual([["all_hidden", ""]]);
    const alone = facts({ linked: new Set() });
    expect(codes(checkPage(page([hero({})]), alone)).warns).toEqual([["orphan_page", ""]]);
    expect(codes(checkPage(page([hero({})], { id: "pg_home" }), alone)).warns).toEqual([]);
  });

  it("is not judged by its hidden sections, which are not published", () => {
    const hidden = hero({ title: "", image: { image: "im_gone" } }, { id: "sc_2", hidden: true });
    expect(codes(checkPage(page([hero({}), hidden]), facts()))).toEqual({ blocks: [], warns: [] });
  });

  it("is warned of link texts and headings that say nothing", () => {
    expect(checked({ body: "[Click here!](page:pg_about)" }).warns).toEqual([["vague_link_text", "body"]]);
    expect(checked({ ctaText: "Read more", ctaLink: { kind: "page", id: "pg_about" } }).warns).toEqual([
      ["vague_link_text", "ctaText"],
    ]);
    expect(checked({ body: "[Meet the guides](page:pg_about)" }).warns).toEqual([]);
    expect(checked({ body: "##\n\ntext" }).warns).toEqual([["heading_empty", "body"]]);
    expect(checked({ body: "```\n##\n```\n\n## Maps" }).warns).toEqual([]);
    expect(checked({ items: [{ heading: " ", icon: { image: "im_ok" } }] }).warns).toEqual([
      ["heading_empty", "items[0].heading"],
    ]);
  });

  it("that is the layout has no meta, no slug and no orphans to check", () => {
    const layout = page([], { kind: "layout", slug: "_layout", meta: {} });
    expect(codes(checkPage(layout, facts({ linked: new Set() })))).toEqual({ blocks: [], warns: [] });
  });
});

describe("locales", () => {
  const german = { code: "de", name: "Deutsch", fallback: "en", isDefault: false, active: true, version: 1 };
  const bilingual = facts({ environment: { ...ENVIRONMENT, locales: [...ENVIRONMENT.locales, german] } });

  it("below full coverage are warned of, and their own values are checked", () => {
    const half = hero({ subtitle: "Small groups" });
    const document = page([
      { ...half, content: { ...half.content, de: { title: "Wandern", image: { image: "im_bare" } } } },
    ]);
    expect(codes(checkPage(document, bilingual))).toEqual({
      blocks: [["alt_missing", "image"]],
      warns: [["locale_coverage", ""]],
    });
    expect(computeCoverage(document, bilingual, "de")).toEqual({ filled: 1, total: 2 });
  });

  it("with every text are not, though images and links are shared", () => {
    const both = hero({ image: { image: "im_ok" } });
    const document = page([{ ...both, content: { ...both.content, de: { title: "Wandern" } } }]);
    expect(codes(checkPage(document, bilingual))).toEqual({ blocks: [], warns: [] });
  });

  it("repeat a finding once", () => {
    const one = hero({ image: { image: "im_bare" } });
    const document = page([{ ...one, content: { ...one.content, de: { ...one.content.en } } }]);
    expect(codes(checkPage(document, bilingual)).blocks).toEqual([["alt_missing", "image"]]);
  });
});

describe("an entry", () => {
  const fields: readonly Field[] = [{ key: "body", label: "Body", type: "markdown", required: true }];
  const blog = {
    id: "co_blog",
    slug: "blog",
    name: "Blog",
    description: "",
    fields,
    sort: "",
    version: 1,
    deletedAt: null,
    updatedAt: 0,
  };
  const around = facts({ collections: new Map([["co_blog", blog]]) });
  const entry = (
    content: EntryDocument["content"][string],
    more: Partial<EntryDocument> = {},
  ): EntryDocument => ({
    v: 1,
    type: "entry",
    id: "en_1",
    collection: "co_blog",
    slug: "packing",
    category: null,
    author: null,
    cover: null,
    indexing: true,
    publishedAt: null,
    content: { en: content },
    ...more,
  });

  it("is checked by the fields of its collection, its title and its cover", () => {
    expect(codes(checkEntry(entry({ title: "Packing", body: "A map" }), around))).toEqual({
      blocks: [],
      warns: [],
    });
    expect(codes(checkEntry(entry({ title: "", body: "" }, { cover: "im_bare" }), around)).blocks).toEqual([
      ["missing_required", "title"],
      ["alt_missing", "cover"],
      ["missing_required", "body"],
    ]);
    expect(checkEntry(entry({ title: "Packing" }), around).blockers[0]?.owner).toEqual({
      type: "entry",
      id: "en_1",
      name: "Packing",
    });
  });
});
