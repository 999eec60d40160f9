import type { CmsServices } from "../model/types.ts";
import { rowsOf } from "./load.ts";
import { number, text } from "./rows.ts";

/** How much of the site is translated. */

/** What says something, by language: pages, sections and entries. */
export const OWNERS_BY_LOCALE = `SELECT c.locale, count(*) AS n FROM contents c WHERE c.env_id = ?1 AND c.data <> '{}'
  AND CASE c.owner_type
    WHEN 'page' THEN EXISTS (SELECT 1 FROM pages p WHERE p.id = c.owner_id AND p.deleted_at IS NULL)
    WHEN 'section' THEN EXISTS (SELECT 1 FROM sections s JOIN pages p ON p.id = s.page_id
      WHERE s.id = c.owner_id AND s.deleted_at IS NULL AND p.deleted_at IS NULL)
    WHEN 'entry' THEN EXISTS (SELECT 1 FROM entries e WHERE e.id = c.owner_id AND e.deleted_at IS NULL)
    ELSE 0 END
  GROUP BY c.locale`;

/** The share of what the default language says that a language says too, in per cent, by its code. */
export function coverageOf(
  rows: readonly { readonly [column: string]: unknown }[],
  defaultLocale: string,
): (locale: string) => number {
  const owners = new Map(rows.map((row) => [text(row, "locale"), number(row, "n")]));
  const all = owners.get(defaultLocale) ?? 0;
  return (locale) => (all === 0 ? 0 : Math.min(100, Math.round((100 * (owners.get(locale) ?? 0)) / all)));
}

export async function loadCoverage(
  services: CmsServices,
  defaultLocale: string,
): Promise<(locale: string) => number> {
  return coverageOf(await rowsOf(services, OWNERS_BY_LOCALE, services.env), defaultLocale);
}
