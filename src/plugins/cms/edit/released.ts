import { batchOf } from "../storage/rows.ts";
import { text } from "../model/columns.ts";
import type { CmsServices } from "../model/types.ts";

/** Images that only these owners or roots (ids) use: once they go, the images are used nowhere. */
export async function releasedImages(
  services: CmsServices,
  ids: readonly string[],
): Promise<{ id: string; filename: string }[]> {
  const own = new Set(ids);
  const list = JSON.stringify(ids);
  // By owner and by root: each has its own index, which begins with the type.
  const shown = await batchOf(
    services,
    ["owner", "root"].map(
      (end) =>
        [
          `SELECT r.target_id FROM asset_refs r WHERE r.${end}_type IN ('page','section','entry','nav_item','setting')
            AND r.${end}_id IN (SELECT value FROM json_each(?2)) AND +r.target_type='image' AND +r.env_id=?1`,
          services.env,
          list,
        ] as const,
    ),
  );
  const images = JSON.stringify([...new Set(shown.flat().map((row) => text(row, "target_id")))]);
  const [uses = [], rows = []] = await batchOf(services, [
    [
      `SELECT DISTINCT target_id, owner_id, root_id FROM asset_refs
        WHERE target_type='image' AND target_id IN (SELECT value FROM json_each(?1))`,
      images,
    ],
    [
      `SELECT id, filename FROM images WHERE deleted_at IS NULL AND id IN (SELECT value FROM json_each(?1))
        ORDER BY filename, id`,
      images,
    ],
  ]);
  const kept = new Set(
    uses.flatMap((row) =>
      own.has(text(row, "owner_id")) || own.has(text(row, "root_id")) ? [] : [text(row, "target_id")],
    ),
  );
  return rows
    .filter((row) => !kept.has(text(row, "id")))
    .map((row) => ({ id: text(row, "id"), filename: text(row, "filename") }));
}
