import type { ByLocale, Content, Field } from "../model/document.ts";
import { storedContent, type IdOf } from "../model/links.ts";
import { keysBetween } from "../model/order.ts";
import {
  collectionDocument,
  mergeProjections,
  NO_PROJECTION,
  projectEntry,
  projectNav,
  projectPage,
  projectPublished,
  projectSetting,
  templateDocument,
} from "../storage/projections.ts";
import { entryDocument, publishedPageDocument } from "../edit/publish.ts";
import type {
  Change,
  Collection,
  Entry,
  PageAggregate,
  Plan,
  SearchDocument,
  Section,
  Setting,
  SettingKey,
  StoredNavItem,
  Template,
} from "../model/types.ts";
import { META_FIELDS, validateContent } from "../model/validate.ts";
import type { Sample, SeedEntry, SeedNavItem, SeedPage, SeedSection } from "./sample.ts";

/** The seeded site as one planned write. Pure: the same time gives the same rows. */

const DAY_MS = 86_400_000;
const EXCERPT: Field = { key: "excerpt", label: "Excerpt", type: "text", required: true };
/** References that the seed's rows may use, and the fields that their contents are checked against. */
interface SeedContext {
  readonly sample: Sample;
  readonly templates: ReadonlyMap<string, Template>;
  /** a reference as it is, which must be of the sample itself */
  readonly idOf: IdOf;
}

function contextOf(sample: Sample): SeedContext {
  const { pages, entries, images, blog, templates } = sample;
  const known: ReadonlySet<string> = new Set([
    ...pages.map((one) => `page:${one.id}`),
    ...entries.map((one) => `entry:${one.id}`),
    ...images.map((one) => `image:${one.id}`),
    `collection:${blog.id}`,
  ]);
  const idOf: IdOf = (type, ref) => {
    if (!known.has(`${type}:${ref}`)) throw new Error(`the seed has no ${type} ${ref}`);
    return ref;
  };
  return { sample, templates: new Map(templates.map((one) => [one.key, one])), idOf };
}

interface SeedResult {
  readonly ok: true;
  readonly op: string;
  readonly publicNow: true;
}

/** All rows that tools can write, with their projections. `at` in ms; throws ToolError when a content is not valid. */
export function planSeed(sample: Sample, env: string, op: string, at: number): Plan<SeedResult> {
  const context = contextOf(sample);
  const { site, defaultLocale } = sample;
  const blog: Collection = { ...sample.blog, deletedAt: null, updatedAt: at };
  const collections = new Map([[blog.id, blog]]);
  const pages = sample.pages.map((one) => pageOf(context, one, at));
  const entries = sample.entries.map((one) => entryOf(context, one, at));
  const nav = (["header", "footer"] as const).flatMap((location) =>
    navOf(
      context,
      sample.nav.filter((one) => one.location === location),
      null,
      at,
    ),
  );
  const settings = settingsOf(sample, at);
  const published = [
    ...pages.map((one) => ({ document: publishedPageDocument(one), row: one.page })),
    ...entries
      .filter((one) => one.status === "published")
      .map((one) => ({ document: entryDocument(one, defaultLocale), row: one })),
  ];
  return {
    result: { ok: true, op, publicNow: true },
    changes: [
      ...pages.map(({ page }): Change => ({ type: "page", before: null, after: page })),
      ...pages.flatMap(({ sections }) =>
        sections.map((after): Change => ({ type: "section", before: null, after })),
      ),
      ...entries.map((after): Change => ({ type: "entry", before: null, after })),
      ...nav.map((after): Change => ({ type: "nav_item", before: null, after })),
      ...settings.map((after): Change => ({ type: "setting", before: null, after })),
      ...published.map(({ document, row }): Change => {
        const key = { ownerType: document.type, ownerId: document.id };
        const after = { ...key, version: row.version, publishedAt: row.publishedAt ?? at, document };
        return { type: "published", before: null, after };
      }),
    ],
    projection: mergeProjections(
      ...pages.map((one) => projectPage(one, context.templates, defaultLocale)),
      ...entries.map((one) => projectEntry(one, blog, defaultLocale)),
      ...published.map(({ document }) =>
        projectPublished({ type: document.type, id: document.id }, document, context.templates, collections),
      ),
      projectNav(nav),
      ...settings.map((one) => projectSetting(one, env)),
      { ...NO_PROJECTION, documents: libraryDocuments(sample) },
    ),
    impact: {
      title: `Set up the site “${site.name}”`,
      summary: `Set up the site “${site.name}” with its pages, blog, images and navigation.`,
      lines: [],
      public: true,
    },
  };
}

/** Content as stored: checked against its fields, then with every reference known to lead somewhere. */
function stored(
  { idOf }: SeedContext,
  fields: readonly Field[],
  given: Content,
  mode: "create" | "patch",
  where: string,
): Content {
  return storedContent(fields, validateContent(fields, given, mode, where), idOf);
}

function life(at: number) {
  return {
    publishAt: null,
    publishVersion: null,
    publishFailure: null,
    deletedAt: null,
    createdAt: at,
    updatedAt: at,
  };
}

function pageOf(context: SeedContext, given: SeedPage, at: number): PageAggregate {
  const { id, kind, slug, name } = given;
  const meta = stored(context, META_FIELDS, given.meta, "create", `${id}.meta`);
  const keys = keysBetween(null, null, given.sections.length);
  return {
    page: {
      id,
      kind,
      slug,
      name,
      indexing: true,
      ...life(at),
      status: "published",
      version: 1,
      publishedVersion: 1,
      publishedAt: at,
      meta: Object.keys(meta).length === 0 ? {} : { [context.sample.defaultLocale]: meta },
    },
    sections: given.sections.map((one, i) => sectionOf(context, one, id, keys[i] ?? "", at)),
  };
}

function sectionOf(
  context: SeedContext,
  given: SeedSection,
  pageId: string,
  sortKey: string,
  at: number,
): Section {
  const { id, template: key, variant } = given;
  const template = context.templates.get(key);
  if (template === undefined) throw new Error(`the seed has no template ${key}`);
  const { fields, variants } = template;
  const en = stored(context, fields, given.en, "create", `${id}.en`);
  const content: ByLocale<Content> =
    given.de === undefined ? { en } : { en, de: stored(context, fields, given.de, "patch", `${id}.de`) };
  return {
    id,
    pageId,
    template: key,
    variant: variant ?? variants[0] ?? "default",
    sortKey,
    hidden: false,
    version: 1,
    deletedAt: null,
    createdAt: at,
    updatedAt: at,
    content,
  };
}

function entryOf(context: SeedContext, given: SeedEntry, now: number): Entry {
  const { blog, defaultLocale } = context.sample;
  const { id, slug, title, status, category, author, cover, excerpt, tags, body } = given;
  const at = now - given.daysOld * DAY_MS;
  const isPublic = status === "published";
  const fields = [EXCERPT, ...blog.fields];
  return {
    id,
    collectionId: blog.id,
    slug,
    title,
    status,
    category,
    author,
    indexing: true,
    cover: context.idOf("image", cover),
    version: 1,
    ...life(at),
    publishedVersion: isPublic ? 1 : null,
    publishedAt: isPublic ? at : null,
    content: { [defaultLocale]: stored(context, fields, { excerpt, body, tags }, "create", id) },
  };
}

function navOf(
  context: SeedContext,
  given: readonly SeedNavItem[],
  parentId: string | null,
  at: number,
): StoredNavItem[] {
  const keys = keysBetween(null, null, given.length);
  return given.flatMap(({ id, location, label, target, children = [] }, i) => {
    if ("id" in target) context.idOf(target.type, target.id);
    const own = { id, location, parentId, sortKey: keys[i] ?? "", label, target, visible: true };
    const rest = { version: 1, deletedAt: null, createdAt: at, updatedAt: at, labels: {} };
    return [{ ...own, ...rest }, ...navOf(context, children, id, at)];
  });
}

const SETTING_KEYS = ["identity", "seo", "home", "theme"] as const satisfies readonly SettingKey[];

function settingsOf({ settings }: Sample, at: number): Setting[] {
  return SETTING_KEYS.map((key) => ({ key, value: settings[key], version: 1, updatedAt: at }));
}

/** Search documents that no plan of pages and entries writes: templates, the collection and the images. */
function libraryDocuments({ blog, templates, images, defaultLocale }: Sample): SearchDocument[] {
  const rest = { locale: defaultLocale, status: "published", parentId: null } as const;
  return [
    ...templates.map((one) => templateDocument(one, defaultLocale)),
    collectionDocument(blog, defaultLocale),
    ...images.map((one): SearchDocument => {
      const body = [one.description, one.tags.join(" "), one.caption]
        .filter((part) => part !== "")
        .join("\n");
      return { kind: "image", refId: one.id, title: one.alt, slug: "", body, ...rest };
    }),
  ];
}
