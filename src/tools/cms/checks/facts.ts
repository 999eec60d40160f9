import type { PublishedDocument } from "../model/document.ts";
import { wantedIn, type Wanted } from "../model/links.ts";
import { batchOf, loadCollections, loadTemplates } from "../storage/load.ts";
import { number, oneOf, text, type Row } from "../storage/rows.ts";
import type { CmsServices, Collection, Environment, Template } from "../model/types.ts";
import { META_FIELDS } from "../edit/validate.ts";

/** Templates and collections, when the caller has them already. */
export interface Schemas {
  readonly templates: ReadonlyMap<string, Template>;
  readonly collections: ReadonlyMap<string, Collection>;
}

/** What the checks need to know beside the document; a template, image or target that is absent does not exist. */
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

const TARGETS = `SELECT 'page' AS type, id, name, status='published' AS public FROM pages
    WHERE env_id=?1 AND deleted_at IS NULL AND id IN (SELECT value FROM json_each(?2))
  UNION ALL SELECT 'entry', id, title, status='published' FROM entries
    WHERE env_id=?1 AND deleted_at IS NULL AND id IN (SELECT value FROM json_each(?2))
  UNION ALL SELECT 'collection', id, name, 1 FROM collections
    WHERE env_id=?1 AND deleted_at IS NULL AND id IN (SELECT value FROM json_each(?2))`;
const IMAGES = `SELECT i.id, i.filename, i.alt, i.alt_source, i.byte_size,
    (SELECT count(*) FROM image_variants v WHERE v.image_id=i.id) AS variants FROM images i
  WHERE i.env_id=?1 AND i.deleted_at IS NULL AND i.id IN (SELECT value FROM json_each(?2))`;
const LINKED = `SELECT DISTINCT target_type, target_id FROM asset_refs
  WHERE env_id=?1 AND target_type IN('page','entry') AND target_id=?2 AND root_id<>target_id`;
const SAME_TITLE = `SELECT p.name AS title FROM pages p WHERE p.env_id=?1 AND p.id<>?3 AND p.deleted_at IS NULL
    AND p.status='published' AND p.name COLLATE NOCASE IN (SELECT value FROM json_each(?2))
  UNION SELECT e.title FROM entries e WHERE e.env_id=?1 AND e.id<>?3 AND e.deleted_at IS NULL
    AND e.status='published' AND e.title COLLATE NOCASE IN (SELECT value FROM json_each(?2))
  UNION SELECT c.data->>'title' FROM contents c JOIN pages p ON p.id=c.owner_id
    WHERE c.env_id=?1 AND c.owner_type='page' AND p.id<>?3 AND p.deleted_at IS NULL AND p.status='published'
      AND (c.data->>'title') COLLATE NOCASE IN (SELECT value FROM json_each(?2))`;

/**
 * What the publish checks need to know around one document. `becoming` names targets (`page:<id>`) that the same call
 * makes public; `linked` ones that it links to, both of which the database does not know yet.
 */
export async function loadCheckFacts(
  services: CmsServices,
  environment: Environment,
  document: PublishedDocument,
  known?: Schemas,
  becoming: ReadonlySet<string> = new Set(),
  linkedToo: readonly string[] = [],
): Promise<CheckFacts> {
  const schemas = known ?? (await loadSchemas(services));
  const wanted = wantedInDocument(document, schemas);
  const ids = (image: boolean) =>
    JSON.stringify([
      ...new Set(wanted.filter((one) => (one.type === "image") === image).map((one) => one.ref)),
    ]);
  const [targets = [], images = [], linked = [], titles = []] = await batchOf(services, [
    [TARGETS, services.env, ids(false)],
    [IMAGES, services.env, ids(true)],
    [LINKED, services.env, document.id],
    [SAME_TITLE, services.env, JSON.stringify(titlesOf(document)), document.id],
  ]);
  return {
    environment,
    ...schemas,
    images: new Map(images.map(imageOf).map((one) => [one.id, one])),
    targets: new Map(
      targets.map((row) => targetOf(row, becoming)).map((one) => [`${one.type}:${one.id}`, one]),
    ),
    linked: new Set([
      ...linked.map((row) => `${text(row, "target_type")}:${text(row, "target_id")}`),
      ...linkedToo,
    ]),
    otherTitles: new Set(titles.map((row) => text(row, "title").toLowerCase())),
  };
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
