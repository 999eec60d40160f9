import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { ToolFailure } from "../../../src/cairn/core/log/tool.ts";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import type { Content, Field } from "../../../src/plugins/cms/model/document.ts";
import { isSafeUrl, parseLink, storedContent, wantedIn } from "../../../src/plugins/cms/model/links.ts";
import { likenessTo } from "../../../src/cairn/core/text/nearest.ts";
import { nearest } from "../../../src/plugins/cms/model/nearest.ts";
import { freeSlugs, slugify, validateSlug } from "../../../src/plugins/cms/model/slugs.ts";
import type { Environment } from "../../../src/plugins/cms/model/types.ts";
import { describeField, patched, validateContent } from "../../../src/plugins/cms/model/validate.ts";

const FIELDS: readonly Field[] = [
  { key: "title", label: "Title", type: "text", required: true, max: 12 },
  { key: "body", label: "Body", type: "markdown" },
  { key: "image", label: "Image", type: "image" },
  { key: "link", label: "Link", type: "link" },
  { key: "layout", label: "Layout", type: "select", options: ["grid", "list"], default: "grid" },
  { key: "count", label: "Count", type: "number", min: 0 },
  { key: "shown", label: "Shown", type: "boolean" },
  { key: "on", label: "On", type: "date" },
  { key: "tags", label: "Tags", type: "tags", max: 2 },
  {
    key: "items",
    label: "Items",
    type: "list",
    max: 2,
    item: [
      { key: "name", label: "Name", type: "text", required: true },
      { key: "icon", label: "Icon", type: "image" },
    ],
  },
];

function refusalOf(act: () => unknown): ToolFailure {
  try {
    act();
  } catch (error) {
    if (error instanceof ToolError) return error.failure;
    throw error;
  }
  throw new Error("expected a refusal");
}

const create = (content: Content) => validateContent(FIELDS, content, "create", "content");
const patch = (content: Content) => validateContent(FIELDS, content, "patch", "content");

describe("content", () => {
  test("create fills in defaults and keeps the rest as given", () => {
    expect(create({ title: "Hello", count: 0, shown: false })).toEqual({
      title: "Hello",
      layout: "grid",
      count: 0,
      shown: false,
    });
  });

  test("a patch takes any part, and empty texts, zeros and false are values", () => {
    expect(patch({ body: "", count: 0, shown: false })).toEqual({ body: "", count: 0, shown: false });
  });

  test("an unknown key names the allowed and the nearest ones", () => {
    const failure = refusalOf(() => patch({ titel: "Hello" }));
    expect(failure).toMatchObject({ code: "unknown_field", class: "invalid_args", at: "content.titel" });
    expect(failure.suggestions).toEqual([{ label: "title", value: "title" }]);
    expect(failure.hint).toContain("title* text ≤12");
  });

  test("an unknown key inside a list names the keys of the element", () => {
    const failure = refusalOf(() => patch({ items: [{ name: "A" }, { name: "B", icn: "x" }] }));
    expect(failure).toMatchObject({
      code: "unknown_field",
      at: "content.items[1].icn",
      details: { allowed: ["name", "icon"] },
    });
  });

  test.each<[string, Content, string, string]>([
    ["a missing required field", { body: "x" }, "required_field", "content.title"],
    ["a null for a required field", { title: null }, "required_field", "content.title"],
    ["an empty required text", { title: " " }, "required_field", "content.title"],
    ["too long a text", { title: "a much too long title" }, "invalid_content", "content.title"],
    ["a null for an optional field", { title: "A", body: null }, "invalid_content", "content.body"],
    ["an option that does not exist", { title: "A", layout: "wall" }, "invalid_content", "content.layout"],
    ["a number below its minimum", { title: "A", count: -1 }, "invalid_content", "content.count"],
    ["a text for a boolean", { title: "A", shown: "yes" }, "invalid_content", "content.shown"],
    ["a day that does not exist", { title: "A", on: "2026-13-40" }, "invalid_content", "content.on"],
    ["too many tags", { title: "A", tags: ["a", "b", "c"] }, "invalid_content", "content.tags"],
    [
      "a required field missing in a list",
      { title: "A", items: [{}] },
      "required_field",
      "content.items[0].name",
    ],
    ["a script as a link", { title: "A", link: "javascript:alert(1)" }, "invalid_content", "content.link"],
    [
      "an image with an unknown key",
      { title: "A", image: { image: "im_1", onerror: "x" } },
      "unknown_field",
      "content.image.onerror",
    ],
  ])("%s is refused", (_, content, code, at) => {
    const failure = refusalOf(() => create(content));
    expect([failure.code, failure.at]).toEqual([code, at]);
  });

  test("content over 256 KB is refused", () => {
    const fields: readonly Field[] = ["a", "b", "c", "d"].map((key) => ({
      key,
      label: key,
      type: "markdown",
    }));
    const text = "x".repeat(90_000);
    const failure = refusalOf(() =>
      validateContent(fields, { a: text, b: text, c: text }, "create", "content"),
    );
    expect(failure.code).toBe("limit_exceeded");
  });

  test("unset clears, but not a required field in the default locale", () => {
    expect(patched(FIELDS, { title: "A", body: "x" }, { count: 1 }, ["body"], true)).toEqual({
      title: "A",
      count: 1,
    });
    expect(refusalOf(() => patched(FIELDS, { title: "A" }, {}, ["title"], true)).code).toBe("required_field");
    expect(patched(FIELDS, { title: "A" }, {}, ["title"], false)).toEqual({});
    expect(refusalOf(() => patched(FIELDS, {}, {}, ["bodi"], true)).suggestions).toEqual([
      { label: "body", value: "body" },
    ]);
  });

  test("a field is described with its bounds", () => {
    expect(FIELDS.map(describeField)).toContain("items list ≤2 items of {name* text, icon image}");
    expect(FIELDS.map(describeField)).toContain("layout select (grid/list)");
  });
});

describe("links", () => {
  test.each<[string, Json, unknown]>([
    ["a page with an anchor", "page:about#team", { kind: "ref", type: "page", ref: "about", anchor: "team" }],
    ["an entry", "entry:blog/a", { kind: "ref", type: "entry", ref: "blog/a" }],
    ["a stored link", { kind: "page", id: "pg_1" }, { kind: "ref", type: "page", ref: "pg_1" }],
    [
      "a URL",
      "https://example.org/a?b=c",
      { kind: "stored", link: { kind: "url", url: "https://example.org/a?b=c" } },
    ],
    ["an anchor", "#top", { kind: "stored", link: { kind: "anchor", anchor: "top" } }],
    ["a stored script", { kind: "url", url: "javascript:alert(1)" }, null],
    ["a relative path", "about", null],
    ["a number", 7, null],
  ])("%s is read", (_, given, parsed) => {
    expect(parseLink(given)).toEqual(parsed);
  });

  test("only harmless protocols are safe, however they are spelled", () => {
    for (const url of ["/site/about", "https://a.b", "http://a.b", "mailto:a@b.c", "tel:+4912345"])
      expect(isSafeUrl(url)).toBe(true);
    const bad = [
      "javascript:x",
      "JaVaScRiPt:x",
      " javascript:x",
      "java\tscript:x",
      "data:text/html,x",
      "//evil.example",
      "/\\evil",
      "vbscript:x",
    ];
    for (const url of bad) expect(isSafeUrl(url)).toBe(false);
  });

  test("everything that a content names is found and stored by id", () => {
    const content: Content = {
      title: "A",
      link: "page:about#x",
      image: "im_1",
      body: "See [us](page:about), ![pic](image:im_2) and\n\n[d]: entry:blog/a\n",
      items: [{ name: "N", icon: { image: "im_3", alt: "I" } }],
    };
    expect(wantedIn(FIELDS, content).map((one) => `${one.at} ${one.type}:${one.ref}`)).toEqual([
      "body page:about",
      "body image:im_2",
      "body entry:blog/a",
      "image image:im_1",
      "link page:about",
      "items[0].icon image:im_3",
    ]);
    const stored = storedContent(FIELDS, content, (type, ref) =>
      type === "image" ? ref : `${type}_${ref.replace("/", "_")}`,
    );
    expect(stored).toEqual({
      title: "A",
      link: { kind: "page", id: "page_about", anchor: "x" },
      image: { image: "im_1" },
      body: "See [us](page:page_about), ![pic](image:im_2) and\n\n[d]: entry:entry_blog_a\n",
      items: [{ name: "N", icon: { image: "im_3", alt: "I" } }],
    });
    expect(storedContent(FIELDS, stored, (_, ref) => ref)).toEqual(stored);
  });
});

describe("slugs", () => {
  test.each([
    ["About us", "about-us"],
    ["  Café — Über Größe! ", "cafe-uber-grosse"],
    ["日本", ""],
    ["a".repeat(80), "a".repeat(64)],
  ])("%s becomes %s", (name, slug) => {
    expect(slugify(name)).toBe(slug);
  });

  test("a malformed slug comes with a proposal, a reserved one is refused", () => {
    const locale = { name: "", fallback: null, isDefault: true, active: true, version: 1 };
    const environment: Environment = {
      id: "e",
      siteId: "s",
      siteName: "S",
      baseUrl: null,
      isProtected: false,
      epoch: 1,
      locales: [{ ...locale, code: "en" }],
      defaultLocale: "en",
      homePageId: null,
    };
    expect(validateSlug("about-us", environment)).toBe("about-us");
    expect(refusalOf(() => validateSlug("About Us", environment)).suggestions).toEqual([
      { label: "about-us", value: "about-us" },
    ]);
    expect(refusalOf(() => validateSlug("_layout", environment)).code).toBe("invalid_input");
    for (const slug of ["api", "media", "en"])
      expect(refusalOf(() => validateSlug(slug, environment)).code).toBe("slug_reserved");
  });

  test("free slugs skip the taken ones", () => {
    expect(freeSlugs("about", new Set(["about", "about-2"]))).toEqual(["about-3", "about-4", "about-5"]);
  });
});

describe("suggestions", () => {
  test("likeness is 1 for the same text, 0 for nothing in common, and ignores case and marks", () => {
    expect(likenessTo("About us")("about  ÜS".replace("Ü", "u"))).toBe(1);
    expect(likenessTo("Café")("cafe")).toBe(1);
    expect(likenessTo("about")("xyz")).toBe(0);
    expect(likenessTo("")("")).toBe(0);
    expect(likenessTo("abuot")("about")).toBeGreaterThan(likenessTo("abuot")("contact"));
  });

  test("the nearest are few, ordered and not below the threshold", () => {
    const candidates = ["about", "about-us", "about-me", "about-it", "contact"].map((slug) => ({
      label: slug,
      ref: slug,
      names: [slug],
    }));
    expect(nearest("about", candidates).map((one) => one.ref)).toEqual(["about", "about-it", "about-me"]);
    expect(nearest("zzz", candidates)).toEqual([]);
  });
});
