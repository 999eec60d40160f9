/** Addresses of results, so that one page is one result, whoever found it and under which name. */

/** parameters that say where a visitor came from, and nothing about the page */
const TRACKING =
  /^(?:utm_\w+|gclid|gbraid|wbraid|dclid|fbclid|msclkid|yclid|mc_cid|mc_eid|igshid|_hsenc|_hsmi|mkt_tok)$/i;

/** The address without what says nothing about the page; null for one that is none of the web. */
export function canonicalUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return null;
  if (url.username !== "" || url.password !== "") return null;
  url.hash = "";
  url.hostname = url.hostname.replace(/\.$/, "");
  for (const name of [...url.searchParams.keys()]) if (TRACKING.test(name)) url.searchParams.delete(name);
  return url.href;
}

/** What two addresses of one page have in common: neither `www`, nor the scheme, nor a slash at the end makes another page. */
export function pageKey(canonical: string): string {
  const { pathname, search } = new URL(canonical);
  return `${hostOf(canonical)}${pathname.replace(/\/+$/, "")}${search}`;
}

export const hostOf = (canonical: string): string => new URL(canonical).host.replace(/^www\./, "");

/** Whether a host is one of these, or below one of them. */
export const isOf = (host: string, sites: readonly string[]): boolean =>
  sites.some((site) => {
    const bare = site.replace(/^www\./, "");
    return host === bare || host.endsWith(`.${bare}`);
  });
