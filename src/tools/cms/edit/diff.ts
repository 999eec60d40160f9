import { canonicalJson, type Json } from "../../../core/log/json.ts";
import type { ByLocale, Content, PublishedDocument, SectionDocument } from "../model/document.ts";

const VALUE_CHARS_MAX = 80;

/** How a section of a document is called in a line. */
export type SectionLabel = (section: SectionDocument) => string;

/** What changes for visitors, a line each such as `Hero “Welcome” title (en): “Hello” → “Welcome”`, between two documents of one thing; `null` before is a first publication, which has no lines. */
export function diffDocuments(
  before: PublishedDocument | null,
  after: PublishedDocument,
  label: SectionLabel,
): string[] {
  if (before === null || before.type !== after.type) return [];
  if (before.type === "entry" || after.type === "entry") {
    const [old, now] = [flat(before), flat(after)];
    const content =
      before.type === "entry" && after.type === "entry"
        ? contentDifferences(before.content, after.content, "")
        : [];
    return [...valueDifferences(old, now, ""), ...content];
  }
  const known = new Map(before.sections.map((one) => [one.id, one]));
  const now = new Set(after.sections.map((one) => one.id));
  const sections = after.sections.flatMap((one): string[] => {
    const old = known.get(one.id);
    if (old === undefined) return [`${label(one)} is added`];
    const own = valueDifferences({ variant: old.variant }, { variant: one.variant }, `${label(one)} `);
    return [...own, ...contentDifferences(old.content, one.content, `${label(one)} `)];
  });
  const removed = before.sections.filter((one) => !now.has(one.id)).map((one) => `${label(one)} is removed`);
  const order = (ids: readonly string[]) => ids.filter((id) => known.has(id) && now.has(id)).join();
  const moved = order(before.sections.map((one) => one.id)) !== order(after.sections.map((one) => one.id));
  return [
    ...valueDifferences(flat(before), flat(after), ""),
    ...contentDifferences(before.meta, after.meta, "meta "),
    ...sections,
    ...removed,
    ...(moved ? ["the order of the sections changes"] : []),
  ];
}

function flat(document: PublishedDocument): Content {
  const { slug, indexing } = document;
  if (document.type === "page") return { name: document.name, slug, indexing };
  return { slug, indexing, category: document.category, author: document.author, cover: document.cover };
}

function contentDifferences(before: ByLocale<Content>, after: ByLocale<Content>, prefix: string): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((locale) =>
    valueDifferences(before[locale] ?? {}, after[locale] ?? {}, prefix, ` (${locale})`),
  );
}

function valueDifferences(before: Content, after: Content, prefix: string, suffix = ""): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((key) => canonicalJson(before[key]) !== canonicalJson(after[key]))
    .map((key) => `${prefix}${key}${suffix}: ${shown(before[key])} → ${shown(after[key])}`);
}

function shown(value: Json | undefined): string {
  if (value === undefined || value === null || value === "") return "nothing";
  const text = typeof value === "string" ? `“${value}”` : JSON.stringify(value);
  return text.length > VALUE_CHARS_MAX ? `${text.slice(0, VALUE_CHARS_MAX - 1)}…` : text;
}
