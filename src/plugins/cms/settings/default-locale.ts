import { canonicalJson, type Json, ownValue } from "../../../cairn/core/log/json.ts";
import { isEmpty } from "../model/values.ts";
import { counted } from "../edit/plan.ts";
import { isDirty } from "../edit/publish.ts";
import { META_FIELDS } from "../model/validate.ts";
import type { ByLocale, Content, Field, PublishedDocument } from "../model/document.ts";
import { fail } from "../model/errors.ts";
import type {
  Change,
  CmsServices,
  Entry,
  Image,
  Projection,
  Section,
  StoredNavItem,
} from "../model/types.ts";
import { loadMetadata, projectImage } from "../storage/images.ts";
import { loadEntries, loadNav, loadPages, loadPublished } from "../storage/load.ts";
import { mergeProjections, projectEntry, projectPage, projectPublished } from "../storage/projections.ts";
import { rowsOf } from "../storage/rows.ts";
import { text } from "../model/columns.ts";
import type { Site } from "../storage/structure.ts";

/**
 * Switches the default language. Texts outside the texts by language (titles of entries, labels of the navigation,
 * descriptions of images) change places; pictures, links and numbers that only the old one has are copied, in drafts
 * and in public. Texts are not: if a required one is missing, the language cannot be the default one.
 */

export interface Switched {
  readonly changes: readonly Change[];
  readonly projection: Projection;
  readonly lines: readonly string[];
}

interface Codes {
  readonly old: string;
  readonly next: string;
}

const isText = ({ type }: Field): boolean => type === "text" || type === "markdown" || type === "list";

/** The texts by language with everything that is no text and only the old language has. */
function carried(
  fields: readonly Field[],
  content: ByLocale<Content>,
  { old, next }: Codes,
): ByLocale<Content> {
  const [from = {}, to = {}]: (Content | undefined)[] = [ownValue(content, old), ownValue(content, next)];
  const more = fields.flatMap((field): [string, Json][] => {
    const value = from[field.key];
    return isText(field) || value === undefined || to[field.key] !== undefined ? [] : [[field.key, value]];
  });
  return more.length === 0 ? content : { ...content, [next]: { ...to, ...Object.fromEntries(more) } };
}

/** Fields that are required and empty in the new language, and the number of missing translations besides. */
class Gaps {
  readonly required = new Set<string>();
  readonly optional = new Set<string>();

  look(place: string, fields: readonly Field[], content: ByLocale<Content>, { old, next }: Codes): void {
    for (const field of fields) {
      if (!isEmpty(ownValue(ownValue(content, next), field.key))) continue;
      if (field.required === true) this.required.add(`${place}: ${field.label}`);
      else if (isText(field) && !isEmpty(ownValue(ownValue(content, old), field.key)))
        this.optional.add(`${place}: ${field.label}`);
    }
  }
}

const TITLE: Field = { key: "title", label: "Title", type: "text", required: true };
const NAMED_MAX = 10;

/** `site` is the one that follows. Refuses `required_field`, naming what is missing. */
export async function switchDefault(
  services: CmsServices,
  codes: Codes,
  site: Site,
  at: number,
): Promise<Switched> {
  const { templates, collections } = site.schemas;
  const { old, next } = codes;
  const ids = async (table: "pages" | "entries" | "images") =>
    (
      await rowsOf(services, `SELECT id FROM ${table} WHERE env_id=?1 AND deleted_at IS NULL`, services.env)
    ).map((row) => text(row, "id"));
  const [pageIds, entryIds, imageIds] = await Promise.all([ids("pages"), ids("entries"), ids("images")]);
  const [pages, entries, images, nav, published] = await Promise.all([
    loadPages(services, pageIds),
    loadEntries(services, entryIds),
    loadMetadata(services, imageIds),
    loadNav(services),
    loadPublished(services, [...pageIds, ...entryIds]),
  ]);
  const gaps = new Gaps();
  const changes: Change[] = [];
  const projections: Projection[] = [];
  const sectionFields = (template: string) => templates.get(template)?.fields ?? [];
  const entryFields = (collection: string) => [TITLE, ...(collections.get(collection)?.fields ?? [])];

  for (const before of pages) {
    const sections = before.sections.map((one): Section => ({
      ...one,
      content: carried(sectionFields(one.template), one.content, codes),
    }));
    for (const one of sections)
      if (!one.hidden)
        gaps.look(
          `${before.page.name}, ${templates.get(one.template)?.name ?? one.template}`,
          ...([sectionFields(one.template), one.content, codes] as const),
        );
    const meta = carried(META_FIELDS, before.page.meta, codes);
    const moved = sections.filter((one, i) => one.content !== before.sections[i]?.content);
    if (moved.length === 0 && meta === before.page.meta) continue;
    const page = { ...bumped(before.page, at), meta };
    const after = sections.map((one) =>
      moved.includes(one) ? { ...one, version: one.version + 1, updatedAt: at } : one,
    );
    changes.push({ type: "page", before: before.page, after: page });
    for (const [i, one] of after.entries())
      if (one.version !== before.sections[i]?.version)
        changes.push({ type: "section", before: before.sections[i] ?? null, after: one });
    projections.push(projectPage({ page, sections: after }, templates, next));
  }
  for (const before of entries) {
    const moved = movedEntry(before, entryFields(before.collectionId), codes);
    gaps.look(before.title, entryFields(before.collectionId), titled(moved, next), codes);
    const collection = collections.get(before.collectionId);
    if (canonicalJson({ ...moved }) === canonicalJson({ ...before })) continue;
    const after = { ...bumped(before, at), title: moved.title, content: moved.content };
    changes.push({ type: "entry", before, after });
    if (collection !== undefined) projections.push(projectEntry(after, collection, next));
  }
  for (const before of published.values()) {
    const document = carriedDocument(before.document, sectionFields, entryFields, codes);
    if (document.type === "entry") {
      const title = ownValue(document.content, old)?.["title"];
      gaps.look(
        typeof title === "string" ? title : document.slug,
        entryFields(document.collection),
        document.content,
        codes,
      );
    } else
      for (const one of document.sections)
        gaps.look(
          `${document.name}, ${templates.get(one.template)?.name ?? one.template}`,
          ...([sectionFields(one.template), one.content, codes] as const),
        );
    if (canonicalJson(document) === canonicalJson(before.document)) continue;
    changes.push({ type: "published", before, after: { ...before, document } });
    projections.push(
      projectPublished({ type: document.type, id: document.id }, document, templates, collections),
    );
  }
  for (const before of nav) {
    const after = movedLabel(before, codes);
    if (after === null) {
      if (before.visible) gaps.required.add(`Navigation: ${before.label}`);
    } else
      changes.push({
        type: "nav_item",
        before,
        after: { ...after, version: before.version + 1, updatedAt: at },
      });
  }
  let undescribed = 0;
  for (const { image: before, metadata } of images) {
    const moved = movedImage(before, codes);
    if (moved === null) undescribed += 1;
    else {
      const after = { ...moved, version: before.version + 1, updatedAt: at };
      changes.push({ type: "image", before, after });
      projections.push(projectImage(after, metadata, next));
    }
  }
  refuseGaps(gaps, site, next);
  return {
    changes,
    projection: mergeProjections(...projections),
    lines: [
      ...(gaps.optional.size === 0
        ? []
        : [
            `${counted(gaps.optional.size, "text")} that only ${old} has ${gaps.optional.size === 1 ? "is" : "are"} then shown at its own URLs only`,
          ]),
      ...(undescribed === 0
        ? []
        : [
            `${counted(undescribed, "image")} without a description in ${next} ${undescribed === 1 ? "keeps" : "keep"} the one that is there`,
          ]),
    ],
  };
}

/** A clean page stays clean: its document is unchanged. */
function bumped<T extends { readonly version: number; readonly publishedVersion: number | null }>(
  one: T,
  at: number,
): T {
  const version = one.version + 1;
  return { ...one, version, publishedVersion: isDirty(one) ? one.publishedVersion : version, updatedAt: at };
}

function refuseGaps({ required }: Gaps, site: Site, next: string): void {
  if (required.size === 0) return;
  const all = [...required].toSorted();
  const shown = all.slice(0, NAMED_MAX).join("; ");
  const rest = all.length - NAMED_MAX;
  const name = site.environment.locales.find((one) => one.code === next)?.name ?? next;
  throw fail(
    "required_field",
    `${name} (${next}) cannot be the default language yet: ${all.length === 1 ? "1 required text is" : `${all.length} required texts are`} missing: ${shown}${rest > 0 ? `; and ${rest} more` : ""}.`,
    {
      at: "locales.setDefault",
      hint: `Write them with locale “${next}” and publish them; site_check says how much is translated.`,
      details: { missing: all },
    },
  );
}

const without = (content: Content, key: string): Content =>
  Object.fromEntries(Object.entries(content).filter(([one]) => one !== key));

/** The title in the new language becomes the title, the old one moves to the texts of its language. */
function movedEntry(entry: Entry, fields: readonly Field[], codes: Codes): Entry {
  const { old, next } = codes;
  const content = carried(fields.slice(1), entry.content, codes);
  const title = ownValue(content, next)?.["title"];
  if (typeof title !== "string" || title === "") return { ...entry, content };
  return {
    ...entry,
    title,
    content: {
      ...content,
      [old]: { ...ownValue(content, old), title: entry.title },
      [next]: without(ownValue(content, next) ?? {}, "title"),
    },
  };
}

/** The texts of a draft with its title among those of its language; no separate title if it stayed. */
function titled({ title, content }: Entry, next: string): ByLocale<Content> {
  const isMoved = Object.entries(content).some(([code, own]) => code !== next && own["title"] !== undefined);
  return isMoved ? { ...content, [next]: { ...ownValue(content, next), title } } : content;
}

function carriedDocument(
  document: PublishedDocument,
  sectionFields: (template: string) => readonly Field[],
  entryFields: (collection: string) => readonly Field[],
  codes: Codes,
): PublishedDocument {
  if (document.type === "entry")
    return {
      ...document,
      content: carried(entryFields(document.collection).slice(1), document.content, codes),
    };
  return {
    ...document,
    meta: carried(META_FIELDS, document.meta, codes),
    sections: document.sections.map((one) => ({
      ...one,
      content: carried(sectionFields(one.template), one.content, codes),
    })),
  };
}

/** Null where the item has no label in the new language. */
function movedLabel(item: StoredNavItem, { old, next }: Codes): StoredNavItem | null {
  const label = ownValue(item.labels, next)?.["label"];
  if (typeof label !== "string" || label === "") return null;
  const { [next]: _, ...others } = item.labels;
  return { ...item, label, labels: { ...others, [old]: { label: item.label } } };
}

/** Null where nothing describes the image in the new language. */
function movedImage(image: Image, { old, next }: Codes): Image | null {
  const { [next]: own, ...others } = image.texts;
  const { alt, caption } = own ?? {};
  if (typeof alt !== "string" || alt === "") return null;
  return {
    ...image,
    alt,
    altSource: "human",
    caption: typeof caption === "string" ? caption : "",
    texts: {
      ...others,
      [old]: { alt: image.alt, ...(image.caption === "" ? {} : { caption: image.caption }) },
    },
  };
}
