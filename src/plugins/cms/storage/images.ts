import { ownValue } from "../../../cairn/core/log/json.ts";
import * as z from "zod";
import type { CmsServices, Image, Projection } from "../model/types.ts";
import { NO_PROJECTION } from "./projections.ts";
import { batchOf } from "./rows.ts";
import { contentsByOwner, text, type Row } from "../model/columns.ts";
import { imageOf } from "../model/tables.ts";

/** Images of the library as rows with what is known about them. */

/** An image's metadata by a model, or from its file name. */
export interface ImageMetadata {
  readonly description: string;
  readonly tags: readonly string[];
}

const NOTHING_KNOWN: ImageMetadata = { description: "", tags: [] };
const tagsSchema = z.array(z.string());

/** The tags that a person gave, else those of the metadata. */
export const tagsOf = (image: Pick<Image, "tags">, metadata: ImageMetadata): readonly string[] =>
  image.tags === null ? metadata.tags : tagsSchema.parse(JSON.parse(image.tags));

export interface KnownImage {
  readonly image: Image;
  readonly metadata: ImageMetadata;
}

const KNOWN =
  "SELECT i.*, m.description, m.tags AS found FROM images i LEFT JOIN image_metadata m ON m.image_id=i.id";

/** Live images by id, in the order of the ids; what is not found is absent. */
export function loadKnownImages(services: CmsServices, ids: readonly string[]): Promise<KnownImage[]> {
  return known(
    services,
    `${KNOWN} WHERE +i.env_id=?1 AND i.deleted_at IS NULL
    AND i.id IN (SELECT value FROM json_each(?2))`,
    ids,
  );
}

/** As above, deleted ones too. */
export function loadMetadata(services: CmsServices, ids: readonly string[]): Promise<KnownImage[]> {
  return known(services, `${KNOWN} WHERE +i.env_id=?1 AND i.id IN (SELECT value FROM json_each(?2))`, ids);
}

async function known(services: CmsServices, sql: string, ids: readonly string[]): Promise<KnownImage[]> {
  if (ids.length === 0) return [];
  const set = JSON.stringify(ids);
  const [rows = [], contents = []] = await batchOf(services, [
    [sql, services.env, set],
    [
      "SELECT * FROM contents WHERE owner_type='image' AND owner_id IN (SELECT value FROM json_each(?1))",
      set,
    ],
  ]);
  const texts = contentsByOwner(contents);
  const byId = new Map(
    rows.map((row) => {
      const id = text(row, "id");
      return [id, { image: imageOf(row, texts.get(`image:${id}`)), metadata: metadataOf(row) }] as const;
    }),
  );
  return ids.flatMap((id) => byId.get(id) ?? []);
}

function metadataOf(row: Row): ImageMetadata {
  if (row["found"] === null) return NOTHING_KNOWN;
  return { description: text(row, "description"), tags: tagsSchema.parse(JSON.parse(text(row, "found"))) };
}

/** The live image of these bytes or of this place elsewhere, or null. */
export async function findImage(
  services: CmsServices,
  by: { readonly sha256?: string; readonly sourceRef?: string },
): Promise<Image | null> {
  const [row] = (
    await services.db
      .prepare(
        `SELECT * FROM images WHERE env_id=?1 AND sha256=?2 AND deleted_at IS NULL
         UNION ALL SELECT * FROM images WHERE env_id=?1 AND source_ref=?3 AND deleted_at IS NULL LIMIT 1`,
      )
      .bind(services.env, by.sha256 ?? "", by.sourceRef ?? "")
      .all<Row>()
  ).results;
  return row === undefined ? null : imageOf(row);
}

/** How an image is found by words. A deleted one leaves nothing. */
export function projectImage(image: Image, metadata: ImageMetadata, defaultLocale: string): Projection {
  const cleared = { ...NO_PROJECTION, clearDocuments: [{ kind: "image" as const, id: image.id }] };
  if (image.deletedAt !== null) return cleared;
  const locales = [...new Set([defaultLocale, ...Object.keys(image.texts)])];
  return {
    ...cleared,
    documents: locales.map((locale) => {
      const { alt = image.alt, caption = image.caption } = ownValue(image.texts, locale) ?? {};
      const words = [metadata.description, tagsOf(image, metadata).join(" "), caption];
      return {
        kind: "image" as const,
        refId: image.id,
        locale,
        status: "published",
        slug: "",
        parentId: null,
        title: typeof alt === "string" && alt !== "" ? alt : image.filename,
        body: words.flatMap((one) => (typeof one === "string" && one !== "" ? [one] : [])).join("\n"),
      };
    }),
  };
}
