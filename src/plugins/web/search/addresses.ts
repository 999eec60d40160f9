import { isBelow, publicUrl } from "../../../cairn/outbound/safe-url.ts";

/** Addresses of results, normalized so that one page is one result, from any provider and under any name. */

/** parameters that track a visitor's origin and do not change the page */
const TRACKING =
  /^(?:utm_\w+|gclid|gbraid|wbraid|dclid|fbclid|msclkid|yclid|mc_cid|mc_eid|igshid|_hsenc|_hsmi|mkt_tok)$/i;

/** The address of a result without tracking; null for one that cannot be read. */
export function resultUrl(text: string): string | null {
  const known = publicUrl(text);
  if (known === null) return null;
  const url = new URL(known);
  for (const name of Array.from(url.searchParams.keys()))
    if (TRACKING.test(name)) url.searchParams.delete(name);
  return url.href;
}

/** A key that all addresses of one page share: `www`, the scheme and a trailing slash do not count. */
export function pageKey(canonical: string): string {
  const { pathname, search } = new URL(canonical);
  return `${hostOf(canonical)}${pathname.replace(/\/+$/, "")}${search}`;
}

export const hostOf = (canonical: string): string => new URL(canonical).host.replace(/^www\./, "");

/** True if the host is one of these sites, or below one of them. */
export const isOf = (host: string, sites: readonly string[]): boolean =>
  sites.some((site) => isBelow(host, site.replace(/^www\./, "")));
