import type { CmsServices } from "../model/types.ts";
import { inOrder } from "../model/columns.ts";
import { readAsset, type Sample, type SeedBytes, type SeedImage } from "./sample.ts";

/**
 * Rows that must exist before any content: the site, its locales, templates and collection, and the images with their
 * bytes.
 */

function originalKey(env: string, { file }: SeedImage): string {
  return `media/${env}/${file.sha256}/orig.${file.ext}`;
}

function variantKey(env: string, { file }: SeedImage, width: number, format: string): string {
  return `media/${env}/${file.sha256}/w${width}.${format}`;
}

/** Services of the seed besides those of the pack: the static files of the deployment. */
export interface SeedServices extends CmsServices {
  readonly assets: Pick<Fetcher, "fetch">;
}

/** Puts the bytes of the images, where there is a bucket for them. Keys name the content, so a second run writes the same bytes to the same places. */
export async function putImages({ media, env, assets }: SeedServices, { images }: Sample): Promise<void> {
  if (media === null) return;
  await Promise.all(
    images.flatMap((image) => {
      const { file } = image;
      const httpMetadata = { contentType: file.mediaType };
      // R2 refuses bytes that are not those of the digest.
      const put = async (key: string, one: SeedBytes): Promise<unknown> =>
        media.put(key, await (await readAsset(assets, one.asset)).arrayBuffer(), {
          sha256: one.sha256,
          httpMetadata,
        });
      return [
        put(originalKey(env, image), file),
        ...file.variants.map((one) => put(variantKey(env, image, one.width, one.format), one)),
      ];
    }),
  );
}

/** The rows that no tool writes. Each statement takes its rows as one JSON value, and leaves what is there alone. */
export function seedStatements({ db, env }: CmsServices, sample: Sample, at: number): D1PreparedStatement[] {
  const insert = (table: string, rows: readonly Readonly<Record<string, unknown>>[]) => {
    const columns = Object.keys(rows[0] ?? {});
    const values = columns.map((one) => `value->>'${one}'`);
    const sql = `INSERT INTO ${table}(${columns.join(",")}) SELECT ${values.join(",")} FROM json_each(?1)
      WHERE true ON CONFLICT DO NOTHING`;
    return db.prepare(sql).bind(JSON.stringify(rows));
  };
  const times = { created_at: at, updated_at: at };
  const { id: site, name, environment } = sample.site;
  const { id, slug, name: blog, description, fields, sort, version } = sample.blog;
  return [
    insert("sites", [{ id: site, name, default_env_id: env, ...times }]),
    insert("environments", [{ id: env, site_id: site, name: environment }]),
    insert(
      "locales",
      sample.locales.map((one) => ({
        env_id: env,
        code: one.code,
        name: one.name,
        fallback: one.fallback,
        is_default: one.isDefault ? 1 : 0,
      })),
    ),
    insert(
      "section_templates",
      sample.templates.map((one) => ({ ...one })),
    ),
    insert("collections", [
      {
        id,
        env_id: env,
        slug,
        name: blog,
        description,
        fields: inOrder(fields),
        sort,
        version,
        updated_at: at,
      },
    ]),
    insert(
      "images",
      sample.images.map(({ id: image, file, alt, caption }) => ({
        id: image,
        env_id: env,
        sha256: file.sha256,
        filename: file.filename,
        media_type: file.mediaType,
        ext: file.ext,
        byte_size: file.byteSize,
        width: file.width,
        height: file.height,
        alt,
        alt_source: "human",
        caption,
        origin: "seed",
        ...times,
      })),
    ),
    insert(
      "image_metadata",
      sample.images.map((one) => ({
        image_id: one.id,
        status: "done",
        description: one.description,
        tags: one.tags,
        detail: { objects: one.tags, colors: one.colors },
        generated_at: at,
      })),
    ),
    insert(
      "image_variants",
      sample.images.flatMap((one) =>
        one.file.variants.map(({ width, height, format, byteSize }) => ({
          image_id: one.id,
          width,
          format,
          height,
          byte_size: byteSize,
          r2_key: variantKey(env, one, width, format),
        })),
      ),
    ),
    // The key that draft links are signed with. Made by the database, so that it is in no log and in no test.
    db.prepare(
      "INSERT INTO secrets(name,value) VALUES('preview',lower(hex(randomblob(32)))) ON CONFLICT DO NOTHING",
    ),
  ];
}
