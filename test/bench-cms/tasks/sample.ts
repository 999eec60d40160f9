import { SEED_PAGES } from "../../../scripts/seed/content.ts";
import { SEED_ENTRIES } from "../../../scripts/seed/entries.ts";
import type { Difference, Fields } from "../format.ts";

/** The sample site in the words of expected differences, made of what it is seeded from (scripts/seed). */

/** A page of the sample is deleted with all that is on it; its items in the navigation are named apart. */
export function goneSample(slug: string): Difference {
  const own = [`page ${slug}`, ...sectionsOf(slug).map((name) => `section ${name}`)];
  return Object.fromEntries([...own, ...own.map((name) => `public ${name}`)].map((name) => [name, "gone"]));
}

/** Public difference after a page of the sample is hidden. */
export function hiddenSample(slug: string): Difference {
  const own = [`page ${slug}`, ...sectionsOf(slug).map((name) => `section ${name}`)];
  return Object.fromEntries(own.map((name) => [`public ${name}`, "gone" as const]));
}

/** Names of the sections of a page of the sample, in order. */
export function sectionsOf(slug: string): string[] {
  const found = SEED_PAGES.find((one) => one.slug === slug || (slug === "layout" && one.kind === "layout"));
  return (found?.sections ?? []).map(({ id }) => {
    const [, owner = "", rest = ""] = /^sc_([a-z]+)_(\w+)$/.exec(id) ?? [];
    return `${owner}/${rest.replaceAll("_", "-")}`;
  });
}

/** Fields of a section in the sample, German ones included, overridden by `differing`. */
export function sampleContent(name: string, differing: Fields = {}): Fields {
  const [owner = "", rest = ""] = name.split("/");
  const id = `sc_${owner}_${rest.replaceAll("-", "_")}`;
  const found = SEED_PAGES.flatMap(({ sections }) => sections).find((one) => one.id === id);
  if (found === undefined) throw new Error(`the sample has no section ${name}`);
  const german = Object.entries(found.de ?? {}).map(([key, value]) => [`de.${key}`, value]);
  // Defaults of the choices that nobody has made.
  const unsaid = found.template === "image-text" ? { mobileLayout: "image-first", background: "none" } : {};
  return { ...(asNamed({ ...unsaid, ...found.en, ...Object.fromEntries(german) }) as Fields), ...differing };
}

/** A value of the sample with names in the place of ids. */
function asNamed(value: unknown): unknown {
  if (typeof value === "string")
    return /^im_\w+$/.test(value)
      ? value.replace("im_", "image ")
      : value
          .replace(/\bpage:pg_(\w+)/g, (_, id: string) => `page ${id}`)
          .replace(/\bentry:en_(\w+)/g, (_, id: string) => `post ${id.replaceAll("_", "-")}`);
  if (Array.isArray(value)) return value.map(asNamed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, asNamed(one)]));
}

/** A post of the sample as it is stored, without its title, address and status. */
export function samplePost(slug: string): Fields {
  const found = SEED_ENTRIES.find((one) => one.slug === slug);
  if (found === undefined) throw new Error(`the sample has no post ${slug}`);
  const { category, author, cover, excerpt, tags, body } = found;
  return asNamed({ category, author, cover, excerpt, tags, body }) as Fields;
}

/** A post as visitors see it, with its date. */
export function publicPost(slug: string, title: string, date: string, differing: Fields = {}): Difference {
  return { [`+ public post ${slug}`]: { slug, title, date, ...samplePost(slug), ...differing } };
}

/** A page with its sections as visitors see them, where they saw nothing of it before. */
export function publicSample(slug: string): Difference {
  const found = SEED_PAGES.find((one) => one.slug === slug);
  if (found === undefined) throw new Error(`the sample has no page ${slug}`);
  const own = { name: found.name, slug, indexing: true, order: sectionsOf(slug) };
  const sections = found.sections.map(({ template, variant = "default" }, at) => {
    const name = sectionsOf(slug)[at] ?? "";
    return [`+ public section ${name}`, { page: `page ${slug}`, template, variant, ...sampleContent(name) }];
  });
  return {
    [`+ public page ${slug}`]: { ...own, ...(asNamed(found.meta) as Fields) },
    ...(Object.fromEntries(sections) as Difference),
  };
}
