import { normalize } from "../../../cairn/core/log/normalize.ts";
import { fail } from "./errors.ts";
import type { Environment } from "./types.ts";

const SLUG_CHARS_MAX = 64;
const SLUG_PATTERN = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const RESERVED: ReadonlySet<string> = new Set([
  "api",
  "agents",
  "media",
  "site",
  "assets",
  "sitemap",
  "robots",
  "feed",
  "preview",
]);
/** Letters that decompose to no Latin base letter. */
const SPELLED: ReadonlyMap<string, string> = new Map([
  ["ß", "ss"],
  ["æ", "ae"],
  ["œ", "oe"],
  ["ø", "o"],
  ["đ", "d"],
  ["ł", "l"],
  ["þ", "th"],
]);

/** True if the public site itself uses this path. */
export function isReservedSlug(slug: string): boolean {
  return RESERVED.has(slug);
}

/** A slug from a name: marks stripped, lower case, joined by hyphens, at most 64 characters. Empty if nothing is left. */
export function slugify(name: string): string {
  // Lower-cased after decomposition: characters that decompose to a Latin capital (𝒳, ℝ) have no lower case.
  const letters = [...normalize(name, "NFKD").toLowerCase()].map((letter) => SPELLED.get(letter) ?? letter);
  const slug = letters
    .join("")
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return slug.slice(0, SLUG_CHARS_MAX).replace(/-+$/, "");
}

/** Refuses a slug that is malformed (`invalid_input`) or belongs to the site or a locale (`slug_reserved`). */
export function validateSlug(slug: string, environment: Environment, at = "slug"): string {
  if (slug.length > SLUG_CHARS_MAX || !SLUG_PATTERN.test(slug)) {
    const proposal = slugify(slug);
    throw fail(
      "invalid_input",
      `“${slug}” is no slug: small letters, digits and single hyphens, at most ${SLUG_CHARS_MAX}.`,
      {
        at,
        suggestions: proposal === "" ? [] : [{ label: proposal, value: proposal }],
      },
    );
  }
  if (isReservedSlug(slug) || environment.locales.some((one) => one.code.toLowerCase() === slug)) {
    throw fail("slug_reserved", `The slug “${slug}” is used by the site itself.`, {
      at,
      hint: "Choose another slug.",
      suggestions: [{ label: `${slug}-page`, value: `${slug}-page` }],
    });
  }
  return slug;
}

/** The first `count` slugs of the form `slug-2`, `slug-3` … that are not taken. */
export function freeSlugs(slug: string, taken: ReadonlySet<string>, count = 3): string[] {
  const free: string[] = [];
  for (let n = 2; free.length < count; n++) {
    const suffix = `-${n}`;
    const candidate = slug.slice(0, SLUG_CHARS_MAX - suffix.length).replace(/-+$/, "") + suffix;
    if (!taken.has(candidate)) free.push(candidate);
  }
  return free;
}

/** Refuses a language code that is the slug of a page or a collection, or that the site itself uses: both are in URLs. */
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
