import * as z from "zod";
import type { Content, Field } from "../model/document.ts";
import { fail } from "../model/errors.ts";
import { freeSlugs, validateSlug } from "../model/slugs.ts";
import type { CmsServices, Collection, Entry, Environment } from "../model/types.ts";
import { rowsOf } from "../storage/rows.ts";
import { text } from "../model/columns.ts";
import { lineInput, refInput } from "../edit/plan.ts";
import { entryPath, isDirty } from "../edit/publish.ts";
import { resolveTargets } from "../edit/refs.ts";

/** Shared by the tools that write entries. */

export const entryTitleInput = lineInput(120);
export const entryTextInputs = {
  excerpt: z.string().max(500).optional(),
  category: lineInput(80).optional(),
  author: lineInput(80).optional(),
  cover: refInput.describe("image id").optional(),
};

const EXCERPT: Field = { key: "excerpt", label: "Excerpt", type: "text", max: 500 };

/** The fields of an entry in one language: those of the collection, and the excerpt. */
export function entryFields({ fields }: Pick<Collection, "fields">): readonly Field[] {
  return fields.some((one) => one.key === EXCERPT.key) ? fields : [EXCERPT, ...fields];
}

/** The given content, with the excerpt, which is a separate argument. */
export function givenContent(content: Content | undefined, excerpt: string | undefined): Content {
  return { ...content, ...(excerpt === undefined ? {} : { excerpt }) };
}

export type EntryBrief = ReturnType<typeof entryBrief>;

export function entryBrief(entry: Entry, collection: Collection, environment: Environment) {
  const { id, slug, title, status, version, category } = entry;
  return {
    id,
    slug,
    title,
    status,
    version,
    category,
    dirty: isDirty(entry),
    url: entryPath(entry, collection.slug, environment),
    collection: { id: collection.id, slug: collection.slug },
  };
}

/** An entry as working memory takes it. */
export function entryEntity(
  op: "create" | "touch" | "delete",
  { id, title, slug, collection }: Pick<EntryBrief, "id" | "title" | "slug" | "collection">,
) {
  const parent = { type: "collection", id: collection.id };
  return { op, type: "entry", id, name: title, slug, parent };
}

/** The id of a cover. Refuses `not_found` with the nearest images. */
export async function coverOf(services: CmsServices, cover: string): Promise<string> {
  return (await resolveTargets(services, [{ type: "image", ref: cover, at: "cover" }]))("image", cover);
}

/** A slug that an entry of this collection may take. Refuses `slug_taken` with the holder and three free slugs. */
export async function takeableEntrySlug(
  services: CmsServices,
  environment: Environment,
  collection: Collection,
  slug: string,
  ownId: string | null,
): Promise<string> {
  validateSlug(slug, environment);
  const rows = await rowsOf(
    services,
    `SELECT id, slug, title, status FROM entries WHERE collection_id=?1 AND deleted_at IS NULL
       AND slug>=?2 AND slug<?2||'.'`,
    collection.id,
    slug,
  );
  const holder = rows.find((row) => row.slug === slug && row.id !== ownId);
  if (holder === undefined) return slug;
  const [id, title, status] = [text(holder, "id"), text(holder, "title"), text(holder, "status")];
  const taken = new Set(rows.map((row) => text(row, "slug")));
  throw fail("slug_taken", `The slug “${slug}” belongs to the ${status} entry “${title}” (${id}).`, {
    at: "slug",
    hint: `To change that entry use entry_update with ${id}; for another one choose another slug.`,
    suggestions: freeSlugs(slug, taken).map((one) => ({ label: one, value: one })),
    details: { holder: { type: "entry", id, title, status } },
  });
}
