import type { PublishedDocument } from "../model/document.ts";
import { wantedIn, type Wanted } from "../model/links.ts";
import { loadCollections, loadTemplates } from "../storage/load.ts";
import { batchOf, rowsOf } from "../storage/rows.ts";
import { number, oneOf, text, type Row } from "../model/columns.ts";
import type { CmsServices, Environment, Schemas } from "../model/types.ts";
import { META_FIELDS } from "../model/validate.ts";

/** Facts for the checks besides the document; an absent template, image or target does not exist. */
export interface CheckFacts extends Schemas {
  readonly environment: Environment;
  /** live images by id */
  readonly images: ReadonlyMap<string, CheckImage>;
  /** pages, entries and collections linked to, by `type:id`; a collection is always public */
  readonly targets: ReadonlyMap<string, ReturnType<typeof targetOf>>;
  /** owners with at least one nav item or inbound link, by `type:id` */
  readonly linked: ReadonlySet<string>;
  /** names and meta titles of other public pages and entries, lower case */
  readonly otherTitles: ReadonlySet<string>;
}

export type CheckImage = ReturnType<typeof imageOf>;

export async function loadSchemas(services: CmsServices): Promise<Schemas> {
  const [templates, collections] = await Promise.all([loadTemplates(services), loadCollections(services)]);
  return { templates, collections };
}

/** The contents of a document, with their fields. */
function contentsIn(document: PublishedDocument, { templates, collections }: Schemas) {
  if (document.type === "entry") {
    return [{ fields: collections.get(document.collection)?.fields ?? [], contents: document.content }];
  }
  const sections = document.sections.map((one) => ({
    fields: templates.get(one.template)?.fields ?? [],
    contents: one.content,
  }));
  return [{ fields: META_FIELDS, contents: document.meta }, ...sections];
}

/** Everything that a document names, in every language. */
export function wantedInDocument(document: PublishedDocument, schemas: Schemas): Wanted[] {
  const wanted = contentsIn(document, schemas).flatMap(({ fields, contents }) =>
    Object.values(contents).flatMap((content) => wantedIn(fields, content)),
  );
  const cover = document.type === "entry" ? document.cover : null;
  return cover === null ? wanted : [...wanted, { type: "image", ref: cover, at: "cover" }];
}

/** of one name; a warning needs no more */
const SAME_TITLES_MAX = 50;

const IN_LIST = "IN (SELECT value FROM json_each(?2))";
const TARGETS = [
  `SELECT 'page' AS type, id, name, status='published' AS public FROM pages
    WHERE +env_id=?1 AND deleted_at IS NULL AND id ${IN_LIST}`,
  `SELECT 'entry' AS type, id, title AS name, status='published' AS public FROM entries
    WHERE +env_id=?1 AND deleted_at IS NULL AND id ${IN_LIST}`,
  `SELECT 'collection' AS type, id, name, 1 AS public FROM collections
    WHERE +env_id=?1 AND deleted_at IS NULL AND id ${IN_LIST}`,
];
const IMAGES = `SELECT i.id, i.filename, i.alt, i.alt_source, i.byte_size,
    (SELECT count(*) FROM image_variants v WHERE v.image_id=i.id) AS variants FROM images i
  WHERE +i.env_id=?1 AND i.deleted_at IS NULL AND i.id ${IN_LIST}`;
/** One use is enough to know that a thing is linked. */
const LINKED = `SELECT r.target_id AS id FROM asset_refs r WHERE r.env_id=?1 AND r.target_type=?2 AND r.target_id=?3
  AND r.root_id<>?3 LIMIT 1`;
/** Pages and entries of one of these names, each looked up in the index of them. */
const SAME_TITLE = [
  `SELECT p.id, p.name AS title, p.status FROM pages p WHERE p.env_id=?1 AND p.name COLLATE NOCASE ${IN_LIST}
    AND p.deleted_at IS NULL LIMIT ?3`,
  `SELECT e.id, e.title, e.status FROM entries e WHERE e.collection_id IN (SELECT value FROM json_each(?1))
    AND e.title COLLATE NOCASE ${IN_LIST} AND e.deleted_at IS NULL LIMIT ?3`,
] as const;
// In a change set (?4, empty without one) its own rows replace those of the site: through the view, no expression
// index is used.
const SAME_META = `SELECT * FROM (
  SELECT c.owner_id AS id, c.data->>'title' AS title FROM json_each(?2) j CROSS JOIN main.contents c
   WHERE c.env_id=?1 AND c.owner_type='page' AND (c.data->>'title') COLLATE NOCASE=j.value
     AND NOT EXISTS (SELECT 1 FROM main.change_set_rows s WHERE s.set_id=?4 AND s.tbl='contents' AND s.pk='page:'||c.owner_id)
  UNION ALL SELECT own.value->>'owner_id', own.value->'data'->>'title' FROM main.change_set_rows r, json_each(r.rows) own
   WHERE r.set_id=?4 AND r.tbl='contents' AND own.value->>'owner_type'='page'
     AND (own.value->'data'->>'title') COLLATE NOCASE IN (SELECT value FROM json_each(?2))) LIMIT ?3`;
const PUBLIC_PAGES = `SELECT id FROM pages WHERE deleted_at IS NULL AND status='published'
  AND id IN (SELECT value FROM json_each(?1))`;

/**
 * Facts for the publish checks of each of these documents, in their order. `becoming` names targets (`page:<id>`)
 * that the same call makes public; `linked` targets that it links to. The database knows neither yet.
 */
export async function loadFactsOfAll(
  services: CmsServices,
  environment: Environment,
  documents: readonly PublishedDocument[],
  known?: Schemas,
  becoming: ReadonlySet<string> = new Set(),
  linkedToo: readonly string[] = [],
): Promise<readonly CheckFacts[]> {
  const schemas = known ?? (await loadSchemas(services));
  const wanted = documents.flatMap((one) => wantedInDocument(one, schemas));
  const ids = (image: boolean) =>
    JSON.stringify([
      ...new Set(wanted.filter((one) => (one.type === "image") === image).map((one) => one.ref)),
    ]);
  const titled = [
    JSON.stringify([...new Set(documents.flatMap(titlesOf))]),
    documents.length * SAME_TITLES_MAX,
  ] as const;
  const [images = [], meta = [], pages = [], entries = [], ...more] = await batchOf(services, [
    [IMAGES, services.env, ids(true)],
    [SAME_META, services.env, ...titled, services.changeSet?.id ?? ""],
    [SAME_TITLE[0], services.env, ...titled],
    [SAME_TITLE[1], JSON.stringify([...schemas.collections.keys()]), ...titled],
    ...TARGETS.map((sql) => [sql, services.env, ids(false)] as const),
    ...documents.map(({ type, id }) => [LINKED, services.env, type, id] as const),
  ]);
  const targets = more.slice(0, TARGETS.length).flat();
  const linked = more.slice(TARGETS.length).flat();
  const named = [
    ...[...pages, ...entries].filter((row) => row.status === "published"),
    ...(await ofPublicPages(services, meta)),
  ].map((row) => ({ id: text(row, "id"), title: text(row, "title").toLowerCase() }));
  const linkedIds = new Set(linked.map((row) => text(row, "id")));
  const shared = {
    environment,
    ...schemas,
    images: new Map(images.map(imageOf).map((one) => [one.id, one])),
    targets: new Map(
      targets.map((row) => targetOf(row, becoming)).map((one) => [`${one.type}:${one.id}`, one]),
    ),
  };
  return documents.map(({ type, id }) => ({
    ...shared,
    linked: new Set([...(linkedIds.has(id) ? [`${type}:${id}`] : []), ...linkedToo]),
    otherTitles: new Set(named.flatMap((one) => (one.id === id ? [] : [one.title]))),
  }));
}

/** The same around one document. */
export async function loadCheckFacts(
  services: CmsServices,
  environment: Environment,
  document: PublishedDocument,
  known?: Schemas,
  becoming: ReadonlySet<string> = new Set(),
  linkedToo: readonly string[] = [],
): Promise<CheckFacts> {
  const [facts] = await loadFactsOfAll(services, environment, [document], known, becoming, linkedToo);
  if (facts === undefined) throw new Error("a document has its facts");
  return facts;
}

/** Those of these meta titles that visitors see. */
async function ofPublicPages(services: CmsServices, meta: readonly Row[]): Promise<Row[]> {
  if (meta.length === 0) return [];
  const owners = JSON.stringify(meta.map((row) => text(row, "id")));
  const seen = new Set((await rowsOf(services, PUBLIC_PAGES, owners)).map((row) => text(row, "id")));
  return meta.filter((row) => seen.has(text(row, "id")));
}

/** Every name that a document is known by, in any locale. */
function titlesOf(document: PublishedDocument): string[] {
  const own = document.type === "page" ? [document.name] : [];
  const byLocale = document.type === "page" ? document.meta : document.content;
  const titles = Object.values(byLocale).map((one) => one.title);
  return [...own, ...titles.filter((one) => typeof one === "string" && one !== "")].map(String);
}

function imageOf(row: Row) {
  return {
    id: text(row, "id"),
    filename: text(row, "filename"),
    alt: text(row, "alt"),
    altSource: oneOf(row, "alt_source", ["none", "filename", "model", "stock", "human"]),
    byteSize: number(row, "byte_size"),
    variants: number(row, "variants"),
  };
}

function targetOf(row: Row, becoming: ReadonlySet<string>) {
  const type = oneOf(row, "type", ["page", "entry", "collection"]);
  const id = text(row, "id");
  return {
    type,
    id,
    name: text(row, "name"),
    public: number(row, "public") === 1 || becoming.has(`${type}:${id}`),
  };
}
