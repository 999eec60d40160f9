import { fail } from "./errors.ts";
import { rowsOf } from "../storage/load.ts";
import { text } from "../storage/rows.ts";
import { freeSlugs, validateSlug } from "./slugs.ts";
import type { CmsServices, Environment } from "./types.ts";

/**
 * A slug that a page may take. Refuses `invalid_input`, `slug_reserved`, and `slug_taken` (by a page or a collection)
 * with the holder and three free slugs.
 */
export async function takeablePageSlug(
  services: CmsServices,
  environment: Environment,
  slug: string,
  ownId: string | null,
  at = "slug",
): Promise<string> {
  validateSlug(slug, environment, at);
  const rows = await rowsOf(
    services,
    `SELECT 'page' AS type, id, slug, name FROM pages WHERE env_id=?1 AND deleted_at IS NULL
       AND (slug=?2 OR (slug>=?2||'-' AND slug<?2||'.'))
     UNION ALL SELECT 'collection', id, slug, name FROM collections WHERE env_id=?1`,
    services.env,
    slug,
  );
  const holder = rows.find((row) => row.slug === slug && row.id !== ownId);
  if (holder === undefined) return slug;
  const [type, id, name] = [text(holder, "type"), text(holder, "id"), text(holder, "name")];
  const taken = new Set([
    ...rows.map((row) => text(row, "slug")),
    ...environment.locales.map((one) => one.code.toLowerCase()),
  ]);
  throw fail("slug_taken", `The slug “${slug}” belongs to the ${type} “${name}” (${id}).`, {
    at,
    hint:
      type === "page"
        ? "Edit that page (page_update, section_add), or choose another slug."
        : "Choose another slug.",
    suggestions: freeSlugs(slug, taken).map((one) => ({ label: one, value: one })),
    details: { holder: { type, id, name } },
  });
}
