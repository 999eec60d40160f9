import { canonicalJson, ownValue } from "../../../cairn/core/log/json.ts";
import { entryDocument, publishedPageDocument } from "../edit/publish.ts";
import type { PublishedDocument } from "../model/document.ts";
import { keyBetween } from "../model/order.ts";
import type {
  Change,
  CmsServices,
  Entry,
  Environment,
  Image,
  Page,
  PageAggregate,
  Projection,
  Section,
  StoredNavItem,
} from "../model/types.ts";
import { loadMetadata, projectImage, type KnownImage } from "../storage/images.ts";
import { loadNav } from "../storage/load.ts";
import { projectStructure, siteAfter, type Site } from "../storage/structure.ts";
import {
  mergeProjections,
  projectEntry,
  projectNav,
  projectPage,
  projectPageGone,
  projectPublished,
  projectSetting,
} from "../storage/projections.ts";
import { rowsOf } from "../storage/rows.ts";
import { hasSameFields, type Side } from "./merge.ts";
import { changeOf, keyOf, loadNow, loadStanding, type Thing } from "./rows.ts";

/**
 * Turns target states of rows into a write: versions increase, pages follow their sections, keys in use are moved
 * aside, and a page that equals its published version counts as clean.
 */

/** The current state of a thing, and its target state. */
export interface Wanted extends Thing {
  readonly now: Side;
  readonly then: Side;
}

export interface RestorePlan {
  readonly changes: readonly Change[];
  readonly projection: Projection;
  /** the public site changes at once */
  readonly isPublic: boolean;
  /** pages with the sections that they have afterwards, deleted ones too */
  readonly pages: readonly PageAggregate[];
}

type Of<Type extends Change["type"]> = Extract<Change, { type: Type }>;

const of = <Type extends Change["type"]>(changes: readonly Change[], type: Type): Of<Type>[] =>
  changes.filter((one): one is Of<Type> => one.type === type);

export async function planRestore(
  services: CmsServices,
  targets: readonly Wanted[],
  before: Site,
  at: number,
): Promise<RestorePlan> {
  const different = targets.filter(
    ({ now, then }) => !hasSameFields(now, then) || publicationOf(now) !== publicationOf(then),
  );
  const roots = rootsOf(different.map((one) => changeOf(one.type, one.now, one.then)));
  const pageIds = roots.flatMap((one) => (one.type === "page" ? [one.id] : []));
  const [standing, now, nav] = await Promise.all([
    loadStanding(services, pageIds),
    loadNow(
      services,
      roots.flatMap(({ type, id }): Thing[] => [
        { type, id },
        { type: "published", id },
      ]),
    ),
    different.some((one) => one.type === "nav_item") ? loadNav(services) : [],
  ]);
  const known = new Set(different.map(keyOf));
  const followers = roots.flatMap((root): Wanted[] => {
    const side = now.get(keyOf(root)) ?? null;
    return known.has(keyOf(root)) || side === null ? [] : [{ ...root, now: side, then: side }];
  });
  const all = [...different, ...followers].map((one) => changeOf(one.type, one.now, numbered(one, at)));
  // Deletions come first, to free the keys that new rows use.
  let changes = all.toSorted((one, other) => Number(isGone(other)) - Number(isGone(one)));
  changes = placed(changes, standing, nav).map(unnamed);
  const site = siteAfter(before, changes);
  const pages = of(changes, "page").map(({ after }): PageAggregate => ({
    page: after,
    sections: sectionsAfter(after, standing, of(changes, "section")),
  }));
  const documents = new Map<string, PublishedDocument | null>(
    [...now].flatMap(([key, side]) => {
      const document = key.startsWith("published:") ? changeOf("published", side, null) : null;
      return document?.type === "published" && document.before !== null
        ? [[document.before.ownerId, document.before.document]]
        : [];
    }),
  );
  for (const { before, after } of of(changes, "published"))
    documents.set((after ?? before)?.ownerId ?? "", after?.document ?? null);
  changes = changes.map((one) => withPublication(one, pages, documents, site.environment.defaultLocale));
  const aggregates = pages.map(({ page, sections }) => ({
    page: of(changes, "page").find((one) => one.after.id === page.id)?.after ?? page,
    sections,
  }));
  const changedImages = of(changes, "image").map((one) => one.after.id);
  const [images, structure, isPublic] = await Promise.all([
    changedImages.length === 0 ? [] : loadMetadata(services, changedImages),
    projectStructure(services, changes, site),
    showsAtOnce(services, changes, site),
  ]);
  return {
    changes,
    projection: mergeProjections(
      projectionOf(changes, aggregates, site),
      structure,
      ...projectImages(changes, images, site.environment),
    ),
    isPublic,
    pages: aggregates,
  };
}

/** A collection that is gone leaves its slug to others. */
const unnamed = (change: Change): Change =>
  change.type === "collection" && change.after.deletedAt !== null
    ? { ...change, after: { ...change.after, slug: `~${change.after.id}` } }
    : change;

/** When it was published, and whether there was something to publish: no fields, but seen by people. */
function publicationOf(side: Side): string {
  const { publishedAt = null, publishedVersion = null, version = null } = side ?? {};
  return JSON.stringify([publishedAt, publishedVersion === version]);
}

const isGone = ({ after }: Change): boolean =>
  after === null || ("deletedAt" in after && after.deletedAt !== null);

function thingKey(change: Change): string {
  const side = change.after ?? change.before;
  if (side === null) return "";
  return "ownerId" in side ? `published:${side.ownerId}` : "id" in side ? `${change.type}:${side.id}` : "";
}

/** The pages and entries whose version covers these changes. */
function rootsOf(changes: readonly Change[]): { readonly type: "page" | "entry"; readonly id: string }[] {
  const roots = changes.flatMap((one): { type: "page" | "entry"; id: string }[] => {
    if (one.type === "page" || one.type === "entry") return [{ type: one.type, id: one.after.id }];
    if (one.type === "section")
      return [one.before, one.after].flatMap((side) =>
        side === null ? [] : [{ type: "page", id: side.pageId }],
      );
    const side = one.type === "published" ? (one.after ?? one.before) : null;
    return side === null ? [] : [{ type: side.ownerType, id: side.ownerId }];
  });
  return [...new Map(roots.map((one) => [keyOf(one), one])).values()];
}

/** Versions continue from the current one, or from that of a deleted row; a published document keeps its own. */
function numbered({ type, now, then }: Wanted, at: number): Side {
  if (then === null || type === "published" || typeof then["version"] !== "number") return then;
  const last = typeof now?.["version"] === "number" ? now["version"] : then["version"];
  return { ...then, version: last + 1, updatedAt: at };
}

const byKey = (a: { readonly sortKey: string }, b: { readonly sortKey: string }): number =>
  a.sortKey < b.sortKey ? -1 : a.sortKey > b.sortKey ? 1 : 0;

function sectionsAfter(
  page: Page,
  standing: readonly Section[],
  changes: readonly Of<"section">[],
): Section[] {
  const changed = new Set(changes.map((one) => one.after.id));
  const all = [...standing.filter((one) => !changed.has(one.id)), ...changes.map((one) => one.after)];
  return all.filter((one) => one.pageId === page.id && one.deletedAt === null).toSorted(byKey);
}

/** A key that another row holds, now or afterwards, becomes the one right behind it: keys are unique at every moment. */
function placed(
  changes: readonly Change[],
  sections: readonly Section[],
  nav: readonly StoredNavItem[],
): Change[] {
  const taken = new Map<string, string>();
  const hold = (scope: string, key: string, id: string): void => void taken.set(`${scope} ${key}`, id);
  const sectionScope = (one: Section): string => `page ${one.pageId}`;
  const navScope = (one: StoredNavItem): string => `nav ${one.location} ${one.parentId ?? ""}`;
  const gone = new Set(changes.filter(isGone).map(thingKey));
  for (const one of sections)
    if (!gone.has(`section:${one.id}`)) hold(sectionScope(one), one.sortKey, one.id);
  for (const one of nav) if (!gone.has(`nav_item:${one.id}`)) hold(navScope(one), one.sortKey, one.id);
  const keyFor = (scope: string, key: string, id: string): string => {
    const holder = taken.get(`${scope} ${key}`);
    if (holder === undefined || holder === id) return key;
    const above = [...taken.keys()]
      .filter((one) => one.startsWith(`${scope} `))
      .map((one) => one.slice(scope.length + 1))
      .filter((one) => one > key)
      .toSorted((a, b) => (a < b ? -1 : 1));
    return keyBetween(key, above[0] ?? null);
  };
  return changes.map((change): Change => {
    if (isGone(change)) return change;
    if (change.type === "section") {
      const scope = sectionScope(change.after);
      const sortKey = keyFor(scope, change.after.sortKey, change.after.id);
      hold(scope, sortKey, change.after.id);
      return { ...change, after: { ...change.after, sortKey } };
    }
    if (change.type === "nav_item") {
      const scope = navScope(change.after);
      const sortKey = keyFor(scope, change.after.sortKey, change.after.id);
      hold(scope, sortKey, change.after.id);
      return { ...change, after: { ...change.after, sortKey } };
    }
    return change;
  });
}

/** A published page or entry whose draft equals it has nothing to publish; any other has. */
function withPublication(
  change: Change,
  pages: readonly PageAggregate[],
  documents: ReadonlyMap<string, PublishedDocument | null>,
  defaultLocale: string,
): Change {
  const numberOf = (after: Page | Entry, draft: PublishedDocument): number | null => {
    if (after.status !== "published") return null;
    const isClean = canonicalJson(draft) === canonicalJson(documents.get(after.id) ?? null);
    return isClean ? after.version : Math.min(after.publishedVersion ?? after.version, after.version - 1);
  };
  if (change.type === "page") {
    const aggregate = pages.find((one) => one.page.id === change.after.id);
    if (aggregate === undefined) return change;
    const publishedVersion = numberOf(change.after, publishedPageDocument(aggregate));
    return { ...change, after: { ...change.after, publishedVersion } };
  }
  if (change.type !== "entry") return change;
  const publishedVersion = numberOf(change.after, entryDocument(change.after, defaultLocale));
  return { ...change, after: { ...change.after, publishedVersion } };
}

function projectionOf(
  changes: readonly Change[],
  pages: readonly PageAggregate[],
  { environment, schemas }: Site,
): Projection {
  const { templates, collections } = schemas;
  const moved = of(changes, "section").map((one) => one.after.id);
  return mergeProjections(
    ...pages.map((one) =>
      one.page.deletedAt === null
        ? projectPage(
            one,
            templates,
            environment.defaultLocale,
            new Set([...one.sections.map(({ id }) => id), ...moved]),
          )
        : projectPageGone({
            page: one.page,
            sections: [...one.sections, ...of(changes, "section").map(({ after }) => after)],
          }),
    ),
    ...of(changes, "entry").flatMap(({ after }) => {
      const collection = collections.get(after.collectionId);
      return collection === undefined ? [] : [projectEntry(after, collection, environment.defaultLocale)];
    }),
    ...of(changes, "published").flatMap(({ before, after }) => {
      const side = after ?? before;
      return side === null
        ? []
        : [
            projectPublished(
              { type: side.ownerType, id: side.ownerId },
              after?.document ?? null,
              templates,
              collections,
            ),
          ];
    }),
    projectNav(of(changes, "nav_item").map((one) => one.after)),
    ...of(changes, "setting").flatMap(({ before, after }) => {
      const side = after ?? before;
      return side === null ? [] : [projectSetting(after ?? { ...side, value: {} }, environment.id)];
    }),
  );
}

const projectImages = (
  changes: readonly Change[],
  images: readonly KnownImage[],
  { defaultLocale }: Environment,
): Projection[] =>
  of(changes, "image").map(({ after }) =>
    projectImage(
      after,
      images.find((one) => one.image.id === after.id)?.metadata ?? { description: "", tags: [] },
      defaultLocale,
    ),
  );

/** True if visitors see a difference: a navigation item shows only if its target does. */
async function showsAtOnce(
  services: CmsServices,
  changes: readonly Change[],
  { environment }: Site,
): Promise<boolean> {
  const atOnce = ["published", "redirect", "setting", "collection"];
  if (changes.some((one) => atOnce.includes(one.type))) return true;
  const locales = of(changes, "locale").flatMap(({ before, after }) => [before, after]);
  if (locales.some((one) => one?.active === true)) return true;
  if (await showsImageChanges(services, of(changes, "image"), environment)) return true;
  const sides = of(changes, "nav_item").flatMap(({ before, after }) => [before, after]);
  const shown = sides.filter((one) => one !== null && one.deletedAt === null && one.visible);
  const targets = shown.map((one) => one?.target);
  if (targets.some((one) => one?.type !== "page" && one?.type !== "entry")) return true;
  if (targets.length === 0) return false;
  const rows = await rowsOf(
    services,
    `SELECT 1 FROM published_docs WHERE owner_type IN ('page','entry')
      AND owner_id IN (SELECT value FROM json_each(?1)) LIMIT 1`,
    JSON.stringify(targets.flatMap((one) => (one !== undefined && "id" in one ? [one.id] : []))),
  );
  return rows.length > 0;
}

/**
 * True where visitors see one of these changes at once: the image is on a public page or in a setting, and is another
 * image there, is gone, or has another alternative text in a language of the site. Pages show no caption and no tags.
 */
export async function showsImageChanges(
  services: CmsServices,
  changes: readonly Of<"image">[],
  environment: Pick<Environment, "locales" | "defaultLocale">,
): Promise<boolean> {
  const codes = environment.locales.flatMap(({ code, active }) => (active ? [code] : []));
  const shown = (image: Image | null): string =>
    JSON.stringify(
      image === null || image.deletedAt !== null
        ? null
        : [image.filename, image.alt, codes.map((code) => ownValue(image.texts, code)?.alt ?? "")],
    );
  const ids = changes.flatMap(({ before, after }) => (shown(before) === shown(after) ? [] : [after.id]));
  if (ids.length === 0) return false;
  const rows = await rowsOf(
    services,
    `SELECT 1 FROM asset_refs WHERE target_type='image' AND target_id IN (SELECT value FROM json_each(?1))
      AND env_id=?2 AND state IN('published','live') LIMIT 1`,
    JSON.stringify(ids),
    services.env,
  );
  return rows.length > 0;
}
