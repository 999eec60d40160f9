import * as z from "zod";
import type { Json } from "../../../cairn/core/log/json.ts";
import { defineTool } from "../../../cairn/tools/define.ts";
import type { Field } from "../model/document.ts";
import { fail } from "../model/errors.ts";
import { loadCollections, loadTemplates } from "../storage/load.ts";
import { nearest } from "../model/nearest.ts";
import { batchOf } from "../storage/rows.ts";
import { text } from "../model/columns.ts";
import type { CmsContext, CmsServices, Collection, Template } from "../model/types.ts";

/** A field with a value that a write would take. */
export interface ShownField extends Field {
  readonly example: Json;
}

const input = z.strictObject({
  kind: z.enum(["section", "collection"]).optional(),
  key: z.string().min(1).max(100).optional().describe("key of a template, or id or slug of a collection"),
});

export const schemaList = defineTool({
  name: "schema_list",
  version: 1,
  title: "List templates and collections",
  description:
    "Lists section templates and entry collections with their fields, variants and an example value of each field.",
  input,
  effect: "read",
  tier: "open",
  reads: "public",
  observationMax: 16_384,
  run: async ({ kind, key }, { services }: CmsContext) => {
    const [templates, collections, known] = await Promise.all([
      kind === "collection" ? [] : loadTemplates(services).then((all) => [...all.values()]),
      kind === "section" ? [] : loadCollections(services).then((all) => [...all.values()]),
      loadExamples(services),
    ]);
    const wantedTemplates = templates.filter((one) => key === undefined || one.key === key);
    const wantedCollections = collections.filter(
      (one) => key === undefined || one.id === key || one.slug === key,
    );
    if (key !== undefined && wantedTemplates.length + wantedCollections.length === 0) {
      throw unknownKey(key, templates, collections);
    }
    const shown = (fields: readonly Field[]) =>
      fields.map((field) => ({ ...field, example: exampleOf(field, known) }));
    return {
      templates: wantedTemplates.map((one) => ({
        key: one.key,
        name: one.name,
        description: one.description,
        region: one.region,
        variants: one.variants,
        fields: shown(one.fields),
      })),
      collections: wantedCollections.map((one) => ({
        id: one.id,
        slug: one.slug,
        name: one.name,
        description: one.description,
        sort: one.sort,
        version: one.version,
        fields: shown(one.fields),
      })),
    };
  },
  entities: (_, output) =>
    output.collections.map(({ id, name, slug }) => ({ op: "touch", type: "collection", id, name, slug })),
});

/** Things of this site that examples can name, so that they are valid here. */
interface ExampleTargets {
  readonly image: string;
  readonly page: string;
}

async function loadExamples(services: CmsServices): Promise<ExampleTargets> {
  const [images = [], ...pages] = await batchOf(services, [
    [
      "SELECT id, created_at FROM images WHERE env_id = ?1 AND deleted_at IS NULL ORDER BY created_at, id DESC LIMIT 1",
      services.env,
    ],
    [
      `SELECT slug FROM pages WHERE +env_id = ?1 AND deleted_at IS NULL
        AND id IN (SELECT value ->> 'page' FROM main.settings WHERE env_id = ?1 AND key = 'home')`,
      services.env,
    ],
    [
      `SELECT slug, id, name COLLATE NOCASE AS place FROM pages WHERE env_id = ?1 AND deleted_at IS NULL AND kind = 'page'
        ORDER BY place, id LIMIT 1`,
      services.env,
    ],
  ]);
  const [page] = pages.flat();
  return {
    image: images[0] === undefined ? "im_example" : text(images[0], "id"),
    page: page === undefined ? "home" : text(page, "slug"),
  };
}

/** A value that `compile([field])` takes. */
function exampleOf(field: Field, known: ExampleTargets): Json {
  if (field.default !== undefined) return field.default;
  switch (field.type) {
    case "text":
      return field.label.slice(0, field.max ?? field.label.length);
    case "markdown":
      return `Text with a [link](page:${known.page}).`.slice(0, field.max);
    case "image":
      return known.image;
    case "image_list":
      return Array.from({ length: Math.max(field.min ?? 0, 1) }, () => known.image);
    case "link":
      return `page:${known.page}`;
    case "select":
      return field.options?.[0] ?? "";
    case "boolean":
      return true;
    case "number":
      return field.min ?? Math.min(1, field.max ?? 1);
    case "date":
      return "2026-01-31";
    case "tags":
      return ["example"];
    case "list":
      return Array.from({ length: Math.max(field.min ?? 0, 1) }, () =>
        Object.fromEntries((field.item ?? []).map((item) => [item.key, exampleOf(item, known)])),
      );
  }
}

function unknownKey(key: string, templates: readonly Template[], collections: readonly Collection[]) {
  const candidates = [
    ...templates.map((one) => ({ label: `template ${one.key}`, value: one.key, names: [one.key, one.name] })),
    ...collections.map((one) => ({
      label: `collection ${one.slug}`,
      value: one.slug,
      names: [one.slug, one.name],
    })),
  ];
  return fail("not_found", `There is no template and no collection “${key}”.`, {
    at: "key",
    hint: `The keys are: ${candidates.map((one) => one.value).join(", ")}.`,
    suggestions: nearest(key, candidates),
  });
}
