import { readAuthenticationResults, type Finding } from "./authentication-results.ts";

/**
 * Checks that a mail is from the sender it names, by what the server that received it found (RFC 8601). A mail can bring such
 * headers itself, so only the topmost one is read, and only if it names that server.
 */

export interface MailHeader {
  /** in lower case */
  readonly key: string;
  readonly value: string;
}

/**
 * `domain` is that of the one address in `From`; `server` is null where nobody has configured the receiving server. Trusted are
 * `dmarc=pass` for exactly that domain, and `dkim=pass` of a signature by the domain or one above it. SPF is not: it names the
 * servers that may send, and many domains share one. SPF findings repeat words of the sender (the greeting, the envelope), so
 * nothing behind the first of them can pass; a `dmarc=fail` counts wherever it stands, and so does a second DMARC result.
 */
export function isAuthentic(headers: readonly MailHeader[], domain: string, server: string | null): boolean {
  const top = headers.find(({ key }) => key === "authentication-results")?.value;
  if (top === undefined || server === null || domain === "") return false;
  const results = readAuthenticationResults(top);
  if (results?.server !== server.toLowerCase()) return false;
  const { findings, isWhole } = results;
  const spf = findings.findIndex(({ method }) => method === "spf");
  if (!isWhole && spf === -1) return false;
  const dmarc = findings.filter(({ method }) => method === "dmarc");
  if (dmarc.length > 1 || dmarc.some(({ result }) => result === "fail")) return false;
  const from = domain.toLowerCase();
  return findings.slice(0, spf === -1 ? findings.length : spf).some((finding) => vouchesFor(finding, from));
}

function vouchesFor({ method, result, properties }: Finding, domain: string): boolean {
  if (result !== "pass" || [...properties.values()].includes(null)) return false;
  if (method === "dmarc") return properties.get("header.from") === domain;
  if (method !== "dkim") return false;
  const signer = properties.get("header.d");
  const identity = domainOf(properties.get("header.i"));
  if (signer === undefined) return identity !== null && isAligned(domain, identity);
  // A signature may name an identity only in the domain of the signer, or below it (RFC 6376 section 3.5).
  if (identity !== null && signer !== null && !isWithin(identity, signer)) return false;
  return signer !== null && isAligned(domain, signer);
}

/** Behind the only `@`: a value with several of them names no domain for certain. */
function domainOf(identity: string | null | undefined): string | null {
  const [, domain, more] = identity?.split("@") ?? [];
  return domain === undefined || more !== undefined ? null : domain;
}

const isWithin = (domain: string, above: string): boolean => domain === above || domain.endsWith(`.${above}`);

/** The domain itself, or one above it: the owner of that one may speak for the domains below. A top-level domain signs for nobody. */
const isAligned = (domain: string, signer: string): boolean =>
  /^[^.@\s]+(?:\.[^.@\s]+)+$/.test(signer) && isWithin(domain, signer);
