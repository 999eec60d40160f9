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

/** True for a path of the public site itself. */
export function isReservedSlug(slug: string): boolean {
  return RESERVED.has(slug);
}

/** A slug from a name: marks stripped, lower case, joined by hyphens, at most 64 characters. Empty if nothing is left. */
export function slugify(name: string): string {
  // Lower case comes second: what decomposes to a Latin capital (𝒳, ℝ) has none of its own.
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
