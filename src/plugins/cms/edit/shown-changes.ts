import type { Batch, Outlook, ShownChange } from "../../../cairn/core/log/approval.ts";
import { canonicalJson, isObject, type Json, ownValue } from "../../../cairn/core/log/json.ts";
import type { ByLocale, Content, PublishedDocument, SectionDocument } from "../model/document.ts";
import { CHANGE_CHARS_MAX, CHANGES_SHOWN_MAX } from "../model/limits.ts";
import type { Change, Collection, Entry, Image, Locale } from "../model/types.ts";
import type { NavTarget, Page, Section, StoredNavItem } from "../model/types.ts";
import { describeField } from "../model/validate.ts";

/** A planned write as a person reads it: each row that changes, field by field, before and after. Pure. */

/** The display name of an ID; the ID itself if no name is known. */
export type NameOf = (id: string) => string;

type Values = { readonly [field: string]: Json | undefined };

/** Every change, each listed once: a person approves what they see, so none is left out. */
export function shownChanges(
  changes: readonly Change[],
  more: readonly ShownChange[],
  nameOf: NameOf,
): ShownChange[] {
  // A deletion or a publication is listed once, not by its status as well.
  const deleted = new Set(changes.flatMap((one) => (isDeleted(one) ? [one.after.id] : [])));
  const moved = new Set(
    changes.flatMap((one) =>
      one.type === "published" && (one.before === null || one.after === null)
        ? [(one.before ?? one.after)?.ownerId ?? ""]
        : [],
    ),
  );
  const all = [
    ...changes.flatMap((one): ShownChange[] => {
      if (one.type === "published")
        return deleted.has((one.before ?? one.after)?.ownerId ?? "") ? [] : publishedChanges(one, nameOf);
      const own = rowChanges(one, nameOf);
      return moved.has(idOf(one)) ? own.filter(({ what }) => !what.endsWith(" · Status")) : own;
    }),
    ...more,
  ];
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()].map(shortened);
}

/** The changes of a batch in one list. Those beyond CHANGES_SHOWN_MAX are in the batch alone. */
export const ofBatch = ({ items }: Batch): ShownChange[] => bounded(items.flatMap((one) => one.changes));

function bounded(once: readonly ShownChange[]): ShownChange[] {
  if (once.length <= CHANGES_SHOWN_MAX) return [...once];
  const rest = once.length - CHANGES_SHOWN_MAX;
  return [
    ...once.slice(0, CHANGES_SHOWN_MAX),
    { what: `${rest} more`, before: "not listed here", after: "listed in the batch" },
  ];
}

/** The draft that a person can look at: of the first page or entry that was there before. */
export function draftOf(changes: readonly Change[]): NonNullable<Outlook["draft"]> | null {
  for (const { type, before } of changes) {
    if (before === null) continue;
    if (type === "page" || type === "entry") return { type, id: before.id };
    if (type === "section") return { type: "page", id: before.pageId };
  }
  return null;
}

/** Every id that the changes speak of. */
export function idsIn(changes: readonly Change[]): string[] {
  return [...new Set(JSON.stringify(changes).match(/\b(?:pg|sc|en|im|nv|co)_[A-Za-z0-9_]+/g) ?? [])];
}

function isDeleted(
  change: Change,
): change is Extract<Change, { type: "page" | "section" | "entry" | "nav_item" | "collection" }> {
  const { before, after } = change;
  return (
    before !== null && after !== null && "deletedAt" in after && after.deletedAt !== null && "id" in after
  );
}

const idOf = ({ after }: Change): string => (after !== null && "id" in after ? after.id : "");

function rowChanges(change: Exclude<Change, { type: "published" }>, nameOf: NameOf): ShownChange[] {
  switch (change.type) {
    case "page": {
      const { before, after } = change;
      const what = `Page “${(before ?? after).name}”`;
      return thingChanges(
        what,
        joinTexts(`/${after.slug}`, textsOf(after.meta, nameOf)),
        change,
        before && pageValues(before),
        pageValues(after),
        nameOf,
      );
    }
    case "entry": {
      const { before, after } = change;
      const what = `Entry “${(before ?? after).title}”`;
      const { category, author, cover } = after;
      return thingChanges(
        what,
        joinTexts(
          `/${after.slug}`,
          valueTexts([category, author, cover], nameOf),
          textsOf(after.content, nameOf),
        ),
        change,
        before && entryValues(before),
        entryValues(after),
        nameOf,
      );
    }
    case "section": {
      const { before, after } = change;
      const what = `${fieldLabel(after.template)} section on “${nameOf(after.pageId)}”`;
      const text = textsOf(before?.content ?? after.content, nameOf) || "no text";
      return thingChanges(what, text, change, before && sectionValues(before), sectionValues(after), nameOf);
    }
    case "image": {
      const { before, after } = change;
      const what = `Image “${(before ?? after).filename}”`;
      return thingChanges(
        what,
        joinTexts(
          after.alt === "" ? after.filename : `${after.filename}, described as “${after.alt}”`,
          valueTexts([after.caption, after.tags], nameOf),
          textsOf(after.texts, nameOf),
        ),
        change,
        before && imageValues(before),
        imageValues(after),
        nameOf,
      );
    }
    case "nav_item": {
      const { before, after } = change;
      const what = `Navigation item “${(before ?? after).label}” in the ${(before ?? after).location}`;
      const to = targetText(after.target, nameOf);
      return thingChanges(
        what,
        joinTexts(to === "nothing" ? "no link" : `to “${to}”`, textsOf(after.labels, nameOf)),
        change,
        before && navValues(before, nameOf),
        navValues(after, nameOf),
        nameOf,
      );
    }
    case "collection": {
      const { before, after } = change;
      const what = `Collection “${(before ?? after).name}”`;
      const shown = after.fields.map((one) => one.label).join(", ") || "no fields";
      return thingChanges(
        what,
        shown,
        change,
        before && collectionValues(before),
        collectionValues(after),
        nameOf,
      );
    }
    case "locale": {
      const { before, after } = change;
      const side = before ?? after;
      const what = `Language “${side?.name ?? ""}” (${side?.code ?? ""})`;
      if (before === null || after === null)
        return [{ what, before: before && localeStatus(before), after: after && localeStatus(after) }];
      return differences(what, localeValues(before), localeValues(after), nameOf);
    }
    case "setting": {
      const { before, after } = change;
      return differences(
        `Site settings, ${(after ?? before)?.key ?? ""}`,
        before?.value ?? {},
        after?.value ?? {},
        nameOf,
      );
    }
    case "redirect": {
      const { before, after } = change;
      const to = (one: typeof before) => (one === null ? null : `to “${nameOf(one.targetId)}”`);
      return [
        { what: `Redirect from ${(after ?? before)?.fromPath ?? ""}`, before: to(before), after: to(after) },
      ];
    }
  }
}

/** A thing that comes or goes in one line, else its fields. */
function thingChanges(
  what: string,
  shown: string,
  change: Change,
  before: Values | null,
  after: Values,
  nameOf: NameOf,
): ShownChange[] {
  if (before === null) return [{ what, before: null, after: shown }];
  if (isDeleted(change)) return [{ what, before: shown, after: null }];
  return differences(what, before, after, nameOf);
}

const pageValues = ({ name, slug, status, indexing, publishAt, meta }: Page): Values => ({
  name,
  slug,
  status,
  "search engines": indexing ? "may list it" : "are asked not to list it",
  "publish at": publishAt === null ? null : new Date(publishAt).toISOString(),
  ...byLocale(meta),
});

const entryValues = (entry: Entry): Values => ({
  title: entry.title,
  slug: entry.slug,
  status: entry.status,
  category: entry.category,
  author: entry.author,
  cover: entry.cover,
  "search engines": entry.indexing ? "may list it" : "are asked not to list it",
  "publish at": entry.publishAt === null ? null : new Date(entry.publishAt).toISOString(),
  ...byLocale(entry.content),
});

const sectionValues = ({ variant, hidden, sortKey, content }: Section): Values => ({
  variant,
  visible: !hidden,
  [POSITION_FIELD]: sortKey,
  ...byLocale(content),
});

const navValues = ({ label, target, visible, location, labels }: StoredNavItem, nameOf: NameOf): Values => ({
  label,
  link: targetText(target, nameOf),
  visible,
  location,
  ...byLocale(labels),
});

const collectionValues = ({ name, slug, description, sort, fields }: Collection): Values => ({
  name,
  slug,
  description,
  sort,
  fields: Object.fromEntries(fields.map((one) => [one.key, `${one.label}: ${describeField(one)}`])),
});

const localeStatus = ({ active, isDefault }: Locale): string =>
  isDefault ? "the default language" : active ? "on the site" : "not on the site";
const localeValues = (locale: Locale): Values => ({
  name: locale.name,
  "falls back to": locale.fallback,
  shown: localeStatus(locale),
});

const imageValues = ({ alt, caption, tags, attribution, texts }: Image): Values => ({
  "alternative text": alt,
  caption,
  tags,
  attribution,
  ...byLocale(texts),
});

/** the only field whose value means nothing to a person */
const POSITION_FIELD = "place";

/** Changes that visitors see: a thing that appears or disappears, or its differing parts. */
function publishedChanges(
  { before, after }: Extract<Change, { type: "published" }>,
  nameOf: NameOf,
): ShownChange[] {
  const document = (after ?? before)?.document;
  if (document === undefined) return [];
  // As its row is called in the same list: by the name that it has had.
  const named = (before ?? after)?.document ?? document;
  const name = named.type === "page" ? named.name : nameOf(document.id);
  const what = document.type === "page" ? `Page “${name}”` : `Entry “${name}”`;
  const on = `public at /${document.slug}`;
  if (before === null)
    return [{ what, before: "not public", after: on }, ...contentChanges(what, document, nameOf)];
  if (after === null) return [{ what, before: on, after: "not public" }];
  return documentChanges(what, before.document, after.document, nameOf);
}

/** Everything that visitors can read in a document that becomes public. */
function contentChanges(what: string, document: PublishedDocument, nameOf: NameOf): ShownChange[] {
  const added = (name: string, words: string): ShownChange[] =>
    words === "" ? [] : [{ what: name, before: null, after: words }];
  if (document.type === "entry") {
    const { category, author, cover } = document;
    const words = [valueTexts([category, author, cover], nameOf), textsOf(document.content, nameOf)];
    return added(`${what} · Content`, joinTexts(...words));
  }
  return [
    ...added(`${what} · Meta`, textsOf(document.meta, nameOf)),
    ...document.sections.flatMap((one) =>
      added(sectionLabel(one, document.name), textsOf(one.content, nameOf) || "no text"),
    ),
  ];
}

const sectionLabel = ({ template }: Pick<SectionDocument, "template">, page: string): string =>
  `${fieldLabel(template)} section on “${page}”`;

function documentChanges(
  what: string,
  before: PublishedDocument,
  after: PublishedDocument,
  nameOf: NameOf,
): ShownChange[] {
  if (before.type === "entry" || after.type === "entry")
    return before.type === "entry" && after.type === "entry"
      ? differences(
          what,
          { ...flat(before), ...byLocale(before.content) },
          { ...flat(after), ...byLocale(after.content) },
          nameOf,
        )
      : [];
  const known = new Map(before.sections.map((one) => [one.id, one]));
  const now = new Set(after.sections.map((one) => one.id));
  const label = (one: SectionDocument) => sectionLabel(one, after.name);
  const order = (sections: readonly SectionDocument[]) =>
    sections
      .filter(({ id }) => known.has(id) && now.has(id))
      .map((one) => fieldLabel(one.template))
      .join(", ");
  const [old, next] = [order(before.sections), order(after.sections)];
  return [
    ...differences(
      what,
      { ...flat(before), ...byLocale(before.meta) },
      { ...flat(after), ...byLocale(after.meta) },
      nameOf,
    ),
    ...after.sections.flatMap((one): ShownChange[] => {
      const was = known.get(one.id);
      if (was === undefined)
        return [{ what: label(one), before: null, after: textsOf(one.content, nameOf) || "no text" }];
      return differences(
        label(one),
        { variant: was.variant, ...byLocale(was.content) },
        { variant: one.variant, ...byLocale(one.content) },
        nameOf,
      );
    }),
    ...before.sections
      .filter(({ id }) => !now.has(id))
      .map((one) => ({ what: label(one), before: textsOf(one.content, nameOf) || "no text", after: null })),
    ...(old === next ? [] : [{ what: `${what} · Order of the sections`, before: old, after: next }]),
  ];
}

function flat(document: PublishedDocument): Values {
  const { slug, indexing } = document;
  const listed = { slug, "search engines": indexing ? "may list it" : "are asked not to list it" };
  if (document.type === "page") return { name: document.name, ...listed };
  return { ...listed, category: document.category, author: document.author, cover: document.cover };
}

/** Fields of all locales, those of another than the only one with its code. */
function byLocale(contents: ByLocale<Content>): Values {
  const locales = Object.entries(contents);
  return Object.fromEntries(
    locales.flatMap(([locale, content]) =>
      Object.entries(content).map(([key, value]) => [
        locales.length === 1 ? key : `${key} (${locale})`,
        value,
      ]),
    ),
  );
}

/** The fields that differ, down to the parts of lists. */
function differences(what: string, before: Values, after: Values, nameOf: NameOf): ShownChange[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key): ShownChange[] => {
    const [old, next] = [ownValue(before, key), ownValue(after, key)];
    if (canonicalJson(old) === canonicalJson(next)) return [];
    const field = `${what} · ${fieldLabel(key)}`;
    if (key === POSITION_FIELD) return [{ what: field, before: "where it is", after: "moved" }];
    if (isList(old) && isList(next) && [...old, ...next].some(isObject))
      return differences(field, byIndex(old), byIndex(next), nameOf);
    if (isPlainGroup(old) && isPlainGroup(next)) return differences(field, old, next, nameOf);
    return [{ what: field, before: valueText(old, nameOf), after: valueText(next, nameOf) }];
  });
}

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

const byIndex = (list: readonly Json[]): Values => Object.fromEntries(list.entries());

const isPlainGroup = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  isObject(value) && value["image"] === undefined && value["kind"] === undefined;

/** A stored value in words: an image or a link by the name of what it leads to. Null where there is nothing. */
function valueText(value: Json | undefined, nameOf: NameOf): string | null {
  if (value === undefined || value === null || value === "") return null;
  if (typeof value === "string") return nameOf(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return String(value);
  if (!isObject(value))
    return value.map((each: Json) => valueText(each, nameOf) ?? "nothing").join(", ") || null;
  const { image, alt, kind, id, url, anchor } = value;
  if (typeof image === "string")
    return `${nameOf(image)}${typeof alt === "string" && alt !== "" ? `, described as “${alt}”` : ""}`;
  if (typeof kind === "string")
    return [
      typeof id === "string" ? nameOf(id) : typeof url === "string" ? url : "",
      typeof anchor === "string" ? `#${anchor}` : "",
    ].join("");
  return Object.entries(value)
    .map(([key, each]) => `${fieldLabel(key)}: ${valueText(each, nameOf) ?? "nothing"}`)
    .join("; ");
}

function targetText(target: NavTarget, nameOf: NameOf): string {
  if (target.type === "none") return "nothing";
  return target.type === "url" ? target.url : nameOf(target.id);
}

/** Every value of a content in all its languages; empty where there is none. */
const textsOf = (contents: ByLocale<Content>, nameOf: NameOf): string =>
  joinTexts(...Object.values(contents).map((content) => valueTexts(Object.values(content), nameOf)));

const valueTexts = (values: readonly (Json | undefined)[], nameOf: NameOf): string =>
  joinTexts(...values.map((value) => valueText(value, nameOf) ?? ""));

const joinTexts = (...words: readonly string[]): string => words.filter((one) => one !== "").join(" · ");

/** `ctaLink` as `Cta link`; a place in a list counts from 1. */
function fieldLabel(key: string): string {
  if (/^\d+$/.test(key)) return `${Number(key) + 1}`;
  const words = key.replaceAll(
    /([a-z\d])([A-Z])/g,
    (_, end: string, start: string) => `${end} ${start.toLowerCase()}`,
  );
  return words.slice(0, 1).toUpperCase() + words.slice(1).replaceAll("_", " ");
}

/** The differing part of two long texts, with a little context. A mark replaces what both have in common. */
function shortened({ what, before, after }: ShownChange): ShownChange {
  if (before === null || after === null) return { what, before, after };
  const shortest = Math.min(before.length, after.length);
  if (Math.max(before.length, after.length) <= CHANGE_CHARS_MAX) return { what, before, after };
  let start = 0;
  while (start < shortest && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const [from, left] = [Math.max(0, start - CONTEXT_CHARS), Math.max(0, end - CONTEXT_CHARS)];
  const part = (text: string): string =>
    `${from > 0 ? "… " : ""}${text.slice(from, text.length - left)}${left > 0 ? " …" : ""}`;
  return { what, before: part(before), after: part(after) };
}

const CONTEXT_CHARS = 120;
