import { rowsOf } from "../storage/load.ts";
import { text } from "../storage/rows.ts";
import type { CmsServices } from "../model/types.ts";

/** Images that only these owners or roots (ids) use: once they go, the images are used nowhere. */
export async function releasedImages(
  services: CmsServices,
  ids: readonly string[],
): Promise<{ id: string; filename: string }[]> {
  const rows = await rowsOf(
    services,
    `SELECT DISTINCT i.id, i.filename FROM asset_refs r JOIN images i ON i.id=r.target_id AND i.deleted_at IS NULL
      WHERE r.env_id=?1 AND r.target_type='image'
        AND (r.owner_id IN (SELECT value FROM json_each(?2)) OR r.root_id IN (SELECT value FROM json_each(?2)))
        AND NOT EXISTS (SELECT 1 FROM asset_refs o WHERE o.target_type='image' AND o.target_id=r.target_id
          AND o.owner_id NOT IN (SELECT value FROM json_each(?2))
          AND o.root_id NOT IN (SELECT value FROM json_each(?2)))
      ORDER BY i.filename, i.id`,
    services.env,
    JSON.stringify(ids),
  );
  return rows.map((row) => ({ id: text(row, "id"), filename: text(row, "filename") }));
}
