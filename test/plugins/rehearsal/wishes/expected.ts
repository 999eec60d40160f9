import type { Json } from "../../../../src/cairn/core/log/json.ts";
import type { Change, Location, Place, SectionLike, Words } from "./format.ts";
import type { WishSite } from "./site.ts";

/** What a site should look like after changes. Texts may have several wordings, and what a wish leaves open is open. */

interface ExpectedSection {
  /** absent: made by the wish */
  readonly id?: string;
  readonly template: Words;
  readonly hidden: boolean;
  /** of a section with an id: all fields. Of a new one: those that the wish names */
  readonly content: Record<string, Json | { readonly words: Words }>;
  readonly at?: Place;
}
interface ExpectedPage {
  /** absent: made by the wish */
  readonly id?: string;
  readonly key: string;
  readonly name: Words;
  readonly slug?: string;
  readonly status: string;
  readonly dirty: boolean;
  readonly sections: readonly ExpectedSection[];
  /** of a page that the wish makes */
  readonly only?: true;
}
interface ExpectedLink {
  readonly location: Location;
  /** the key of a page, or the target as it is */
  readonly target: string;
  readonly label: Words;
  /** where a new or moved one has to stand; without it a new one may stand anywhere */
  readonly at?: Place;
  readonly fresh: boolean;
}
interface ExpectedEntry {
  readonly id?: string;
  readonly title: Words;
  readonly status: string;
}
export interface Expected {
  readonly pages: readonly ExpectedPage[];
  readonly links: readonly ExpectedLink[];
  readonly entries: readonly ExpectedEntry[];
  readonly alts: Readonly<Record<string, Words>>;
  readonly undone: number;
}

/** The site as it is, as what is expected of one that nobody changes. */
export function expectSame(site: WishSite): Expected {
  return {
    pages: site.pages.map((page) => ({
      ...{ id: page.id, key: page.slug, name: page.name, slug: page.slug },
      ...{ status: page.status, dirty: page.dirty },
      sections: page.sections.map((section) => structuredClone(section)),
    })),
    links: site.nav.map(({ location, target, label }) => ({
      ...{ location, label, fresh: false },
      target: site.pages.find((page) => target === `page:${page.id}`)?.slug ?? target,
    })),
    entries: site.entries.map(({ id, title, status }) => ({ id, title, status })),
    alts: Object.fromEntries(site.images.map((image) => [String(image["id"]), String(image["alt"])])),
    undone: site.undone,
  };
}

/** What is expected after the changes, in order; null when one of them changes what is not there. */
export function expectAfter(start: Expected, changes: readonly Change[]): Expected | null {
  let now: Expected | null = start;
  for (const change of changes) now = now === null ? null : applied(now, change);
  return now;
}

function applied(now: Expected, change: Change): Expected | null {
  switch (change.do) {
    case "make page": {
      const { name, slug, like, only } = change;
      const model = like === undefined ? undefined : now.pages.find((page) => page.key === like);
      if (like !== undefined && model === undefined) return null;
      const page: ExpectedPage = {
        ...{ key: first(name), name, status: "draft", dirty: true },
        ...(slug === undefined ? {} : { slug }),
        ...(only === true ? { only } : {}),
        sections: (model?.sections ?? []).map(({ id: _, ...section }) => section),
      };
      return { ...now, pages: [...now.pages, page] };
    }
    case "fill page":
      return onPage(now, change.page, ({ sections }) => ({
        sections: [...sections, fresh(change.section)],
      }));
    case "rename page":
      return onPage(now, change.page, () => ({ name: change.name, dirty: true }));
    case "readdress page":
      return onPage(now, change.page, () => ({ slug: change.slug, dirty: true }));
    case "set page":
      return onPage(now, change.page, () => ({ status: change.status, dirty: false }));
    case "delete page":
      if (!now.pages.some((page) => page.key === change.page)) return null;
      return {
        ...now,
        pages: now.pages.filter((page) => page.key !== change.page),
        links: now.links.filter((link) => link.target !== change.page),
      };
    case "add section":
      return onPage(now, change.page, ({ sections }) => ({
        dirty: true,
        sections: [
          ...sections,
          { ...fresh(change.section), ...(change.at === undefined ? {} : { at: change.at }) },
        ],
      }));
    case "write section":
      return onSection(now, change.section, (section) => ({
        ...section,
        content: {
          ...section.content,
          ...Object.fromEntries(Object.entries(change.content).map(([key, words]) => [key, { words }])),
        },
      }));
    case "clear field":
      return onSection(now, change.section, ({ content: { [change.field]: _, ...content }, ...section }) => ({
        ...section,
        content,
      }));
    case "delete section":
      return onSection(now, change.section, () => null);
    case "hide section":
      return onSection(now, change.section, (section) => ({ ...section, hidden: true }));
    case "place image":
      return onSection(now, change.section, (section) => ({
        ...section,
        content: { ...section.content, [change.field]: { words: change.image } },
      }));
    case "move section": {
      const page = now.pages.find((one) => one.sections.some((section) => section.id === change.section));
      if (page === undefined) return null;
      const moved = page.sections.filter((section) => section.id === change.section);
      const others = page.sections.filter((section) => section.id !== change.section);
      const at = placeIn(
        others.map((section) => section.id ?? ""),
        change.at,
      );
      if (at === null) return null;
      return onPage(now, page.key, () => ({ dirty: true, sections: others.toSpliced(at, 0, ...moved) }));
    }
    case "describe image":
      return { ...now, alts: { ...now.alts, [change.image]: change.alt } };
    case "add link": {
      const { location, target, at } = change;
      const page = now.pages.find((one) => one.key === target);
      const label = change.label ?? page?.name;
      if (label === undefined || hasLink(now, location, target)) return null;
      if (page === undefined && !/^(?:collection|https?|mailto):/u.test(target)) return null;
      const link = { location, target, label, fresh: true, ...(at === undefined ? {} : { at }) };
      return { ...now, links: [...now.links, link] };
    }
    case "remove link":
      if (!hasLink(now, change.location, change.target)) return null;
      return { ...now, links: now.links.filter((link) => !isLink(link, change.location, change.target)) };
    case "relabel link":
      if (!hasLink(now, change.location, change.target)) return null;
      return {
        ...now,
        links: now.links.map((link) =>
          isLink(link, change.location, change.target) ? { ...link, label: change.label } : link,
        ),
      };
    case "move link": {
      const moved = now.links.find((link) => isLink(link, change.location, change.target));
      if (moved === undefined) return null;
      const others = now.links.filter((link) => link !== moved);
      return { ...now, links: [...others, { ...moved, fresh: true, at: change.at }] };
    }
    case "make entry":
      return { ...now, entries: [...now.entries, { title: change.title, status: "draft" }] };
    case "rename entry":
      return onEntry(now, change.entry, (entry) => ({ ...entry, title: change.title }));
    case "set entry":
      return onEntry(now, change.entry, (entry) => ({ ...entry, status: change.status }));
    case "delete entry":
      return onEntry(now, change.entry, () => null);
    case "undo":
      return { ...now, undone: now.undone + 1 };
  }
}

const first = (words: Words): string => (typeof words === "string" ? words : (words[0] ?? ""));

/** Where in a list of names a place is; null when its neighbour is not there. */
export function placeIn(names: readonly string[], place: Place): number | null {
  if (place === "first") return 0;
  if (place === "last") return names.length;
  const beside = names.indexOf("before" in place ? place.before : place.after);
  return beside < 0 ? null : "before" in place ? beside : beside + 1;
}

const isLink = (link: ExpectedLink, location: Location, target: string): boolean =>
  link.location === location && link.target === target;

const hasLink = (now: Expected, location: Location, target: string): boolean =>
  now.links.some((link) => isLink(link, location, target));

function fresh({ template, content }: SectionLike): ExpectedSection {
  const named = Object.entries(content ?? {}).map(([key, words]) => [key, { words }]);
  return { template, hidden: false, content: Object.fromEntries(named) };
}

function onPage(
  now: Expected,
  key: string,
  edit: (page: ExpectedPage) => Partial<ExpectedPage>,
): Expected | null {
  if (!now.pages.some((page) => page.key === key)) return null;
  return { ...now, pages: now.pages.map((page) => (page.key === key ? { ...page, ...edit(page) } : page)) };
}

function onSection(
  now: Expected,
  id: string,
  edit: (section: ExpectedSection) => ExpectedSection | null,
): Expected | null {
  const owner = now.pages.find((page) => page.sections.some((section) => section.id === id));
  if (owner === undefined) return null;
  return onPage(now, owner.key, ({ sections }) => ({
    dirty: true,
    sections: sections
      .map((section) => (section.id === id ? edit(section) : section))
      .filter((section) => section !== null),
  }));
}

function onEntry(
  now: Expected,
  id: string,
  edit: (entry: ExpectedEntry) => ExpectedEntry | null,
): Expected | null {
  if (!now.entries.some((entry) => entry.id === id)) return null;
  const entries = now.entries.map((entry) => (entry.id === id ? edit(entry) : entry));
  return { ...now, entries: entries.filter((entry) => entry !== null) };
}
