import type { Field, PageDocument } from "../model/document.ts";

/** Data for a template besides its section. Loaded once per request (load.ts); nothing in it is fetched later. */
export interface SiteContext {
  readonly site: { readonly name: string; readonly tagline: string | null; readonly logo: SiteImage | null };
  /** path of the start page in the default locale, such as `/site/` */
  readonly root: string;
  /** the locale asked for, then its fallbacks, then the default one */
  readonly locales: readonly string[];
  /** all active locales with the path of the page that is shown, where it has a translation */
  readonly alternates: readonly { readonly locale: string; readonly name: string; readonly path: string }[];
  readonly headerNav: readonly NavLink[];
  readonly footerNav: readonly NavLink[];
  /** the layout page: its header and footer sections */
  readonly layout: PageDocument | null;
  readonly templates: ReadonlyMap<string, { readonly name: string; readonly fields: readonly Field[] }>;
  /** by image id */
  readonly images: ReadonlyMap<string, SiteImage>;
  /** path of a page, entry or collection by `kind:id`, null when its target is not public */
  readonly pathOf: (kind: "page" | "entry" | "collection", id: string) => string | null;
  /** `#rrggbb` */
  readonly accent: string | null;
  /** `%s – Fern & Fell` */
  readonly titleTemplate: string | null;
  readonly description: string | null;
  readonly ogImage: SiteImage | null;
  /** origin that canonical links carry */
  readonly origin: string;
  /** a draft is shown: with the banner, and links carry `query` */
  readonly preview: { readonly query: string } | null;
}

export interface SiteImage {
  readonly id: string;
  /** `/media/<sha256>/<file>` */
  readonly path: string;
  readonly mediaType: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly alt: string;
  /** smaller renditions, ascending by width */
  readonly variants: readonly { readonly width: number; readonly path: string }[];
}

export interface NavLink {
  readonly label: string;
  /** null: a heading without a target */
  readonly path: string | null;
  /** this is the page that is shown */
  readonly current: boolean;
  readonly children: readonly NavLink[];
}

/** An entry in a list, or under an entry. */
export interface EntryCard {
  readonly path: string;
  readonly title: string;
  readonly excerpt: string;
  readonly cover: SiteImage | null;
  readonly category: string | null;
  readonly publishedAt: number | null;
}
