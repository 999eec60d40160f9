import type { Schemas } from "../model/types.ts";
import type { Change, CmsServices, Environment, Locale, Projection } from "../model/types.ts";
import { projectCollection, projectFields } from "./collections.ts";
import { loadMetadata, projectImage } from "./images.ts";
import { loadEntries, loadPages } from "./load.ts";
import {
  mergeProjections,
  NO_PROJECTION,
  projectEntry,
  projectPage,
  templateDocument,
} from "./projections.ts";
import { rowsOf } from "./rows.ts";
import { text } from "../model/columns.ts";

/** Changes of collections and languages: the site that follows, and what they do to all that does not change itself. */

export interface Site {
  readonly environment: Environment;
  readonly schemas: Schemas;
}

type Of<Type extends Change["type"]> = Extract<Change, { type: Type }>;
const of = <Type extends Change["type"]>(changes: readonly Change[], type: Type): Of<Type>[] =>
  changes.filter((one): one is Of<Type> => one.type === type);

/** The site as these changes make it. */
export function siteAfter({ environment, schemas }: Site, changes: readonly Change[]): Site {
  const locales = new Map(environment.locales.map((one) => [one.code, one]));
  for (const { before, after } of of(changes, "locale")) {
    if (before !== null) locales.delete(before.code);
    if (after !== null) locales.set(after.code, after);
  }
  const collections = new Map(schemas.collections);
  for (const { after } of of(changes, "collection")) {
    if (after.deletedAt === null) collections.set(after.id, after);
    else collections.delete(after.id);
  }
  return {
    environment: withLocales(environment, [...locales.values()]),
    schemas: { ...schemas, collections },
  };
}

/** The environment with these languages, the default one first. */
export function withLocales(environment: Environment, locales: readonly Locale[]): Environment {
  const sorted = locales.toSorted(
    (one, other) => Number(other.isDefault) - Number(one.isDefault) || (one.code < other.code ? -1 : 1),
  );
  return {
    ...environment,
    locales: sorted,
    defaultLocale: sorted.find((one) => one.isDefault)?.code ?? environment.defaultLocale,
  };
}

/**
 * The effect of such changes on everything that does not change itself; `site` is the state afterwards. The caller
 * projects the rows that do change.
 */
export async function projectStructure(
  services: CmsServices,
  changes: readonly Change[],
  site: Site,
): Promise<Projection> {
  const { defaultLocale } = site.environment;
  const switches = of(changes, "locale").some(
    ({ before, after }) => (before?.isDefault ?? false) !== (after?.isDefault ?? false),
  );
  const collections = of(changes, "collection");
  const projected = {
    drafts: new Set(of(changes, "entry").map((one) => one.after.id)),
    published: new Set(of(changes, "published").map((one) => (one.after ?? one.before)?.ownerId ?? "")),
  };
  const parts = await Promise.all(
    collections.map(async ({ before, after }) =>
      before === null ? NO_PROJECTION : projectFields(services, before, after, defaultLocale, projected),
    ),
  );
  return mergeProjections(
    ...collections.map(({ after }) => projectCollection(after, defaultLocale)),
    ...parts,
    switches ? await projectRest(services, changes, site) : NO_PROJECTION,
  );
}

/** Every draft, image and template that does not change, as it is found in another default language. */
async function projectRest(
  services: CmsServices,
  changes: readonly Change[],
  { environment: { defaultLocale }, schemas }: Site,
): Promise<Projection> {
  const changed = new Set(
    changes.flatMap(({ after }) => (after !== null && "id" in after ? [after.id] : [])),
  );
  const idsOf = async (table: "pages" | "entries" | "images"): Promise<string[]> => {
    const rows = await rowsOf(
      services,
      `SELECT id FROM ${table} WHERE env_id=?1 AND deleted_at IS NULL`,
      services.env,
    );
    return rows.map((row) => text(row, "id")).filter((id) => !changed.has(id));
  };
  const [pages, entries, images] = await Promise.all([idsOf("pages"), idsOf("entries"), idsOf("images")]);
  const [aggregates, rows, known] = await Promise.all([
    loadPages(services, pages),
    loadEntries(services, entries),
    loadMetadata(services, images),
  ]);
  const collections = [...schemas.collections.values()].filter((one) => !changed.has(one.id));
  const templates = [...schemas.templates.values()];
  return mergeProjections(
    ...aggregates.map((one) => projectPage(one, schemas.templates, defaultLocale)),
    ...rows.flatMap((one) => {
      const collection = schemas.collections.get(one.collectionId);
      return collection === undefined ? [] : [projectEntry(one, collection, defaultLocale)];
    }),
    ...known.map(({ image, metadata }) => projectImage(image, metadata, defaultLocale)),
    ...collections.map((one) => projectCollection(one, defaultLocale)),
    {
      ...NO_PROJECTION,
      clearDocuments: templates.map((one) => ({ kind: "template", id: one.key })),
      documents: templates.map((one) => templateDocument(one, defaultLocale)),
    },
  );
}
