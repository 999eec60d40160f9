import * as z from "zod";
import { type Json, ownValue } from "../../../cairn/core/log/json.ts";
import { defineTool } from "../../../cairn/tools/define.ts";
import { loadImages } from "../edit/image-slots.ts";
import { entryDocument, entryPath, isDirty } from "../edit/publish.ts";
import { imagePath, isoTime, LIST_DEFAULT, LIST_MAX, localContent, localeChain } from "../edit/read-shape.ts";
import { resolveCollection, resolveEntry } from "../edit/refs.ts";
import type { ByLocale, Content, EntryDocument } from "../model/document.ts";
import { fail } from "../model/errors.ts";
import { cursorAfter, positionOf } from "../model/ids.ts";
import {
  READ_MAX,
  type CmsContext,
  type CmsServices,
  type Collection,
  type Entry,
  type Environment,
} from "../model/types.ts";
import { loadCounts, type Counts } from "../storage/counts.ts";
import { loadEnvironment, loadPublished } from "../storage/load.ts";
import { rowsOf } from "../storage/rows.ts";
import { contentsByOwner, number, text, type Row } from "../model/columns.ts";
import { entryOf } from "../model/tables.ts";

const listInput = z.strictObject({
  collection: z.string().min(1).max(100).default("blog").describe("id or slug"),
  status: z.enum(["draft", "published", "archived", "all"]).default("all"),
  category: z.string().max(100).optional(),
  tag: z.string().max(100).optional(),
  q: z.string().max(200).optional().describe("part of the title, slug or excerpt"),
  sort: z.enum(["published", "updated", "title"]).default("published"),
  locale: z.string().max(20).optional(),
  limit: z.int().min(1).max(LIST_MAX).default(LIST_DEFAULT),
  cursor: z.string().max(500).optional(),
});

/** Sort column of each order, and the condition for rows after the cursor (?4, ?5). */
const ORDERS = {
  published: { by: "coalesce(e.published_at, e.publish_at, 0)", behind: "<", direction: "DESC" },
  updated: { by: "e.updated_at", behind: "<", direction: "DESC" },
  title: { by: "e.title COLLATE NOCASE", behind: ">", direction: "" },
} as const;

/** Entries from a place on, in the order of an index. ?1 collection, ?2 status, ?3 category; null is no filter. */
function walked(sort: keyof typeof ORDERS, isFurther: boolean, columns = "e.*"): string {
  const { by, behind, direction } = ORDERS[sort];
  const pageFilter = `AND ${by} ${behind}= ?4 AND (${by} ${behind} ?4 OR e.id > ?5)`;
  return `SELECT ${columns}, ${by} AS place FROM entries e WHERE e.collection_id = ?1 AND e.deleted_at IS NULL
    ${isFurther ? pageFilter : ""} ORDER BY place ${direction}, e.id LIMIT ${READ_MAX}`;
}
/** Enough to choose by, where thousands are read and few are shown. */
const CHOSEN_BY = "e.id, e.title, e.slug, e.status, e.category";
const FILTERED = "(?2 IS NULL OR w.status = ?2) AND (?3 IS NULL OR lower(w.category) = lower(?3))";

/** The entries of `ids` whose texts have the tag, and match the words. ?1 IDs, ?2 locales, ?3 the words */
const TEXTS = `SELECT DISTINCT c.owner_id FROM contents c WHERE c.owner_type = 'entry'
  AND c.owner_id IN (SELECT value FROM json_each(?1)) AND c.locale IN (SELECT value FROM json_each(?2))`;
const TAGGED = `${TEXTS} AND EXISTS (SELECT 1 FROM json_each(c.data, '$.tags') t WHERE lower(t.value) = lower(?3))`;
const MATCHING = `${TEXTS} AND (instr(lower(c.data ->> 'title'), lower(?3)) > 0 OR instr(lower(c.data ->> 'excerpt'), lower(?3)) > 0)`;

export const entryList = defineTool({
  name: "entry_list",
  lean: true,
  version: 1,
  title: "List entries",
  description: "Lists the entries of a collection (blog posts by default). All filters combine with AND.",
  input: listInput,
  effect: "read",
  tier: "open",
  reads: "private",
  run: async (input, { services }: CmsContext) => {
    const environment = await loadEnvironment(services);
    const chain = localeChain(environment, input.locale);
    const collection = await resolveCollection(services, input.collection);
    const after = positionOf(input.sort, input.cursor);
    const filter = [
      collection.id,
      input.status === "all" ? null : input.status,
      input.category ?? null,
    ] as const;
    const looksInside = input.tag !== undefined || input.q !== undefined;
    const isCounted = !looksInside && input.category === undefined;
    const values = [...filter, after?.sort ?? null, after?.id ?? null] as const;
    const found = await rowsOf(
      services,
      `SELECT w.* FROM (${walked(input.sort, after !== null, looksInside ? CHOSEN_BY : "e.*")}) w WHERE ${FILTERED} LIMIT ?6`,
      ...values,
      isCounted ? input.limit + 1 : READ_MAX,
    );
    const rows = looksInside ? await matching(services, found, input, chain) : found;
    const shown = rows.slice(0, input.limit);
    const ids = JSON.stringify(shown.map((row) => text(row, "id")));
    const [contents, whole, counts] = await Promise.all([
      rowsOf(
        services,
        `SELECT * FROM contents WHERE owner_type = 'entry' AND owner_id IN (SELECT value FROM json_each(?1))
          AND locale IN (SELECT value FROM json_each(?2))`,
        ids,
        JSON.stringify(chain),
      ),
      looksInside
        ? rowsOf(services, "SELECT * FROM entries WHERE id IN (SELECT value FROM json_each(?1))", ids)
        : shown,
      isCounted ? loadCounts(services, environment) : null,
    ]);
    const byOwner = contentsByOwner(contents);
    const byId = new Map(whole.map((row) => [text(row, "id"), row]));
    // Where less was found than asked for, the walk may have ended before the collection does.
    const last =
      rows.length > input.limit
        ? shown.at(-1)
        : (
            await rowsOf(
              services,
              `SELECT w.id, w.place FROM (${walked(input.sort, after !== null)}) w LIMIT 1 OFFSET ${READ_MAX - 1}`,
              ...(after === null ? [collection.id] : values),
            )
          )[0];
    return {
      collection: { id: collection.id, slug: collection.slug, name: collection.name },
      items: shown.flatMap((row) => {
        const id = text(row, "id");
        const entry = byId.get(id);
        return entry === undefined
          ? []
          : [listItem(entryOf(entry, byOwner.get(`entry:${id}`)), collection, chain, environment)];
      }),
      total: counts === null ? rows.length : totalOf(counts, collection.id, input.status),
      ...(last === undefined
        ? {}
        : {
            nextCursor: cursorAfter(input.sort, {
              sort: input.sort === "title" ? text(last, "place") : number(last, "place"),
              id: text(last, "id"),
            }),
          }),
    };
  },
  entities: (_, { collection, items }) => [
    ...items.slice(0, 5).map(({ id, slug, title }) => ({
      op: "touch" as const,
      type: "entry",
      id,
      name: title,
      slug,
      parent: { type: "collection", id: collection.id },
    })),
    { op: "touch", type: "collection", id: collection.id, name: collection.name, slug: collection.slug },
  ],
});

/** The rows whose title, slug or texts match the words, and that have the tag. */
async function matching(
  services: CmsServices,
  rows: readonly Row[],
  { tag, q }: Pick<z.output<typeof listInput>, "tag" | "q">,
  chain: readonly string[],
): Promise<readonly Row[]> {
  const values = [JSON.stringify(rows.map((row) => text(row, "id"))), JSON.stringify(chain)] as const;
  const [tagged, matched] = await Promise.all([
    tag === undefined ? null : rowsOf(services, TAGGED, ...values, tag),
    q === undefined ? null : rowsOf(services, MATCHING, ...values, q),
  ]);
  const owners = (found: readonly Row[]) => new Set(found.map((row) => text(row, "owner_id")));
  const [withTag, withWords] = [tagged && owners(tagged), matched && owners(matched)];
  const words = (q ?? "").toLowerCase();
  const has = (row: Row, column: string): boolean => text(row, column).toLowerCase().includes(words);
  return rows.filter((row) => {
    const id = text(row, "id");
    return (
      (withTag === null || withTag.has(id)) &&
      (withWords === null || withWords.has(id) || has(row, "title") || has(row, "slug"))
    );
  });
}

function totalOf(
  counts: Counts,
  collection: string,
  status: "draft" | "published" | "archived" | "all",
): number {
  if (status !== "all") return counts.entries(collection, status);
  return ["draft", "published", "archived"].reduce((sum, one) => sum + counts.entries(collection, one), 0);
}

function listItem(entry: Entry, collection: Collection, chain: readonly string[], environment: Environment) {
  const read = localEntry(entry.title, entry.content, collection, chain).content;
  return {
    id: entry.id,
    slug: entry.slug,
    title: typeof read.title === "string" ? read.title : entry.title,
    status: entry.status,
    dirty: isDirty(entry),
    category: entry.category,
    tags: Array.isArray(read.tags) ? read.tags.filter((tag: Json) => typeof tag === "string") : [],
    publishedAt: isoTime(entry.publishedAt),
    url: entryPath(entry, collection.slug, environment),
  };
}

const getInput = z.strictObject({
  entry: z.string().min(1).max(200).describe("id or collection/slug"),
  state: z.enum(["draft", "published"]).default("draft"),
  locale: z.string().max(20).optional(),
});

export const entryGet = defineTool({
  name: "entry_get",
  version: 1,
  title: "Read an entry",
  description: "Reads an entry of a collection, such as a blog post, with all of its content.",
  input: getInput,
  effect: "read",
  tier: "open",
  reads: "private",
  observationMax: 16_384,
  run: async (input, { services }: CmsContext) => {
    const environment = await loadEnvironment(services);
    const chain = localeChain(environment, input.locale);
    const row = await resolveEntry(services, input.entry);
    const collection = await resolveCollection(services, row.collectionId);
    const document =
      input.state === "draft"
        ? entryDocument(row, environment.defaultLocale)
        : await publicDocument(services, row);
    const read = localEntry(row.title, document.content, collection, chain);
    const { title, excerpt, ...content } = read.content;
    const images = await loadImages(services, document.cover === null ? [] : [document.cover], chain);
    const cover = images[0];
    return {
      entry: {
        id: row.id,
        slug: document.slug,
        title: typeof title === "string" ? title : row.title,
        collection: { id: collection.id, slug: collection.slug, name: collection.name },
        status: row.status,
        dirty: isDirty(row),
        indexing: document.indexing,
        category: document.category,
        author: document.author,
        excerpt: typeof excerpt === "string" ? excerpt : "",
        cover: cover === undefined ? null : { image: cover.id, alt: cover.alt, url: imagePath(cover) },
        url: entryPath(document, collection.slug, environment),
        state: input.state,
        locale: chain[0] ?? environment.defaultLocale,
        content,
        fallbackFields: read.fallbackFields,
        version: row.version,
        publishedVersion: row.publishedVersion,
        publishedAt: isoTime(row.publishedAt),
        ...(row.publishAt === null ? {} : { publishAt: isoTime(row.publishAt) }),
        ...(row.publishFailure === null ? {} : { publishFailure: row.publishFailure }),
        updatedAt: isoTime(row.updatedAt),
      },
    };
  },
  entities: (_, { entry }) => [
    {
      op: "touch",
      type: "entry",
      id: entry.id,
      name: entry.title,
      slug: entry.slug,
      parent: { type: "collection", id: entry.collection.id },
    },
    {
      op: "touch",
      type: "collection",
      id: entry.collection.id,
      name: entry.collection.name,
      slug: entry.collection.slug,
    },
  ],
});

/** Title and excerpt besides the collection's own fields, in one locale. */
function localEntry(
  title: string,
  content: ByLocale<Content>,
  collection: Collection,
  chain: readonly string[],
) {
  const own = chain.at(-1) ?? "";
  return localContent(collection.fields, { ...content, [own]: { title, ...ownValue(content, own) } }, chain);
}

async function publicDocument(services: CmsServices, entry: Entry): Promise<EntryDocument> {
  const row = (await loadPublished(services, [entry.id])).get(entry.id);
  if (row?.document.type === "entry") return row.document;
  throw fail("not_found", `The entry “${entry.title}” is not public; it has no published version.`, {
    at: "state",
    hint: "Read it with state draft.",
    suggestions: [{ label: `${entry.title} (draft)`, ref: entry.id }],
  });
}
