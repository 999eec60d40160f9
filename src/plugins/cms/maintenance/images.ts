import { startOf } from "../../../cairn/core/text/cut.ts";
import * as z from "zod";
import { complaintOf, createRedactor } from "../../../cairn/core/text/redact.ts";
import { removeHidden } from "../../../cairn/core/text/untrusted.ts";
import { logError } from "../../../cairn/operator-log.ts";
import { originalKey } from "../media/library.ts";
import { readPicture } from "../media/picture.ts";
import type { Picture } from "../../../cairn/uploads/picture-reader.ts";
import type { CmsServices, Image } from "../model/types.ts";
import { projectionStatements } from "../storage/commit.ts";
import { SEEN_ENVIRONMENTS } from "../storage/environments.ts";
import { loadKnownImages, projectImage, type ImageMetadata } from "../storage/images.ts";
import { loadEnvironment } from "../storage/load.ts";
import { rowsOf } from "../storage/rows.ts";
import { number, text } from "../model/columns.ts";
import { makeVariants } from "./variants.ts";
import { describeFilename } from "./filenames.ts";

/**
 * Derived data of an image after its upload: smaller renditions, a description, tags, an alternative text. Owns: the
 * pass that a cron trigger starts. Invariants: one pass at a time works on an image (a lease); at most three
 * attempts, each later than the one before; a text by a person or a stock provider is never changed.
 */

const IMAGES_PER_PASS_MAX = 20;
const ATTEMPTS_MAX = 3;
/** longer than one image takes; after it another pass may try */
const LEASE_MS = 120_000;
const BACKOFF_MS = 300_000;
const ALT_CHARS_MAX = 125;
const ERROR_CHARS_MAX = 300;

/** A model's description of an image; text that it reads in the image is from outside. */
const visible = z.string().transform(removeHidden);
const seenSchema = z.object({
  description: visible.pipe(z.string().max(2_000)),
  alt: visible.pipe(z.string().trim().max(ALT_CHARS_MAX)),
  tags: z.array(visible.pipe(z.string().trim().min(1).max(40))).max(10),
  objects: z.array(visible.pipe(z.string().max(80))).max(40),
  colors: z.array(visible.pipe(z.string().max(40))).max(20),
});

/** A vision model: one call for each image. Its response is parsed, never trusted. */
export interface Vision {
  readonly model: string;
  look(picture: Picture & { readonly filename: string }): Promise<unknown>;
}

export interface ImageWork {
  readonly db: D1Database;
  /** null without a bucket: then there are no images */
  readonly media: R2Bucket | null;
  /** null without the binding: only the original is served */
  readonly images: ImagesBinding | null;
  /** null without a model that can see */
  readonly see: Vision | null;
}

/**
 * Works on the images that wait at `now`, oldest first, in every environment. Returns how many were finished. `clock` is read at each image, because
 * a pass takes minutes: a lease that was counted from its start would end before its last images are reached.
 */
export async function maintainImages(
  work: ImageWork,
  now: number,
  clock: () => number = () => now,
): Promise<number> {
  const { db, media } = work;
  if (media === null) return 0;
  const rows = await rowsOf(
    { db },
    `SELECT m.image_id, m.attempts, i.env_id FROM image_metadata m JOIN images i ON i.id=m.image_id
      WHERE m.status='pending' AND (m.lease_until IS NULL OR m.lease_until<=?1) AND i.deleted_at IS NULL
        AND +i.env_id IN ${SEEN_ENVIRONMENTS}
      ORDER BY i.created_at, i.id LIMIT ${IMAGES_PER_PASS_MAX}`,
    now,
  );
  let finished = 0;
  for (const row of rows) {
    const services: CmsServices = { db, media, env: text(row, "env_id"), actor: "system:images" };
    const [id, attempts] = [text(row, "image_id"), number(row, "attempts") + 1];
    try {
      if (!(await lease(services, id, attempts, clock()))) continue;
      // The worker died in each of the attempts before this one.
      if (attempts > ATTEMPTS_MAX) throw new Error("the work was interrupted each time");
      await findOut(work, media, services, id, clock);
      finished += 1;
    } catch (error) {
      const why = complaintOf(error, createRedactor([]));
      logError("nothing found out about an image", id, why);
      await giveBack(services, id, attempts, why, clock());
    }
  }
  return finished;
}

/** True for the one pass that may work on it. */
async function lease(services: CmsServices, id: string, attempts: number, now: number): Promise<boolean> {
  const taken = await rowsOf(
    services,
    `UPDATE image_metadata SET lease_until=?2, attempts=?3
      WHERE image_id=?1 AND status='pending' AND attempts=?3-1 AND (lease_until IS NULL OR lease_until<=?4)
      RETURNING image_id`,
    id,
    now + LEASE_MS,
    attempts,
    now,
  );
  return taken.length === 1;
}

async function giveBack(
  services: CmsServices,
  id: string,
  attempts: number,
  why: string,
  now: number,
): Promise<void> {
  await rowsOf(
    services,
    // The lease that this attempt took: a later attempt has its own.
    "UPDATE image_metadata SET status=?2, lease_until=?3, error=?4 WHERE image_id=?1 AND status='pending' AND attempts=?5",
    id,
    attempts >= ATTEMPTS_MAX ? "failed" : "pending",
    now + attempts * BACKOFF_MS,
    startOf(why, ERROR_CHARS_MAX),
    attempts,
  ).catch((error: unknown) => {
    // The lease expires by itself, and the next image does not wait.
    logError("an image was not given back", id, complaintOf(error, createRedactor([])));
  });
}

async function findOut(
  { images, see }: ImageWork,
  media: R2Bucket,
  services: CmsServices,
  id: string,
  clock: () => number,
): Promise<void> {
  const [known] = await loadKnownImages(services, [id]);
  if (known === undefined) return;
  const { image } = known;
  const object = await media.get(originalKey(services.env, image));
  if (object === null) throw new Error("its bytes are not in the bucket");
  const bytes = await object.arrayBuffer();
  if (images !== null) await makeVariants({ db: services.db, media, images }, services.env, image, bytes);
  const picture = see === null ? null : await readPicture({ db: services.db, media }, id);
  if (see === null || picture === null) {
    const words = describeFilename(image.filename);
    return write(services, image, { ...words, alt: "", detail: {}, status: "skipped", model: null }, clock());
  }
  const { objects, colors, ...seen } = seenSchema.parse(
    await see.look({ ...picture, filename: image.filename }),
  );
  const detail = { objects, colors };
  // A model call takes seconds: a person may have described or deleted the image meanwhile, and search must be
  // current.
  const [after] = await loadKnownImages(services, [id]);
  if (after === undefined) return;
  return write(services, after.image, { ...seen, detail, status: "done", model: see.model }, clock());
}

interface Finding extends ImageMetadata {
  readonly alt: string;
  readonly detail: object;
  readonly status: "done" | "skipped";
  readonly model: string | null;
}

/** The finding, and what search knows of it, in one batch. */
async function write(services: CmsServices, image: Image, found: Finding, now: number): Promise<void> {
  const { db, env } = services;
  const { description, tags, alt, detail, status, model } = found;
  const { defaultLocale } = await loadEnvironment(services);
  const source = status === "done" ? ("model" as const) : ("filename" as const);
  const text = status === "done" ? alt : startOf(description, ALT_CHARS_MAX);
  const isOpen = image.altSource === "none" && image.alt === "" && text !== "";
  const shown: Image = isOpen ? { ...image, alt: text, altSource: source } : image;
  await db.batch([
    db
      .prepare(
        `UPDATE image_metadata SET status=?2, description=?3, tags=?4, detail=?5, model=?6, lease_until=NULL, error=NULL,
           generated_at=?7 WHERE image_id=?1`,
      )
      .bind(image.id, status, description, JSON.stringify(tags), JSON.stringify(detail), model, now),
    // A person may have written one meanwhile.
    ...(isOpen
      ? [
          db
            .prepare(
              `UPDATE images SET alt=?2, alt_source=?3, version=version+1, updated_at=?4
                WHERE id=?1 AND version=?5 AND alt_source='none' AND alt=''`,
            )
            .bind(image.id, text, source, now, image.version),
        ]
      : []),
    ...projectionStatements(services, projectImage(shown, { description, tags }, defaultLocale), now),
    db.prepare("UPDATE environments SET epoch=epoch+1 WHERE id=?1").bind(env),
  ]);
}
