import type { UrlFacts } from "./safe-url.ts";

/** How a tool of the web reaches out: the port through which every request of it leaves, and which may leave. */

/** As the platform's `fetch`, of a URL that was judged. Tests give one that leads to a server on this machine. */
export type Fetcher = (url: string, init: RequestInit) => Promise<Response>;

export interface WebAccess {
  readonly fetch: Fetcher;
  readonly facts: UrlFacts;
  /** a resolver that answers JSON (`application/dns-json`): it is asked before a name is reached */
  readonly dnsUrl: string;
}

/** What of the environment says it. Whatever is set and cannot be read reaches nothing. */
export interface AccessBindings {
  readonly WEB_ALLOW?: unknown;
  readonly WEB_DENY?: unknown;
  readonly WEB_DNS_URL?: unknown;
  readonly PUBLIC_URL?: unknown;
  readonly ORIGINS?: unknown;
  /** not a variable: the port of a test */
  readonly fetcher?: Fetcher;
}

const DNS_URL = "https://cloudflare-dns.com/dns-query";

/** The access of a deployment, by its variables (docs/configuration.md). Never throws. */
export function accessOf(env: AccessBindings): WebAccess {
  const ownHosts = [...namesIn(env.PUBLIC_URL), ...namesIn(env.ORIGINS)];
  const dnsUrl =
    typeof env.WEB_DNS_URL === "string" && env.WEB_DNS_URL.trim() !== "" ? env.WEB_DNS_URL : DNS_URL;
  return {
    fetch: env.fetcher ?? askPlatform,
    facts: { ownHosts, deny: namesIn(env.WEB_DENY), allow: namesIn(env.WEB_ALLOW) },
    dnsUrl: dnsUrl.trim(),
  };
}

// Not handed on as it is: the platform's function must be called without a receiver.
const askPlatform: Fetcher = (url, init) => fetch(url, init);

/** An entry that the judge cannot read: it denies everything and allows nothing. */
const UNREADABLE = " ";

/** A comma list, or a list of TOML. */
function namesIn(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const entries: readonly unknown[] = typeof value === "string" ? value.split(",") : [value].flat();
  return entries
    .map((entry) => (typeof entry === "string" ? entry.trim() : UNREADABLE))
    .filter((entry) => entry !== "");
}
