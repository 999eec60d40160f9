import { type Json, isObject } from "../../../cairn/core/log/json.ts";
import { isSafeUrl } from "../model/links.ts";
import type { SiteContext } from "./context.ts";

/** Where links lead. A stored link names its target by id; a URL passes the protocol list again before it is shown. */

export interface Address {
  readonly href: string;
  /** leads to another site */
  readonly external: boolean;
}

const ANCHOR = /^[^\s#]+$/;

/** The address of a stored link, null when its target is not public or its URL is not allowed. */
export function addressOf(link: Json | undefined, context: SiteContext): Address | null {
  if (!isObject(link)) return null;
  const { kind, id, url, anchor } = link;
  if (kind === "url") return typeof url === "string" ? urlAddress(url, context) : null;
  if (kind === "anchor") return typeof anchor === "string" ? anchorAddress(anchor) : null;
  if (kind !== "page" && kind !== "entry" && kind !== "collection") return null;
  const path = typeof id === "string" ? context.pathOf(kind, id) : null;
  if (path === null) return null;
  const suffix = typeof anchor === "string" && ANCHOR.test(anchor) ? `#${anchor}` : "";
  return { href: carryOn(path + suffix, context), external: false };
}

/** The URL of a link in Markdown: `page:<id>`, `#anchor` or a URL. */
export function addressOfText(link: string, context: SiteContext): Address | null {
  const target = /^(page|entry|collection):([^#\s]+)(?:#(\S+))?$/.exec(link);
  if (target !== null) {
    const [, kind = "", id = "", anchor] = target;
    return addressOf({ kind, id, ...(anchor === undefined ? {} : { anchor }) }, context);
  }
  const image = /^image:(\S+)$/.exec(link)?.[1];
  if (image !== undefined) {
    const path = context.images.get(image)?.path;
    return path === undefined ? null : { href: path, external: false };
  }
  return link.startsWith("#") ? anchorAddress(link.slice(1)) : urlAddress(link, context);
}

/** A path of this site as it is linked to: in a preview it carries the token on. */
export function carryOn(path: string, context: SiteContext): string {
  const query = context.preview?.query.replace(/^[?&]/, "") ?? "";
  if (query === "" || path.includes(query)) return path;
  const [before = "", ...anchor] = path.split("#");
  const joined = `${before}${before.includes("?") ? "&" : "?"}${query}`;
  return [joined, ...anchor].join("#");
}

/** The start page in the language of the page shown; the default language, last in the chain, has no prefix. */
export function homePath(context: SiteContext): string {
  const [locale] = context.locales;
  const { root } = context;
  const home = locale === undefined || locale === context.locales.at(-1) ? root : `${root}${locale}/`;
  return carryOn(home, context);
}

function anchorAddress(anchor: string): Address | null {
  return ANCHOR.test(anchor) ? { href: `#${anchor}`, external: false } : null;
}

function urlAddress(url: string, context: SiteContext): Address | null {
  if (!isSafeUrl(url)) return null;
  if (url.startsWith("/")) return { href: carryOn(url, context), external: false };
  return { href: url, external: /^https?:/i.test(url) };
}
