import { ID_PATTERN } from "../../../cairn/core/log/names.ts";
import { OWN_ENVIRONMENT, siteRoot } from "../model/environment.ts";
import type { Environment } from "../model/types.ts";

/** Paths below /site/: which environment, locale and names they hold, and how a path looks in another locale. Pure. */

const SEGMENTS_MAX = 3;

const ENVIRONMENT = /^~([A-Za-z0-9_-]{1,64})$/;

export interface Address {
  /** ID of the environment */
  readonly environment: string;
  /** the names between the slashes, as sent: none, one, two or three */
  readonly segments: readonly string[];
}

/** Reads a path under /site. Null when no page, collection or entry can have it, whatever the site holds. */
export function parseAddress(pathname: string): Address | null {
  const [empty, site, ...rest] = pathname.split("/");
  if (empty !== "" || site !== "site") return null;
  const named = ENVIRONMENT.exec(rest[0] ?? "")?.[1];
  if (named === OWN_ENVIRONMENT) return null;
  const names = named === undefined ? rest : rest.slice(1);
  const segments = names.at(-1) === "" ? names.slice(0, -1) : names;
  const isSound = segments.length <= SEGMENTS_MAX && segments.every((one) => ID_PATTERN.test(one));
  return isSound ? { environment: named ?? OWN_ENVIRONMENT, segments } : null;
}

interface LocalAddress {
  readonly locale: string;
  /** without the locale */
  readonly segments: readonly string[];
  /** false when the path names a locale that is off, or the default one, which goes without prefix */
  readonly exists: boolean;
}

/** Takes the locale off an address. */
export function localAddress({ segments }: Address, environment: Environment): LocalAddress {
  const [first, ...rest] = segments;
  const named = environment.locales.find((one) => one.code === first);
  if (named === undefined) return { locale: environment.defaultLocale, segments, exists: true };
  const exists = named.active && !named.isDefault;
  return { locale: exists ? named.code : environment.defaultLocale, segments: rest, exists };
}

/** A path of the default locale in this locale. */
export function inLocale(path: string, locale: string, environment: Environment): string {
  const root = siteRoot(environment.id);
  return locale === environment.defaultLocale ? path : `${root}${locale}/${path.slice(root.length)}`;
}

/** The path of the list of a collection, in the default locale. */
export function collectionPath(slug: string, environment: Pick<Environment, "id">): string {
  return `${siteRoot(environment.id)}${slug}/`;
}
