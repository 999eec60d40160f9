import { text } from "../model/columns.ts";
import { fail } from "../model/errors.ts";
import { freeSlugs, isReservedSlug, validateSlug } from "../model/slugs.ts";
import type { CmsServices, Environment } from "../model/types.ts";
import { rowsOf } from "./rows.ts";

/** Refuses a code of a language that a page or a collection has as its slug, or that the site itself uses: both stand in URLs. */
export async function takeableCode(services: CmsServices, code: string, at: string): Promise<void> {
  const slug = code.toLowerCase();
  if (isReservedSlug(slug))
    throw fail("slug_reserved", `The path “${slug}” is used by the site itself.`, {
      at,
      hint: "Add a region to the code, such as de-AT.",
    });
  const [holder] = await rowsOf(
    services,
    `SELECT 'page' AS type, id, name FROM pages WHERE env_id=?1 AND deleted_at IS NULL AND slug=?2
     UNION ALL SELECT 'collection', id, name FROM collections WHERE env_id=?1 AND deleted_at IS NULL AND slug=?2`,
    services.env,
    slug,
  );
  if (holder === undefined) return;
  const [type, id, name] = [text(holder, "type"), text(holder, "id"), text(holder, "name")];
  throw fail("slug_taken", `The ${type} “${name}” (${id}) has the slug “${slug}”, which is the code too.`, {
    at,
    hint: "Give that page another slug first, or use a code with a region, such as de-AT.",
    details: { holder: { type, id, name } },
  });
}

/**
 * A slug that a page or a collection may take. Refuses `invalid_input`, `slug_reserved`, and `slug_taken` (by a page or a collection)
 * with the holder and three free slugs. `leaving` are ids of pages that give theirs up in the same operation.
 */
export async function takeablePageSlug(
  services: CmsServices,
  environment: Environment,
  slug: string,
  ownId: string | null,
  at = "slug",
  leaving: ReadonlySet<string> = new Set(),
): Promise<string> {
  validateSlug(slug, environment, at);
  const rows = await rowsOf(
    services,
    `SELECT 'page' AS type, id, slug, name FROM pages WHERE env_id=?1 AND deleted_at IS NULL
       AND slug>=?2 AND slug<?2||'.'
     UNION ALL SELECT 'collection', id, slug, name FROM collections WHERE env_id=?1`,
    services.env,
    slug,
  );
  const holder = rows.find((row) => row.slug === slug && row.id !== ownId && !leaving.has(text(row, "id")));
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
