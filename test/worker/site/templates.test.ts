import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import type { SiteContext } from "../../../src/plugins/cms/renderer/context.ts";
import { cta } from "../../../src/plugins/cms/renderer/templates/cta.ts";
import { feature } from "../../../src/plugins/cms/renderer/templates/feature.ts";
import { footer } from "../../../src/plugins/cms/renderer/templates/footer.ts";
import { gallery } from "../../../src/plugins/cms/renderer/templates/gallery.ts";
import { header } from "../../../src/plugins/cms/renderer/templates/header.ts";
import { hero } from "../../../src/plugins/cms/renderer/templates/hero.ts";
import { imageText } from "../../../src/plugins/cms/renderer/templates/image-text.ts";
import type { Renderer } from "../../../src/plugins/cms/renderer/templates/parts.ts";
import { isObject, type Json, type JsonObject } from "../../../src/cairn/core/log/json.ts";
import type { Field } from "../../../src/plugins/cms/model/document.ts";
import { ensureSeeded } from "../../../src/plugins/cms/seed/index.ts";
import { rows } from "../cms/fixture.ts";
import { NOW } from "./fixture.ts";

/** Fields that the templates declare, compared with those that their renderers read. */

const RENDERERS: Readonly<Record<string, Renderer>> = {
  cta,
  feature,
  footer,
  gallery,
  header,
  hero,
  "image-text": imageText,
};
const IMAGE = "im_ridge";
const context: SiteContext = {
  site: { name: "Fern & Fell", tagline: null, logo: null },
  root: "/site/",
  locales: ["en"],
  alternates: [],
  headerNav: [],
  footerNav: [],
  layout: null,
  templates: new Map(),
  images: new Map([
    [
      IMAGE,
      {
        id: IMAGE,
        path: "/media/00/ridge.jpg",
        mediaType: "image/jpeg",
        width: 1_600,
        height: 900,
        alt: "A ridge",
        variants: [],
      },
    ],
  ]),
  pathOf: () => "/site/somewhere",
  accent: null,
  titleTemplate: null,
  description: null,
  ogImage: null,
  origin: "https://walks.example",
  preview: null,
};

interface Template {
  readonly key: string;
  readonly fields: readonly Field[];
  readonly variants: readonly string[];
}
let templates: readonly Template[] = [];
beforeAll(async () => {
  await ensureSeeded(env, NOW);
  const found = await rows<{ key: string; fields: string; variants: string }>(
    "SELECT key, fields, variants FROM section_templates ORDER BY key",
  );
  templates = found.map(({ key, fields, variants }) => ({
    key,
    fields: JSON.parse(fields) as Field[],
    variants: JSON.parse(variants) as string[],
  }));
});

/** A value that the field holds as it is stored. */
function valueOf(field: Field): Json {
  switch (field.type) {
    case "image":
      return { image: IMAGE };
    case "image_list":
      return [{ image: IMAGE }];
    case "link":
      return { kind: "url", url: "https://example.org/" };
    case "select":
      return field.options?.[0] ?? "";
    case "tags":
      return ["walks"];
    case "list":
      return [contentOf(field.item ?? [])];
    default:
      return `Words of ${field.key}`;
  }
}
const contentOf = (fields: readonly Field[]): JsonObject =>
  Object.fromEntries(fields.map((field) => [field.key, valueOf(field)]));

const namesOf = (fields: readonly Field[], before = ""): string[] =>
  fields.flatMap((field) => [
    before + field.key,
    ...(field.type === "list" ? namesOf(field.item ?? [], `${before}${field.key}[].`) : []),
  ]);

/** The content, which writes down each field that is asked for, of the elements of lists too. */
function watched(content: JsonObject, fields: readonly Field[], read: Set<string>, before = ""): JsonObject {
  return new Proxy(content, {
    get: (all, key) => {
      if (typeof key !== "string") return undefined;
      read.add(before + key);
      const value = all[key];
      const field = fields.find((one) => one.key === key);
      if (field?.type !== "list" || !Array.isArray(value)) return value;
      return value.map((element: Json) =>
        isObject(element) ? watched(element, field.item ?? [], read, `${before}${key}[].`) : element,
      );
    },
  });
}

async function render(
  { key, variants }: Template,
  content: JsonObject,
  variant = variants[0],
): Promise<string> {
  const section = { id: "s", template: key, variant: variant ?? "default", hidden: false };
  const shown = RENDERERS[key]?.({ ...section, content: { en: content } }, context, {
    level: 2,
    first: false,
  });
  return String(await shown);
}

describe("every template", () => {
  test("has a renderer, and no renderer is without its template", () => {
    expect(templates.map((one) => one.key)).toEqual(Object.keys(RENDERERS).toSorted());
  });

  test("is rendered from the fields that it declares, all of them and no others", async () => {
    for (const template of templates) {
      for (const variant of template.variants) {
        const read = new Set<string>();
        const content = watched(contentOf(template.fields), template.fields, read);
        const html = await render(template, content, variant);
        expect([template.key, [...read].toSorted()]).toEqual([
          template.key,
          namesOf(template.fields).toSorted(),
        ]);
        const words = template.fields.filter(({ type }) => type === "text" || type === "markdown");
        expect(words.filter(({ key }) => !html.includes(`Words of ${key}`)).map(({ key }) => key)).toEqual(
          [],
        );
      }
    }
    expect(templates.flatMap((one) => namesOf(one.fields))).toEqual(
      expect.arrayContaining(["images", "items[].title", "items[].icon"]),
    );
  });

  test("shows nothing that nobody wrote when only its required fields are there, or none", async () => {
    for (const template of templates) {
      const required = template.fields.filter((one) => one.required === true);
      for (const content of [contentOf(required), {}]) {
        const html = await render(template, content);
        const text = html.replaceAll(/<[^>]*>/g, " ");
        expect([template.key, html.match(/undefined|\bnull\b|\[object|NaN|\{\{/g)]).toEqual([
          template.key,
          null,
        ]);
        expect([template.key, text.match(/lorem|placeholder|debug|missing|untitled|todo/gi)]).toEqual([
          template.key,
          null,
        ]);
        expect([template.key, html.match(/(?:src|href)=""/g)]).toEqual([template.key, null]);
      }
    }
  });
});
