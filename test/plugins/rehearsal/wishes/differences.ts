import { isDeepStrictEqual } from "node:util";
import type { Json } from "../../../../src/cairn/core/log/json.ts";
import { placeIn, type Expected } from "./expected.ts";
import type { Words } from "./format.ts";
import type { WishSite } from "./site.ts";

type Page = WishSite["pages"][number];
type ExpectedPage = Expected["pages"][number];
type ExpectedSection = ExpectedPage["sections"][number];

const LOCATIONS = ["header", "footer"] as const;

/** Where the site is not what is expected, each in a line; none: it is. */
export function differences(site: WishSite, expected: Expected): string[] {
  const pairs = pairPages(site.pages, expected.pages);
  const paired = new Set(pairs.map(([, page]) => page));
  return [
    ...pairs.flatMap(([want, page]) =>
      page === undefined ? [`no page ${show(want.name)}`] : pageDifferences(want, page),
    ),
    ...site.pages.filter((page) => !paired.has(page)).map((page) => `a page ${page.name} too many`),
    ...linkDifferences(site, expected, pairs),
    ...entryDifferences(site, expected),
    ...site.images
      .filter((image) => !fits(String(image["alt"]), expected.alts[String(image["id"])] ?? ""))
      .map((image) => `the description of ${String(image["id"])} is ${String(image["alt"])}`),
    ...(site.undone === expected.undone ? [] : [`undone ${site.undone} times, not ${expected.undone}`]),
  ];
}

/** Whether a text is one of the wordings, whatever its letter case and its spaces. */
export function fits(text: string, words: Words): boolean {
  return (typeof words === "string" ? [words] : words).some((one) => plain(one) === plain(text));
}

const plain = (text: string): string => text.normalize("NFC").toLowerCase().replace(/\s+/gu, " ").trim();
const show = (words: Words): string => (typeof words === "string" ? words : words.join(" / "));

function pairPages(
  pages: readonly Page[],
  expected: readonly ExpectedPage[],
): (readonly [ExpectedPage, Page | undefined])[] {
  const known = new Set(expected.map((want) => want.id));
  const made = pages.filter((page) => !known.has(page.id));
  return expected.map((want) => {
    if (want.id !== undefined) return [want, pages.find((page) => page.id === want.id)];
    const at = made.findIndex((page) => fits(page.name, want.name));
    return [want, at < 0 ? undefined : made.splice(at, 1)[0]];
  });
}

function pageDifferences(want: ExpectedPage, page: Page): string[] {
  const live = page.status === "published" && want.status === "published";
  return [
    ...(fits(page.name, want.name) ? [] : [`${page.name} should be called ${show(want.name)}`]),
    ...(want.slug === undefined || page.slug === want.slug ? [] : [`${page.name} is at ${page.slug}`]),
    ...(page.status === want.status ? [] : [`${page.name} is ${page.status}, not ${want.status}`]),
    ...(live && page.dirty !== want.dirty
      ? [page.dirty ? `the changes of ${page.name} are not public` : `${page.name} was published`]
      : []),
    ...sectionDifferences(want, page),
  ];
}

function sectionDifferences(want: ExpectedPage, page: Page): string[] {
  if (want.id === undefined) return madeDifferences(want, page);
  const known = want.sections.filter((section) => section.id !== undefined);
  const ids = page.sections.map((section) => section.id);
  const kept = ids.filter((id) => known.some((section) => section.id === id));
  const inOrder = isDeepStrictEqual(
    kept,
    known.map((section) => section.id),
  );
  const added = page.sections.filter((section) => !kept.includes(section.id));
  const missing = want.sections
    .filter((section) => section.id === undefined)
    .filter((section) => {
      const at = added.findIndex(
        (one) => sectionFits(one, section) && (section.at === undefined || standsAt(ids, one.id, section.at)),
      );
      if (at >= 0) added.splice(at, 1);
      return at < 0;
    });
  return [
    ...(inOrder ? [] : [`the sections of ${page.name} are ${ids.join(", ")}`]),
    ...known
      .filter((section) => {
        const one = page.sections.find(({ id }) => id === section.id);
        return one !== undefined && !(sectionFits(one, section) && sameFields(one.content, section.content));
      })
      .map((section) => `the content of ${section.id} differs`),
    ...missing.map((section) => `${page.name} has no ${show(section.template)} as wished`),
    ...added.map((section) => `${page.name} has a ${section.template} too many`),
  ];
}

/** Sections that the wish names are all there are, in order, but for a hero at the top. */
function madeDifferences(want: ExpectedPage, page: Page): string[] {
  if (want.sections.length === 0 && want.only !== true) return [];
  const holds = (sections: Page["sections"]): boolean =>
    sections.length === want.sections.length &&
    want.sections.every((section, at) => {
      const one = sections[at];
      return one !== undefined && sectionFits(one, section);
    });
  const rest = page.sections.slice(1);
  const isTop = page.sections[0]?.template === "hero" && want.only !== true;
  return holds(page.sections) || (isTop && holds(rest))
    ? []
    : [`the sections of ${page.name} are ${page.sections.map((one) => one.template).join(", ")}`];
}

function sectionFits(one: Page["sections"][number], want: ExpectedSection): boolean {
  return (
    fits(one.template, want.template) &&
    one.hidden === want.hidden &&
    Object.entries(want.content).every(([key, value]) => valueFits(one.content[key], value))
  );
}

const sameFields = (content: Page["sections"][number]["content"], want: object): boolean =>
  Object.keys(content).every((key) => key in want);

/** A text or an image in one of the wordings, or else exactly the value. */
function valueFits(value: Json | undefined, want: ExpectedSection["content"][string]): boolean {
  if (typeof want !== "object" || want === null || !("words" in want)) return isDeepStrictEqual(value, want);
  const words = want["words"] as Words;
  if (typeof value === "string") return fits(value, words);
  if (typeof value !== "object" || value === null || !("image" in value)) return false;
  return fits(String(value["image"]), words);
}

/** Whether the name stands at the place among the others. */
function standsAt(
  names: readonly string[],
  name: string,
  place: NonNullable<ExpectedSection["at"]>,
): boolean {
  return (
    placeIn(
      names.filter((one) => one !== name),
      place,
    ) === names.indexOf(name)
  );
}

function linkDifferences(
  site: WishSite,
  expected: Expected,
  pairs: readonly (readonly [ExpectedPage, Page | undefined])[],
): string[] {
  const keys = new Map(pairs.map(([want, page]) => [`page:${page?.id ?? ""}`, want.key]));
  return LOCATIONS.flatMap((location) => {
    const links = site.nav
      .filter((item) => item.location === location)
      .map((item) => ({ label: item.label, target: keys.get(item.target) ?? item.target }));
    const wanted = expected.links.filter((link) => link.location === location);
    const targets = links.map((link) => link.target);
    const still = wanted.filter((link) => !link.fresh).map((link) => link.target);
    const kept = targets.filter((target) => still.includes(target));
    return [
      ...(isDeepStrictEqual(kept, still) ? [] : [`the ${location} has ${kept.join(", ")} of the old links`]),
      ...wanted.flatMap((want) => {
        const link = links.find((one) => one.target === want.target);
        if (link === undefined) return want.fresh ? [`the ${location} has no link to ${want.target}`] : [];
        return [
          ...(fits(link.label, want.label) ? [] : [`a link of the ${location} is called ${link.label}`]),
          ...(want.at === undefined || standsAt(targets, want.target, want.at)
            ? []
            : [`${link.label} stands in the wrong place of the ${location}`]),
        ];
      }),
      ...links
        .filter((link, at) => targets.indexOf(link.target) < at || !wanted.some(targetIs(link.target)))
        .map((link) => `the ${location} has a link ${link.label} too many`),
    ];
  });
}

const targetIs =
  (target: string) =>
  (link: { readonly target: string }): boolean =>
    link.target === target;

function entryDifferences(site: WishSite, expected: Expected): string[] {
  const known = new Set(expected.entries.map((entry) => entry.id));
  const made = site.entries.filter((entry) => !known.has(entry.id));
  const lost = expected.entries.flatMap((want) => {
    const at = made.findIndex((entry) => fits(entry.title, want.title));
    const entry =
      want.id !== undefined
        ? site.entries.find((one) => one.id === want.id)
        : at < 0
          ? undefined
          : made.splice(at, 1)[0];
    if (entry === undefined) return [`no entry ${show(want.title)}`];
    return fits(entry.title, want.title) && entry.status === want.status
      ? []
      : [`the entry ${entry.title} is ${entry.status}`];
  });
  return [...lost, ...made.map((entry) => `an entry ${entry.title} too many`)];
}
