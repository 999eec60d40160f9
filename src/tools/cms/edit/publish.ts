import type { ByLocale, Content, EntryDocument, PageDocument } from "../model/document.ts";
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
  const own: Content = { ...entry.content[defaultLocale], title: entry.title };
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

/** Whether the working copy differs from what is public (cms 2.2.11). */
export function isDirty(one: {
  readonly version: number;
  readonly publishedVersion: number | null;
}): boolean {
  return one.publishedVersion === null || one.version > one.publishedVersion;
}

/** The path of a page on the public site, in the default locale. The home page is `/site/`. */
export function pagePath(page: Pick<Page, "id" | "slug">, environment: Environment): string {
  return page.id === environment.homePageId ? "/site/" : `/site/${page.slug}`;
}

export function entryPath(entry: Pick<Entry, "slug">, collectionSlug: string): string {
  return `/site/${collectionSlug}/${entry.slug}`;
}
