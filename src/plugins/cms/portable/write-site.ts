import { hasTooManyValues } from "../../../cairn/core/log/json-values.ts";
import { readJson } from "../../../cairn/core/log/json.ts";
import { entryFields } from "../entries/entry-plan.ts";
import type { Field } from "../model/document.ts";
import type {
  Change,
  CmsServices,
  Collection,
  Projection,
  SearchDocument,
  Template,
} from "../model/types.ts";
import { boundJson, changeStatements } from "../storage/changes.ts";
import { projectionStatements } from "../storage/commit.ts";
import { projectImage } from "../storage/images.ts";
import { loadCollections, loadTemplates } from "../storage/load.ts";
import {
  mergeProjections,
  NO_PROJECTION,
  projectEntry,
  projectNav,
  projectPage,
  projectPublished,
  projectSetting,
} from "../storage/projections.ts";
import { rowsOf } from "../storage/rows.ts";
import { text } from "../model/columns.ts";
import { Damaged, marked, withoutMarks, type Shapes } from "./marks.ts";
import { IMAGE_TYPES, recordSchema, type RecordOf, type SiteRecord } from "./records.ts";

/**
 * The records of a member as statements: the rows that the tools write, made by the same functions, into an invisible
 * environment.
 */

/** Context for reading records: the already imported part of their site. */
export interface ImportContext extends Shapes {
  readonly templates: ReadonlyMap<string, Template>;
  /** by the id in the environment */
  readonly written: ReadonlyMap<string, Collection>;
  /** null before it is written */
  readonly defaultLocale: string | null;
}

/** bytes of one value that is bound, below what D1 takes */
const CHUNK_BYTES = 1_000_000;

export async function loadImportContext(services: CmsServices, target: string): Promise<ImportContext> {
  const [templates, written, locales] = await Promise.all([
    loadTemplates(services),
    loadCollections(services),
    rowsOf(services, "SELECT code FROM locales WHERE env_id=?1 AND is_default=1", services.env),
  ]);
  const fields = [...written.values()].map((one): [string, readonly Field[]] => [
    withoutMarks(one.id, target),
    entryFields(one),
  ]);
  return {
    templates,
    written,
    collections: new Map(fields),
    defaultLocale: locales[0] === undefined ? null : text(locales[0], "code"),
  };
}

/** values in the lines of one member; an export has at most a few ten thousand */
const VALUES_MAX = 300_000;

/** The lines of a member. Throws Damaged, with the line, for one that is no record, and for lines of more than VALUES_MAX values. */
export function recordsIn(lines: string): SiteRecord[] {
  if (lines !== "" && !lines.endsWith("\n")) throw new Damaged("the last line has no end");
  if (hasTooManyValues(lines, VALUES_MAX)) throw new Damaged(`it has more than ${VALUES_MAX} values`);
  const records: SiteRecord[] = [];
  for (let at = 0; at < lines.length;) {
    const end = lines.indexOf("\n", at);
    const parsed = recordSchema.safeParse(jsonIn(lines.slice(at, end)));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const path = issue?.path.join(".") ?? "";
      throw new Damaged(
        `line ${records.length + 1} is not one of a site${path === "" ? "" : `, at ${path}`}`,
      );
    }
    records.push(parsed.data);
    at = end + 1;
  }
  return records;
}

const jsonIn = (line: string): unknown => readJson(line, VALUES_MAX) ?? null;

/** Statements that write the records of one member. */
export interface Writing {
  readonly statements: readonly D1PreparedStatement[];
  /** the ids that rows of these tables will have */
  readonly ids: ReadonlyMap<IdTable, readonly string[]>;
}
export type IdTable = "pages" | "sections" | "entries" | "images" | "nav_items" | "collections";

/** Writes records of one member. `services.env` is the environment that is written, `target` the one that it will be. */
export function writingOf(
  services: CmsServices,
  target: string,
  given: readonly SiteRecord[],
  context: ImportContext,
  at: number,
): Writing {
  const records = given.map((one) => marked(one, target, context));
  const of = <Type extends SiteRecord["type"]>(type: Type): RecordOf<Type>[] =>
    records.filter((one): one is RecordOf<Type> => one.type === type);
  const locales = of("locale").map((one) => one.locale);
  const defaultLocale = context.defaultLocale ?? locales.find((one) => one.isDefault)?.code;
  if (defaultLocale === undefined) throw new Damaged("The file has no default locale.");
  const collections = of("collection").map((one) => one.collection);
  const images = of("image");
  for (const { image } of images)
    if (IMAGE_TYPES[image.mediaType] !== image.ext) throw new Damaged(`The image ${image.id} has two types.`);

  const changes: Change[] = [
    ...locales.map((after): Change => ({ type: "locale", before: null, after })),
    ...collections.map((after): Change => ({ type: "collection", before: null, after })),
    ...images.map(({ image }): Change => ({ type: "image", before: null, after: image })),
    ...of("page").flatMap(({ page, sections }): Change[] => [
      { type: "page", before: null, after: page },
      ...sections.map((after): Change => ({ type: "section", before: null, after })),
    ]),
    ...of("entry").map(({ entry }): Change => ({ type: "entry", before: null, after: entry })),
    ...of("navigation").map(({ item }): Change => ({ type: "nav_item", before: null, after: item })),
    ...of("setting").map(({ setting }): Change => ({ type: "setting", before: null, after: setting })),
    ...of("published").map(({ published }): Change => ({
      type: "published",
      before: null,
      after: published,
    })),
    ...of("redirect").map(({ redirect }): Change => ({ type: "redirect", before: null, after: redirect })),
  ];
  const { templates, written } = context;
  const projection = mergeProjections(
    ...images.map(({ image, metadata }) =>
      projectImage(image, metadata ?? { description: "", tags: [] }, defaultLocale),
    ),
    ...of("page").map((one) => projectPage(one, templates, defaultLocale)),
    ...of("entry").map(({ entry }) =>
      projectEntry(entry, collectionIn(written, entry.collectionId), defaultLocale),
    ),
    projectNav(of("navigation").map(({ item }) => item)),
    ...of("setting").map(({ setting }) => projectSetting(setting, services.env)),
    ...of("published").map(({ published: { ownerType, ownerId, document } }) =>
      projectPublished({ type: ownerType, id: ownerId }, document, templates, written),
    ),
    // Rows that a new site brings along have its languages.
    ...(locales.length === 0
      ? []
      : [{ ...NO_PROJECTION, documents: libraryDocuments(templates, collections, defaultLocale) }]),
  );
  const statements = [
    ...chunks(changes).flatMap((some) => changeStatements(services, some, at)),
    ...metadataStatements(services, target, images),
    ...piecesOf(projection).flatMap((some) => projectionStatements(services, some, at)),
  ];
  return { statements, ids: idsOf(records) };
}

function idsOf(records: readonly SiteRecord[]): Map<IdTable, string[]> {
  const ids = new Map<IdTable, string[]>();
  const has = (table: IdTable, ...some: readonly string[]): void => {
    ids.set(table, [...(ids.get(table) ?? []), ...some]);
  };
  for (const one of records) {
    if (one.type === "collection") has("collections", one.collection.id);
    else if (one.type === "image") has("images", one.image.id);
    else if (one.type === "entry") has("entries", one.entry.id);
    else if (one.type === "navigation") has("nav_items", one.item.id);
    else if (one.type === "published")
      has(one.published.ownerType === "page" ? "pages" : "entries", one.published.ownerId);
    else if (one.type === "page") {
      has("pages", one.page.id);
      has("sections", ...one.sections.map((section) => section.id));
    }
  }
  return ids;
}

function collectionIn(written: ReadonlyMap<string, Collection>, id: string): Collection {
  const found = written.get(id);
  if (found === undefined) throw new Damaged("An entry is of no collection of the file.");
  return found;
}

/** In parts that a bound value can hold; nothing is cleared, because nothing is there. */
function piecesOf({ refs, documents }: Projection): Projection[] {
  return [
    ...chunks(refs).map((some) => ({ ...NO_PROJECTION, refs: some })),
    ...chunks(documents).map((some) => ({ ...NO_PROJECTION, documents: some })),
  ];
}

function chunks<T>(things: readonly T[]): T[][] {
  const parts: T[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const one of things) {
    // UTF-8 has at most three bytes for each of its UTF-16 units.
    const bytes = JSON.stringify(one).length * 3;
    if (size + bytes > CHUNK_BYTES) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(one);
    size += bytes;
  }
  return parts;
}

function insert(
  { db }: CmsServices,
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
  conflict = "",
): D1PreparedStatement[] {
  const [first] = rows;
  if (first === undefined) return [];
  const columns = Object.keys(first);
  const values = columns.map((one) => `value->>'${one}'`).join(",");
  const sql = `INSERT INTO ${table}(${columns.join(",")}) SELECT ${values} FROM json_each(?1) WHERE true ${conflict}`;
  return [db.prepare(sql).bind(boundJson(rows))];
}

/** Metadata and renditions of images. Written after the images, which the rows refer to. */
function metadataStatements(
  services: CmsServices,
  target: string,
  images: readonly RecordOf<"image">[],
): D1PreparedStatement[] {
  const known = images.flatMap(({ image, metadata }) =>
    metadata === null
      ? []
      : [
          {
            image_id: image.id,
            status: metadata.status,
            description: metadata.description,
            tags: metadata.tags,
            detail: metadata.detail,
            model: metadata.model,
            generated_at: metadata.generatedAt,
          },
        ],
  );
  const renditions = images.flatMap(({ image, variants }) =>
    variants.map(({ width, format, height, byteSize }) => ({
      image_id: image.id,
      width,
      format,
      height,
      byte_size: byteSize,
      r2_key: `media/${target}/${image.sha256}/w${width}.${format}`,
    })),
  );
  const updates = ["status", "description", "tags", "detail", "model", "generated_at"];
  const conflict = `ON CONFLICT(image_id) DO UPDATE SET ${updates.map((one) => `${one}=excluded.${one}`).join(",")}`;
  return [
    ...insert(services, "image_metadata", known, conflict),
    ...insert(services, "image_variants", renditions),
  ];
}

function libraryDocuments(
  templates: ReadonlyMap<string, Template>,
  collections: readonly RecordOf<"collection">["collection"][],
  locale: string,
): SearchDocument[] {
  const rest = { locale, status: "published", parentId: null } as const;
  const labels = (fields: readonly Field[]) => fields.map((one) => one.label).join(", ");
  return [
    ...[...templates.values()].map((one): SearchDocument => {
      const body = `${one.description}\n${labels(one.fields)}`;
      return { kind: "template", refId: one.key, title: one.name, slug: "", body, ...rest };
    }),
    ...collections.map(({ id, name, slug, description, fields }): SearchDocument => {
      const body = `${description}\n${labels(fields)}`;
      return { kind: "collection", refId: id, title: name, slug, body, ...rest };
    }),
  ];
}
