import { canonicalJson, type Json, ownValue } from "../../../cairn/core/log/json.ts";
import type {
  ByLocale,
  Content,
  EntryDocument,
  PageDocument,
  PublishedDocument,
  SectionDocument,
} from "../model/document.ts";
import { siteRoot } from "../model/environment.ts";
import type { Entry, Environment, Page, PageAggregate } from "../model/types.ts";

/** The working copy of a page as a document, hidden sections included: what a preview renders. */
export function workingPageDocument({ page, sections }: PageAggregate): PageDocument {
  return {
    v: 1,
    type: "page",
    kind: page.kind,
    id: page.id,
    slug: page.slug,
    name: page.name,
    indexing: page.indexing,
    meta: page.meta,
    sections: sections.map(({ id, template, variant, hidden, content }) => ({
      id,
      template,
      variant,
      hidden,
      content,
    })),
  };
}

/** The document that the public site renders: the working copy without hidden sections. */
export function publishedPageDocument(aggregate: PageAggregate): PageDocument {
  const document = workingPageDocument(aggregate);
  return { ...document, sections: document.sections.filter((one) => !one.hidden) };
}

/** An entry as a document; `publishedAt` is the time of its first publication, in ms. */
export function entryDocument(entry: Entry, defaultLocale: string): EntryDocument {
  const own: Content = { ...ownValue(entry.content, defaultLocale), title: entry.title };
  const content: ByLocale<Content> = { ...entry.content, [defaultLocale]: own };
  return {
    v: 1,
    type: "entry",
    id: entry.id,
    collection: entry.collectionId,
    slug: entry.slug,
    category: entry.category,
    author: entry.author,
    cover: entry.cover,
    indexing: entry.indexing,
    publishedAt: entry.publishedAt,
    content,
  };
}

/** True if the working copy differs from the public version. */
export function isDirty(one: {
  readonly version: number;
  readonly publishedVersion: number | null;
}): boolean {
  return one.publishedVersion === null || one.version > one.publishedVersion;
}

/** The path of a page on its site, in the default locale. The home page is at the root. */
export function pagePath(page: Pick<Page, "id" | "slug">, environment: Environment): string {
  const root = siteRoot(environment.id);
  return page.id === environment.homePageId ? root : root + page.slug;
}

export function entryPath(
  entry: Pick<Entry, "slug">,
  collectionSlug: string,
  environment: Pick<Environment, "id">,
): string {
  return `${siteRoot(environment.id)}${collectionSlug}/${entry.slug}`;
}

/** How a section of a document is called in a line. */
type SectionLabel = (section: SectionDocument) => string;

/**
 * Visible differences between two documents of one thing, one line each, such as `Hero “Welcome” title (en): “Hello”
 * → “Welcome”`. A null `before` is a first publication, which has no lines.
 */
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
    valueDifferences(ownValue(before, locale) ?? {}, ownValue(after, locale) ?? {}, prefix, ` (${locale})`),
  );
}

function valueDifferences(before: Content, after: Content, prefix: string, suffix = ""): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((key) => canonicalJson(ownValue(before, key)) !== canonicalJson(ownValue(after, key)))
    .map(
      (key) => `${prefix}${key}${suffix}: ${shown(ownValue(before, key))} → ${shown(ownValue(after, key))}`,
    );
}

function shown(value: Json | undefined): string {
  if (value === undefined || value === null || value === "") return "nothing";
  return typeof value === "string" ? `“${value}”` : JSON.stringify(value);
}
