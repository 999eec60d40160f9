import type { Value } from "../run/state.ts";
import type { Difference, Fields } from "../format.ts";

/** How expected differences are written: a word for each thing that may happen to a site. They know the sample, and no run. */

/** All of them at once. Throws where two contradict each other. */
export function all(...parts: readonly Difference[]): Difference {
  const whole: Record<string, Fields | "gone"> = {};
  for (const part of parts)
    for (const [name, change] of Object.entries(part)) {
      const known = whole[name];
      if (known === undefined) whole[name] = change;
      else if (known === "gone" || change === "gone") {
        if (known !== change) throw new Error(`${name} is gone and is not`);
      } else
        for (const [field, value] of Object.entries(change)) {
          if (field in known && JSON.stringify(known[field]) !== JSON.stringify(value))
            throw new Error(`${name} ${field} is to be two things`);
          whole[name] = { ...(whole[name] as Fields), [field]: value };
        }
    }
  return whole;
}

/** The draft of a public page has changed. */
export const page = (slug: string, fields: Fields = {}): Difference => ({
  [slug === "layout" ? "layout" : `page ${slug}`]: { ...fields, dirty: true },
});

/** A section of a public page has changed, named as `about/hero`. */
export const section = (name: string, fields: Fields): Difference =>
  all({ [`section ${name}`]: fields }, page(name.split("/")[0] ?? ""));

/** The draft of a post that is public has changed. */
export const post = (slug: string, fields: Fields = {}): Difference => ({
  [`post ${slug}`]: { ...fields, dirty: true },
});

/** A new section in a draft, with its template, its page and all that it holds. */
export const newSection = (name: string, owner: string, template: string, content: Fields): Difference => ({
  [`+ section ${name}`]: { page: owner, template, variant: "default", hidden: false, ...content },
});

/** A new page, as a draft. */
export const newPage = (
  slug: string,
  name: string,
  order: readonly string[] = [],
  more: Fields = {},
): Difference => ({
  [`+ page ${slug}`]: { name, slug, status: "draft", indexing: true, order, ...more },
});

export const newPost = (slug: string, title: string, more: Fields = {}): Difference => ({
  [`+ post ${slug}`]: { title, slug, status: "draft", cover: "none", ...more },
});

/** An item that visitors see once its target is public. */
export const newItem = (
  place: "header" | "footer",
  label: string,
  target: string,
  more: Fields = {},
): Difference => ({
  [`+ ${place} item ${label}`]: { label, target, visible: true, ...more },
});

/** The order of the header, for editors and for visitors. Null: it has not changed for them. */
export const header = (everyone: string | null, visitors: string | null = everyone): Difference => ({
  header: { ...(everyone === null ? {} : { all: everyone }), ...(visitors === null ? {} : { visitors }) },
});
export const footer = (everyone: string | null, visitors: string | null = everyone): Difference => ({
  footer: { ...(everyone === null ? {} : { all: everyone }), ...(visitors === null ? {} : { visitors }) },
});

/** Fields that only editors see. */
const DRAFTS_ONLY = new Set(["status", "dirty", "hidden", "publishAt", "failure"]);

/** The same change, and it is public: of pages and posts that were public before, what is new on them too. */
export function live(drafts: Difference): Difference {
  const shown: Record<string, Fields | "gone"> = {};
  for (const [name, change] of Object.entries(drafts)) {
    const [, plus = "", own = ""] = /^(\+ )?(.*)$/.exec(name) ?? [];
    if (!/^(page|section|post|layout)/.test(own)) {
      shown[name] = change;
      continue;
    }
    if (change === "gone") {
      shown[name] = "gone";
      shown[`public ${own}`] = "gone";
      continue;
    }
    const { dirty: _, ...kept } = change;
    if (Object.keys(kept).length > 0) shown[name] = kept;
    const forVisitors = Object.fromEntries(Object.entries(kept).filter(([field]) => !DRAFTS_ONLY.has(field)));
    if (Object.keys(forVisitors).length > 0) shown[`${plus}public ${own}`] = forVisitors;
  }
  return shown;
}

/** New pages and posts of a draft, published in the same breath. */
export function published(drafts: Difference): Difference {
  const shown = live(drafts);
  return Object.fromEntries(
    Object.entries(shown).map(([name, change]) => {
      if (change === "gone") return [name, change];
      if (/^\+ (page|post) /.test(name)) return [name, { ...change, status: "published", dirty: false }];
      return [name, name.startsWith("+ public post ") ? { ...change, date: "now" } : change];
    }),
  );
}

/** Everything that a change set would make of the site, under its name. */
export const inSet = (name: string, changes: Difference): Difference =>
  Object.fromEntries(
    Object.entries(changes).map(([thing, change]) => [
      `+ in ${name}: ${thing.replace(/^\+ /, "")}`,
      change === "gone"
        ? { gone: true }
        : Object.fromEntries(Object.entries(change).map(([field, value]) => [field, value ?? "(none)"])),
    ]),
  );

export const newSet = (
  name: string,
  state: string,
  more: Readonly<Record<string, Value>> = {},
): Difference => ({
  [`+ set ${name}`]: { state, ...more },
});
