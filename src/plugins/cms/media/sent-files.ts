import type { PromptPart } from "../../../cairn/core/log/model.ts";
import type { Targets } from "../../../cairn/core/log/targets.ts";
import type { PictureReader } from "../../../cairn/uploads/picture-reader.ts";
import { OWN_ENVIRONMENT } from "../model/environment.ts";
import { environmentIn } from "../model/target.ts";
import { rowsOf } from "../storage/rows.ts";
import { numberOrNull, text } from "../model/columns.ts";

/** The library's facts about images that a message names by their `/media/` path. */

const MEDIA_PATH = /^\/media\/([0-9a-f]{64})\//;

/** The first half of `PictureReader`. */
export function sentFiles(db: D1Database): Pick<PictureReader, "identify"> {
  return {
    async identify(
      parts: readonly PromptPart[],
      targets: Targets,
      failed: (error: unknown) => void,
    ): Promise<readonly PromptPart[]> {
      const digests = parts.flatMap((part) => digestIn(part) ?? []);
      if (digests.length === 0) return parts;
      try {
        const known = await imagesOf(db, environmentIn(targets) ?? OWN_ENVIRONMENT, digests);
        return parts.map((part) => ({ ...part, ...known.get(digestIn(part) ?? "") }));
      } catch (error) {
        failed(error);
        return parts;
      }
    },
  };
}

const digestIn = (part: PromptPart): string | null =>
  part.type === "file" ? (MEDIA_PATH.exec(part.url)?.[1] ?? null) : null;

/** The parts' facts about images, by digest. */
async function imagesOf(db: D1Database, environment: string, digests: readonly string[]) {
  const rows = await rowsOf(
    { db },
    `SELECT id, sha256, filename, media_type, width, height FROM images
      WHERE env_id=?1 AND sha256 IN (SELECT value FROM json_each(?2)) AND deleted_at IS NULL`,
    environment,
    JSON.stringify(digests),
  );
  return new Map(
    rows.map((row) => {
      const [width, height] = [numberOrNull(row, "width"), numberOrNull(row, "height")];
      const image = { id: text(row, "id"), name: text(row, "filename"), width, height };
      return [text(row, "sha256"), { mediaType: text(row, "media_type"), image }] as const;
    }),
  );
}
