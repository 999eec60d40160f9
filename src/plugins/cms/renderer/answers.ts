/** Headers of the site: stored content cannot run scripts, public content is revalidated, drafts are never cached. */

const SITE_POLICY =
  "default-src 'none'; script-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'";
const REVALIDATE = "public, max-age=0, must-revalidate";

const PUBLIC = { preview: false, listed: true };
const EVERYWHERE = { "content-security-policy": SITE_POLICY, "x-content-type-options": "nosniff" };
const DRAFT = { "cache-control": "private, no-store", "referrer-policy": "no-referrer" };

/**
 * `etag` null: the response is not cached. `preview`: a token was given, so nothing may be stored or passed on.
 * `listed`: search engines may index it.
 */
export function siteHeaders(
  type: string,
  etag: string | null,
  { preview, listed }: { readonly preview: boolean; readonly listed: boolean } = PUBLIC,
): Headers {
  const headers = new Headers({ "content-type": type, ...EVERYWHERE });
  headers.set("cache-control", etag === null ? "no-store" : REVALIDATE);
  if (etag !== null && !preview) headers.set("etag", etag);
  if (preview || !listed) headers.set("x-robots-tag", "noindex, nofollow");
  if (preview) for (const [name, value] of Object.entries(DRAFT)) headers.set(name, value);
  return headers;
}

export const HTML = "text/html; charset=utf-8";
export const PLAIN = "text/plain; charset=utf-8";

/** A weak tag of everything that an answer depends on. */
export async function weakTag(...parts: readonly (string | number)[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(parts));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `W/"${Array.from(digest.subarray(0, 12), (one) => one.toString(16).padStart(2, "0")).join("")}"`;
}

/** True if the client has this response already (RFC 9110 13.1.2, weak comparison). */
export function isKnown(request: Request, etag: string): boolean {
  const given = request.headers.get("if-none-match");
  if (given === null) return false;
  const bare = (tag: string): string => tag.trim().replace(/^W\//, "");
  return given.trim() === "*" || given.split(",").some((one) => bare(one) === bare(etag));
}
