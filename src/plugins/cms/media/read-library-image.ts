import * as z from "zod";
import { imagePath } from "../edit/read-shape.ts";
import { fail } from "../model/errors.ts";
import type { CmsServices } from "../model/types.ts";
import { loadInbound } from "../storage/load.ts";
import { loadKnownImages, tagsOf } from "../storage/images.ts";
import { rowsOf } from "../storage/rows.ts";
import { oneOf, textOrNull } from "../model/columns.ts";

const attributionSchema = z.record(z.string(), z.string());

/** One image with all that is known of it: its row, what a model found out, and where it is used. */
export async function readLibraryImage(services: CmsServices, id: string) {
  const [known] = await loadKnownImages(services, [id]);
  if (known === undefined)
    throw fail("not_found", `There is no image “${id}”.`, { hint: "image_search lists the images." });
  const { image, metadata } = known;
  const [state, inbound] = await Promise.all([
    rowsOf(services, "SELECT status, error FROM image_metadata WHERE image_id=?1", id),
    loadInbound(services, [id]),
  ]);
  const [row] = state;
  const { filename, mediaType, byteSize, width, height, alt, altSource, caption, origin, version } = image;
  return {
    id,
    filename,
    url: imagePath(image),
    mediaType,
    byteSize,
    width,
    height,
    alt,
    altSource,
    caption,
    tags: [...tagsOf(image, metadata)],
    origin,
    attribution: image.attribution === null ? null : attributionSchema.parse(JSON.parse(image.attribution)),
    version,
    createdAt: new Date(image.createdAt).toISOString(),
    metadata: {
      status:
        row === undefined
          ? ("pending" as const)
          : oneOf(row, "status", ["pending", "done", "failed", "skipped"]),
      description: metadata.description,
      error: row === undefined ? null : textOrNull(row, "error"),
    },
    usages: inbound.map((use) => ({
      ownerType: use.ownerType,
      // A setting is stored under `environment/key`.
      ownerId: use.ownerType === "setting" ? use.ownerId.slice(use.ownerId.indexOf("/") + 1) : use.ownerId,
      ownerName: use.rootName,
      field: use.path,
      locale: use.locale,
      state: use.state,
    })),
  };
}
