import type { CmsServices } from "../model/types.ts";
import { number, type Row } from "../model/columns.ts";

/** Counts of a site, and a check that it is unchanged. */

/** Counts of a site: the manifest has them, and an import is checked against them. */
export async function countSite({ db }: CmsServices, env: string) {
  const row = await db
    .prepare(
      `SELECT (SELECT count(*) FROM locales WHERE env_id=?1) AS locales,
        (SELECT count(*) FROM settings WHERE env_id=?1) AS settings,
        (SELECT count(*) FROM collections WHERE env_id=?1 AND deleted_at IS NULL) AS collections,
        (SELECT count(*) FROM images WHERE env_id=?1 AND deleted_at IS NULL) AS images,
        (SELECT count(*) FROM pages WHERE env_id=?1 AND deleted_at IS NULL) AS pages,
        (SELECT count(*) FROM pages p JOIN sections s ON s.page_id=p.id
          WHERE p.env_id=?1 AND p.deleted_at IS NULL AND s.deleted_at IS NULL) AS sections,
        (SELECT count(*) FROM entries WHERE env_id=?1 AND deleted_at IS NULL) AS entries,
        (SELECT count(*) FROM nav_items WHERE env_id=?1 AND deleted_at IS NULL) AS navigation,
        (SELECT count(*) FROM redirects WHERE env_id=?1) AS redirects,
        (SELECT count(*) FROM published_docs WHERE env_id=?1) AS published`,
    )
    .bind(env)
    .first<Row>();
  const of = (name: string): number => number(row ?? {}, name);
  return {
    locales: of("locales"),
    settings: of("settings"),
    collections: of("collections"),
    images: of("images"),
    pages: of("pages"),
    sections: of("sections"),
    entries: of("entries"),
    navigation: of("navigation"),
    redirects: of("redirects"),
    published: of("published"),
  };
}

/** The site as it is now, in a word: its epoch, and the last operation of the deployment. */
export async function stateOfSite({ db, env }: CmsServices): Promise<string> {
  const row = await db
    .prepare(
      "SELECT epoch, (SELECT coalesce(max(rowid),0) FROM operations) AS last FROM environments WHERE id=?1",
    )
    .bind(env)
    .first<Row>();
  return row === null ? "none" : `${number(row, "epoch")}.${number(row, "last")}`;
}

/** True if nobody has written to the site since it was in this state. Only later writes are read. */
export async function isInState({ db, env }: CmsServices, state: string): Promise<boolean> {
  const [, epoch, last] = /^(\d{1,15})\.(\d{1,15})$/.exec(state) ?? [];
  if (epoch === undefined || last === undefined) return false;
  const row = await db
    .prepare(
      `SELECT 1 FROM environments WHERE id=?1 AND epoch=?2
        AND NOT EXISTS(SELECT 1 FROM operations WHERE rowid>?3 AND +env_id=?1)`,
    )
    .bind(env, Number(epoch), Number(last))
    .first();
  return row !== null;
}
