import * as z from "zod";
import type { Json } from "../../../core/log/json.ts";
import { defineTool } from "../../define.ts";
import { loadImages } from "../edit/image-slots.ts";
import { entryDocument, entryPath, isDirty } from "../edit/publish.ts";
import { imagePath, isoTime, LIST_DEFAULT, LIST_MAX, localContent, localeChain } from "../edit/read-shape.ts";
import { resolveCollection, resolveEntry } from "../edit/refs.ts";
import type { ByLocale, Content, EntryDocument } from "../model/document.ts";
import { fail } from "../model/errors.ts";
import { cursorAfter, placeOf } from "../model/ids.ts";
import type { CmsContext, CmsServices, Collection, Entry, Environment } from "../model/types.ts";
import { batchOf, loadEnvironment, loadPublished } from "../storage/load.ts";
import { contentsByOwner, number, text } from "../storage/rows.ts";
import { entryOf } from "../storage/tables.ts";

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

/** ?1 collection, ?2 status, ?3 category, ?4 tag, ?5 part of a text, ?6 locales, nearest first; null is no filter */
const FILTERED = `e.collection_id = ?1 AND e.deleted_at IS NULL AND (?2 IS NULL OR e.status = ?2)
  AND (?3 IS NULL OR lower(e.category) = lower(?3))
  AND (?4 IS NULL OR EXISTS (SELECT 1 FROM contents c, json_each(c.data, '$.tags') t WHERE c.owner_type = 'entry'
    AND c.owner_id = e.id AND c.locale IN (SELECT value FROM json_each(?6)) AND lower(t.value) = lower(?4)))
  AND (?5 IS NULL OR instr(lower(e.title), lower(?5)) > 0 OR instr(e.slug, lower(?5)) > 0
    OR EXISTS (SELECT 1 FROM contents c WHERE c.owner_type = 'entry' AND c.owner_id = e.id
      AND c.locale IN (SELECT value FROM json_each(?6))
      AND (instr(lower(c.data ->> 'title'), lower(?5)) > 0 OR instr(lower(c.data ->> 'excerpt'), lower(?5)) > 0)))`;
/** What an order sorts by, and the condition of standing after the row (?7, ?8). */
const ORDERS = {
  published: { by: "coalesce(e.published_at, e.publish_at, 0)", after: "<", direction: "DESC" },
  updated: { by: "e.updated_at", after: "<", direction: "DESC" },
  title: { by: "e.title COLLATE NOCASE", after: ">", direction: "ASC" },
} as const;

export const entryList = defineTool({
  name: "entry_list",
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
    const after = placeOf(input.sort, input.cursor);
    const { by, after: sign, direction } = ORDERS[input.sort];
    const filter = [
      collection.id,
      input.status === "all" ? null : input.status,
      input.category ?? null,
      input.tag ?? null,
      input.q ?? null,
      JSON.stringify(chain),
    ] as const;
    const page = `SELECT e.*, ${by.replace(" COLLATE NOCASE", "")} AS place FROM entries e WHERE ${FILTERED}
      AND (?7 IS NULL OR ${by} ${sign} ?7 OR (${by} = ?7 AND e.id > ?8)) ORDER BY ${by} ${direction}, e.id LIMIT ?9`;
    const values = [...filter, after?.sort ?? null, after?.id ?? null, input.limit + 1] as const;
    const [rows = [], counts = [], contents = []] = await batchOf(services, [
      [page, ...values],
      [`SELECT count(*) AS total FROM entries e WHERE ${FILTERED}`, ...filter],
      [
        `SELECT * FROM contents WHERE owner_type = 'entry' AND locale IN (SELECT value FROM json_each(?6))
          AND owner_id IN (SELECT id FROM (${page}))`,
        ...values,
      ],
    ]);
    const byOwner = contentsByOwner(contents);
    const shown = rows.slice(0, input.limit);
    const last = shown.at(-1);
    return {
      collection: { id: collection.id, slug: collection.slug, name: collection.name },
      items: shown.map((row) =>
        listItem(entryOf(row, byOwner.get(`entry:${text(row, "id")}`)), collection, chain, environment),
      ),
      total: counts[0] === undefined ? 0 : number(counts[0], "total"),
      ...(rows.length > input.limit && last !== undefined
        ? {
            nextCursor: cursorAfter(input.sort, {
              sort: input.sort === "title" ? text(last, "place") : number(last, "place"),
              id: text(last, "id"),
            }),
          }
        : {}),
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

/** Title and excerpt beside the collection's own fields, in one locale. */
function localEntry(
  title: string,
  content: ByLocale<Content>,
  collection: Collection,
  chain: readonly string[],
) {
  const own = chain.at(-1) ?? "";
  return localContent(collection.fields, { ...content, [own]: { title, ...content[own] } }, chain);
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
