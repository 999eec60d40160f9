import { fetcherOf, textOf, type Fetcher, type FetcherBindings } from "./bindings.ts";
import type { UrlFacts } from "./safe-url.ts";

/** How a tool of the web reaches out: the port through which every request of it leaves, and which may leave. */

export interface WebAccess {
  readonly fetch: Fetcher;
  readonly facts: UrlFacts;
  /** a resolver that answers JSON (`application/dns-json`): it is asked before a name is reached */
  readonly dnsUrl: string;
}

/** Variables that determine access. A variable that is set but unreadable allows nothing. */
export interface AccessBindings extends FetcherBindings {
  readonly WEB_ALLOW?: unknown;
  readonly WEB_DENY?: unknown;
  readonly WEB_DNS_URL?: unknown;
  readonly PUBLIC_URL?: unknown;
  readonly ORIGINS?: unknown;
}

const DNS_URL = "https://cloudflare-dns.com/dns-query";

/** The access of a deployment, by its variables (docs/configuration.md). Never throws. */
export function accessOf(env: AccessBindings): WebAccess {
  const ownHosts = [...namesIn(env.PUBLIC_URL), ...namesIn(env.ORIGINS)];
  return {
    fetch: fetcherOf(env),
    facts: { ownHosts, deny: namesIn(env.WEB_DENY), allow: namesIn(env.WEB_ALLOW) },
    dnsUrl: textOf(env.WEB_DNS_URL) || DNS_URL,
  };
}

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
