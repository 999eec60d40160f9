import type { PublishedDocument } from "../model/document.ts";
import { fail } from "../model/errors.ts";
import type { Schemas } from "../model/types.ts";
import {
  mergeProjections,
  NO_PROJECTION,
  projectEntry,
  projectPage,
  projectPublished,
} from "../storage/projections.ts";
import {
  entryDocument,
  entryPath,
  isDirty,
  pagePath,
  publishedPageDocument,
  workingPageDocument,
} from "./publish.ts";
import type { Change, Entry, Environment, PageAggregate, Projection } from "../model/types.ts";

/** The effect of `set_status` on one page or entry. Pure. */

/** Without a time at which it is published. */
export const UNSCHEDULED = { publishAt: null, publishVersion: null, publishFailure: null } as const;

/** `unscheduled`: no time any more; the status and what visitors see stay. */
export type Goal = "published" | "unpublished" | "archived" | "unscheduled";

/** A page or an entry as this tool sees it: what it is, what it becomes, and how each is written. */
export interface Target {
  readonly type: "page" | "entry";
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly url: string;
  readonly isPublic: boolean;
  readonly status: string;
  readonly version: number;
  /** the time at which it would be published, in ms */
  readonly publishAt: number | null;
  /** the document to check, hidden sections included */
  readonly working: PublishedDocument;
  /** null when the target is already as wanted */
  readonly next: {
    readonly status: string;
    readonly change: Change;
    readonly projection: Projection;
    /** what the public site shows from now on */
    readonly document: PublishedDocument | null;
  } | null;
}

/** A page with the status that is wanted. Refuses `protected_page` for what holds the site together. */
export function pageTarget(
  before: PageAggregate,
  to: Goal,
  environment: Environment,
  schemas: Schemas,
  at: number,
): Target {
  const { page } = before;
  const isPublic = page.status === "published";
  const base = {
    type: "page" as const,
    id: page.id,
    name: page.name,
    slug: page.slug,
    url: pagePath(page, environment),
    isPublic,
    status: page.status,
    version: page.version,
    publishAt: page.publishAt,
    working: workingPageDocument(before),
  };
  if (to === "unscheduled") return unscheduled(base, { type: "page", before: page, after: page }, at);
  if (to !== "published") {
    if (page.kind === "layout" || page.id === environment.homePageId) {
      throw fail("protected_page", `“${page.name}” holds the site together and stays public.`, {
        at: "targets",
        hint: "Set another home first.",
      });
    }
    if (!isPublic && page.publishAt === null) return { ...base, next: null };
  } else if (isPublic && !isDirty(page)) return { ...base, next: null };
  const version = page.version + 1;
  const now = { ...page, ...UNSCHEDULED, version, updatedAt: at };
  const after =
    to === "published"
      ? { ...now, status: "published" as const, publishedVersion: version, publishedAt: at }
      : { ...now, status: isPublic ? ("unpublished" as const) : page.status, publishedVersion: null };
  const document = to === "published" ? publishedPageDocument(before) : null;
  const { templates, collections } = schemas;
  // The status is in the search documents of the page and of all of its sections; it changes only with the status.
  const only = page.status === after.status ? new Set<string>() : undefined;
  const projection = mergeProjections(
    projectPage({ page: after, sections: before.sections }, templates, environment.defaultLocale, only),
    projectPublished({ type: "page", id: page.id }, document, templates, collections),
  );
  return {
    ...base,
    next: { status: after.status, change: { type: "page", before: page, after }, projection, document },
  };
}

/** An entry with the status that is wanted; `unpublished` makes it a draft again. */
export function entryTarget(
  entry: Entry,
  to: Goal,
  environment: Environment,
  schemas: Schemas,
  at: number,
): Target {
  const { templates, collections } = schemas;
  const collection = collections.get(entry.collectionId);
  if (collection === undefined) throw new Error(`entry ${entry.id} has no collection`);
  const isPublic = entry.status === "published";
  const base = {
    type: "entry" as const,
    id: entry.id,
    name: entry.title,
    slug: entry.slug,
    url: entryPath(entry, collection.slug, environment),
    isPublic,
    status: entry.status,
    version: entry.version,
    publishAt: entry.publishAt,
    working: entryDocument(entry, environment.defaultLocale),
  };
  if (to === "unscheduled") return unscheduled(base, { type: "entry", before: entry, after: entry }, at);
  const status = to === "unpublished" ? "draft" : to;
  const isSo =
    entry.status === status && (status === "published" ? !isDirty(entry) : entry.publishAt === null);
  if (isSo) return { ...base, next: null };
  const version = entry.version + 1;
  const now = { ...entry, ...UNSCHEDULED, version, status, updatedAt: at } as const;
  // The date of an entry is that of its first publication; an edit published later does not move it up the list.
  const after: Entry =
    status === "published"
      ? { ...now, publishedVersion: version, publishedAt: entry.publishedAt ?? at }
      : { ...now, publishedVersion: null };
  const document = status === "published" ? entryDocument(after, environment.defaultLocale) : null;
  const projection = mergeProjections(
    projectEntry(after, collection, environment.defaultLocale),
    projectPublished({ type: "entry", id: entry.id }, document, templates, collections),
  );
  return { ...base, next: { status, change: { type: "entry", before: entry, after }, projection, document } };
}

/** The target without its time, and otherwise as it is. `own`: its row on both sides. */
function unscheduled(
  base: Omit<Target, "next">,
  own: Extract<Change, { type: "page" | "entry" }>,
  at: number,
): Target {
  if (base.publishAt === null) return { ...base, next: null };
  const edit = { ...UNSCHEDULED, version: base.version + 1, updatedAt: at };
  const change: Change =
    own.type === "page"
      ? { type: "page", before: own.before, after: { ...own.after, ...edit } }
      : { type: "entry", before: own.before, after: { ...own.after, ...edit } };
  return { ...base, next: { status: base.status, change, projection: NO_PROJECTION, document: null } };
}

/** The target until its scheduled time: the approved draft, and the time. Nothing of it is public yet. */
export function scheduled(target: Target, publishAt: number, at: number): Target {
  const change = target.next?.change;
  if (target.next === null || (change?.type !== "page" && change?.type !== "entry") || change.before === null)
    return target;
  const { publishAt: standing, publishVersion, version: now } = change.before;
  // The same draft at the same time: that was decided.
  if (standing === publishAt && publishVersion === now) return { ...target, next: null };
  const version = target.version + 1;
  const edit = { publishAt, publishVersion: version, publishFailure: null, version, updatedAt: at };
  const own: Change =
    change.type === "page"
      ? { type: "page", before: change.before, after: { ...change.before, ...edit } }
      : { type: "entry", before: change.before, after: { ...change.before, ...edit } };
  return {
    ...target,
    next: { ...target.next, status: target.status, change: own, projection: NO_PROJECTION },
  };
}
