import type { JsonObject } from "../../cairn/core/log/json.ts";
import { isAt, objectAt, objectsAt, textAt } from "../../cairn/models/script/fields.ts";
import { folded, slugify } from "./text/tokens.ts";

/** The website, as results of the tools show it. */

const STATUSES = ["published", "draft", "unpublished"] as const;
export type Status = (typeof STATUSES)[number];

export interface KnownPage {
  readonly id: string;
  readonly name: string;
  readonly slug: string | null;
  /** null when only the name is known */
  readonly status: Status | null;
  /** true if the draft differs from the published page; null when unknown */
  readonly dirty: boolean | null;
}

export interface NavItem {
  readonly id: string;
  readonly label: string;
  readonly target: string;
  readonly location: "header" | "footer";
}

export interface Site {
  readonly name: string;
  readonly homeId: string | null;
  readonly pages: readonly KnownPage[];
  readonly nav: readonly NavItem[];
}

export interface KnownSection {
  readonly id: string;
  readonly template: string;
  readonly heading: string;
  readonly hidden: boolean;
}

export interface PageDetail {
  readonly page: KnownPage;
  readonly url: string | null;
  readonly sections: readonly KnownSection[];
}

/** The result of `site_overview`; null where it was cut. */
export function parseSite(value: JsonObject): Site | null {
  const byStatus = objectAt(value, "pages");
  if (byStatus === null) return null;
  const nav = objectAt(value, "nav") ?? {};
  return {
    name:
      textAt(objectAt(objectAt(value, "settings"), "identity"), "title") ??
      textAt(objectAt(value, "site"), "name") ??
      "us",
    homeId: textAt(objectAt(value, "site"), "homePage"),
    pages: STATUSES.flatMap((status) =>
      objectsAt(objectAt(byStatus, status), "items").flatMap((item) => parsePage({ ...item, status })),
    ),
    nav: (["header", "footer"] as const).flatMap((location) => parseNav(objectsAt(nav, location), location)),
  };
}

function parseNav(items: readonly JsonObject[], location: NavItem["location"]): NavItem[] {
  return items.flatMap((item) => {
    const id = textAt(item, "id") ?? "";
    const own = { id, label: textAt(item, "label") ?? "", target: textAt(item, "target") ?? "", location };
    return [...(id === "" ? [] : [own]), ...parseNav(objectsAt(item, "children"), location)];
  });
}

/** A page of a list or of a write's result; empty where it has no ID. */
export function parsePage(value: JsonObject): KnownPage[] {
  const [id, slug] = [textAt(value, "id"), textAt(value, "slug")];
  const status = STATUSES.find((one) => one === value["status"]) ?? null;
  const dirty = value["dirty"] === undefined ? null : isAt(value, "dirty");
  return id === null ? [] : [{ id, name: textAt(value, "name") ?? slug ?? id, slug, status, dirty }];
}

const HOME = /^(?:home|homepage|front|start|landing)$/u;

/** Pages with that name, else with that slug; the home page has more names. */
export function pagesNamed({ pages, homeId }: Site, name: string): readonly KnownPage[] {
  const wanted = folded(name);
  const tests: ((page: KnownPage) => boolean)[] = [
    // Names without letters fold to nothing; they are compared as written.
    (page) => (wanted === "" ? page.name === name.trim() : folded(page.name) === wanted),
    (page) => page.slug !== null && page.slug === slugify(name),
    (page) => HOME.test(wanted) && page.id === homeId,
  ];
  return tests.map((isMeant) => pages.filter(isMeant)).find((found) => found.length > 0) ?? [];
}

/** Template and heading of a section. */
export const sectionName = ({ template, heading, hidden }: KnownSection): string =>
  `${template}${heading === "" ? "" : ` "${heading}"`}${hidden ? " (hidden)" : ""}`;
