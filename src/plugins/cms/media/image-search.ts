import * as z from "zod";
import { defineTool } from "../../../cairn/tools/define.ts";
import { loadImages, type LibraryImage } from "../edit/image-slots.ts";
import { fail } from "../model/errors.ts";
import { stockOf } from "./stock.ts";
import { imagePath, LIST_MAX, localeChain } from "../edit/read-shape.ts";
import { cursorAfter, positionOf } from "../model/ids.ts";
import type { StockPhoto } from "../model/stock.ts";
import { WALKED_MAX, type CmsContext, type CmsServices, type Environment } from "../model/types.ts";
import { SEARCH_CANDIDATES_MAX, SEARCH_SCAN_ROWS_MAX, type Band } from "../search/score.ts";
import { searchSite } from "../search/search.ts";
import { loadCounts } from "../storage/counts.ts";
import { loadEnvironment, loadInbound, type Inbound } from "../storage/load.ts";
import { batchOf, rowsOf } from "../storage/rows.ts";
import { number, text } from "../model/columns.ts";

const input = z.strictObject({
  query: z.string().trim().min(1).max(400).optional().describe("absent: all images, newest first"),
  ids: z.array(z.string().max(100)).min(1).max(10).optional(),
  tags: z.array(z.string().max(100)).min(1).max(10).optional().describe("all of them"),
  origin: z.enum(["chat", "seed", "stock", "url", "api"]).optional(),
  session: z.literal("current").optional().describe("images that came in this conversation"),
  unused: z.boolean().optional(),
  missingAlt: z.boolean().optional(),
  usages: z.boolean().default(false).describe("also where each is used"),
  source: z.enum(["library", "stock"]).default("library").describe("stock: photos to image_import"),
  orientation: z.enum(["landscape", "portrait", "square"]).optional(),
  color: z.string().max(40).optional(),
  limit: z.int().min(1).max(LIST_MAX).default(10),
  cursor: z.string().max(500).optional(),
});
/** `since`: when the session was made. Images of a deleted session of its name are older. */
type Input = z.output<typeof input> & { readonly since: number };

/** Images from a place (?9, ?10) on, newest first, in the order of an index: all, those of the ids (?2) or of the session (?5). */
function walked(
  { ids, session, since }: Pick<Input, "ids" | "session" | "since">,
  isFurther: boolean,
): string {
  const byId = ids !== undefined;
  const place = "AND x.created_at <= ?9 AND (x.created_at < ?9 OR x.id > ?10)";
  return `SELECT x.* FROM images x WHERE ${byId ? "+" : ""}x.env_id = ?1 AND x.deleted_at IS NULL
    ${byId ? "AND x.id IN (SELECT value FROM json_each(?2))" : ""} ${session === undefined ? "" : `AND x.session_id = ?5 AND x.created_at >= ${since}`}
    ${isFurther ? place : ""} ORDER BY x.created_at DESC, x.id LIMIT ${WALKED_MAX}`;
}
/** ?3 tags, ?4 origin, ?5 session, ?6 missing alt, ?7 orientation, ?8 color; null or 0 is no filter */
const FILTERED = `(?3 IS NULL OR NOT EXISTS (SELECT 1 FROM json_each(?3) asked WHERE NOT EXISTS (
    SELECT 1 FROM json_each(coalesce(i.tags, m.tags, '[]')) had WHERE lower(had.value) = lower(asked.value))))
  AND (?4 IS NULL OR i.origin = ?4) AND (?5 IS NULL OR i.session_id = ?5)
  AND (?6 = 0 OR i.alt = '')
  AND (?7 IS NULL OR ?7 = CASE WHEN i.width > i.height THEN 'landscape' WHEN i.width < i.height THEN 'portrait'
    WHEN i.width = i.height THEN 'square' END)
  AND (?8 IS NULL OR EXISTS (SELECT 1 FROM json_each(m.detail, '$.colors') c WHERE lower(c.value) = lower(?8)))`;
const UNUSED = "NOT EXISTS (SELECT 1 FROM asset_refs r WHERE r.target_type = 'image' AND r.target_id = i.id)";

/** The images within the filters, newest first, of those that one call walks. */
function filtered(query: Input, columns: string, isFurther: boolean): string {
  return `SELECT ${columns} FROM (${walked(query, isFurther)}) i
    LEFT JOIN image_metadata m ON m.image_id = i.id WHERE ${FILTERED} ${query.unused === true ? `AND ${UNUSED}` : ""}`;
}

export const imageSearch = defineTool({
  name: "image_search",
  version: 1,
  title: "Search images",
  description:
    "Searches the image library, or lists it without a query. Filters combine. usages tells where each image is used.",
  input,
  effect: "read",
  tier: "open",
  reads: "private",
  run: async (given, { services, facts, signal }: CmsContext) => {
    const query = { ...given, since: facts.createdAt ?? 0 };
    if (query.source === "stock") return searchStock(query, services, signal);
    const environment = await loadEnvironment(services);
    const filter = filterOf(query, services.env, facts.session);
    const found =
      query.query === undefined
        ? await newest(services, environment, filter, query)
        : await byQuery(
            services,
            filter,
            query,
            query.query,
            environment.locales.map((one) => one.code),
            signal,
          );
    const ids = found.places.map((one) => one.id);
    const images = await loadImages(services, ids, localeChain(environment));
    const inbound = query.usages ? await loadInbound(services, ids) : null;
    const places = new Map(found.places.map((one) => [one.id, one]));
    const missing = query.ids?.filter((id) => !ids.includes(id)) ?? [];
    const isWhole = query.cursor === undefined && found.nextCursor === undefined;
    return {
      items: images.map((image) => itemOf(image, places.get(image.id), inbound)),
      total: found.total,
      ...(found.nextCursor === undefined ? {} : { nextCursor: found.nextCursor }),
      ...noteOf([
        missing.length > 0 && isWhole ? `Not found within these filters: ${missing.join(", ")}.` : null,
        found.note ?? null,
      ]),
    };
  },
  entities: (_, output) =>
    output.items
      .slice(0, 3)
      .map(({ id, filename, alt }) => ({ op: "touch", type: "image", id, name: alt || filename })),
});

function noteOf(notes: readonly (string | null)[]): { note?: string } {
  const notesShown = notes.filter((one) => one !== null);
  return notesShown.length === 0 ? {} : { note: notesShown.join(" ") };
}

interface FoundStock {
  readonly items: never[];
  readonly total: number;
  readonly nextCursor?: string;
  readonly stock: readonly (StockPhoto & { readonly provider: string })[];
  readonly note?: string;
}

async function searchStock(
  { query, orientation, limit }: Input,
  services: CmsServices,
  signal: AbortSignal,
): Promise<FoundStock> {
  if (query === undefined)
    throw fail("invalid_input", "Stock photos are found by words.", { at: "query", hint: "Pass a query." });
  const provider = stockOf(services);
  const request = { query, limit, ...(orientation === undefined ? {} : { orientation }) };
  const photos = await provider.search(request, signal);
  const locales = (await loadEnvironment(services)).locales.map((one) => one.code);
  const own = await searchSite(services, { query, kinds: ["image"], locales, limit: 1 }, signal);
  const isThere = own.hits.some(({ band }) => band === "good" || band === "strong");
  return {
    items: [],
    total: photos.length,
    stock: photos.map((photo) => ({ provider: provider.name, ...photo })),
    ...(isThere ? { note: "The library has images that match; look there first." } : {}),
  };
}

interface FoundImage {
  readonly id: string;
  readonly score?: number;
  readonly band?: Band;
}
interface FoundImages {
  readonly places: readonly FoundImage[];
  readonly total: number;
  readonly nextCursor?: string;
  readonly note?: string | null;
}
type Filter = readonly (string | number | null)[];

function filterOf(query: Input, env: string, session: string): Filter {
  const list = (values: readonly string[] | undefined) =>
    values === undefined ? null : JSON.stringify(values);
  return [
    env,
    list(query.ids),
    list(query.tags),
    query.origin ?? null,
    query.session === "current" ? session : null,
    query.missingAlt === true ? 1 : 0,
    query.orientation ?? null,
    query.color ?? null,
  ];
}

async function newest(
  services: CmsServices,
  environment: Environment,
  filter: Filter,
  query: Input,
): Promise<FoundImages> {
  const after = positionOf("newest", query.cursor);
  const place = [after?.sort ?? null, after?.id ?? null] as const;
  // As many values as the walk names.
  const named = query.session !== undefined ? 5 : query.ids !== undefined ? 2 : 1;
  const isCounted = !isFiltered(filter) && query.unused !== true;
  const [rows = [], [found] = []] = await batchOf(services, [
    [
      `${filtered(query, "i.id, i.created_at", after !== null)} LIMIT ?11`,
      ...filter,
      ...place,
      query.limit + 1,
    ],
    ...(isCounted ? [] : [[filtered(query, "count(*) AS total", false), ...filter] as const]),
  ]);
  const shown = rows.slice(0, query.limit);
  // Where less was found than asked for, the walk may have ended before the library does.
  const last =
    rows.length > query.limit
      ? shown.at(-1)
      : (
          await rowsOf(
            services,
            `SELECT i.id, i.created_at FROM (${walked(query, after !== null)}) i LIMIT 1 OFFSET ${WALKED_MAX - 1}`,
            ...(after !== null ? [...filter, ...place] : filter.slice(0, named)),
          )
        )[0];
  return {
    places: shown.map((row) => ({ id: text(row, "id") })),
    total: isCounted
      ? (await loadCounts(services, environment)).images
      : found === undefined
        ? 0
        : number(found, "total"),
    ...(last === undefined
      ? {}
      : { nextCursor: cursorAfter("newest", { sort: number(last, "created_at"), id: text(last, "id") }) }),
  };
}

const isFiltered = (filter: Filter): boolean => filter.slice(1).some((one) => one !== null && one !== 0);

/** By words and meaning, best first. The filters bind before the search's own limit, so that no better-worded image hides one. */
async function byQuery(
  services: CmsServices,
  filter: Filter,
  given: Input,
  query: string,
  locales: readonly string[],
  signal: AbortSignal,
): Promise<FoundImages> {
  const ids =
    isFiltered(filter) || given.unused === true
      ? (
          await rowsOf(services, `${filtered(given, "i.id", false)} LIMIT ${SEARCH_SCAN_ROWS_MAX}`, ...filter)
        ).map((row) => text(row, "id"))
      : undefined;
  const question = {
    query,
    kinds: ["image" as const],
    locales,
    limit: SEARCH_CANDIDATES_MAX,
    ...(ids === undefined ? {} : { ids }),
  };
  const { hits, note } = await searchSite(services, question, signal);
  const offset = Number(positionOf("score", given.cursor)?.sort ?? 0);
  const shown = hits.slice(offset, offset + given.limit);
  const end = offset + shown.length;
  return {
    places: shown.map(({ id, score, band }) => ({ id, score, band })),
    total: hits.length,
    note,
    ...(end < hits.length
      ? { nextCursor: cursorAfter("score", { sort: end, id: shown.at(-1)?.id ?? "" }) }
      : {}),
  };
}

function itemOf(image: LibraryImage, place: FoundImage | undefined, inbound: readonly Inbound[] | null) {
  return {
    id: image.id,
    filename: image.filename,
    alt: image.alt,
    altSource: image.altSource,
    tags: image.tags,
    width: image.width,
    height: image.height,
    url: imagePath(image),
    ...(place?.score === undefined ? {} : { score: place.score }),
    ...(place?.band === undefined ? {} : { band: place.band }),
    usageCount: image.usageCount,
    ...(inbound === null ? {} : { usages: inbound.filter((one) => one.targetId === image.id).map(usageOf) }),
  };
}

function usageOf(use: Inbound) {
  // A setting is stored under `environment/key`; its key is its name.
  const key = use.ownerType === "setting" ? use.ownerId.slice(use.ownerId.indexOf("/") + 1) : null;
  return {
    ownerType: use.ownerType,
    ownerId: key ?? use.ownerId,
    ownerName: key ?? use.rootName,
    field: use.path,
    locale: use.locale,
    state: use.state,
  };
}
