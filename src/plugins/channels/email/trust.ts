import { readAuthenticationResults, type Finding } from "./authentication-results.ts";
import { headersCovered, isWithin } from "./dkim-signature.ts";
import type { MailHeader } from "./mail-header.ts";

/**
 * Checks that a mail is from the sender it names, by the results of the receiving server (RFC 8601). A sender can add
 * such headers, so only the topmost one is read, and only if it names that server.
 */

/**
 * `domain` is that of the one address in `From`; `server` is null if the receiving server is not configured. Trusted
 * are `dmarc=pass` for exactly that domain, and `dkim=pass` of a signature by the domain or one above it. SPF is not
 * trusted: it names the servers that may send, and many domains share one. SPF results repeat text by the sender (the
 * greeting, the envelope), so nothing after the first of them can pass; a `dmarc=fail` counts at any position, and so
 * does a second DMARC result.
 */
export const isAuthentic = (headers: readonly MailHeader[], domain: string, server: string | null): boolean =>
  vouchingFindings(headers, domain, server).length > 0;

/**
 * True if only the sender's domain can have written the header. A signature must cover the header: others can be
 * added or changed on the way. Without a signature of the domain, DMARC passes by SPF: the mail came unchanged from a
 * server of the domain itself.
 */
export function coversHeaders(
  headers: readonly MailHeader[],
  domain: string,
  server: string | null,
): (name: string) => boolean {
  const from = domain.toLowerCase();
  const vouching = vouchingFindings(headers, domain, server);
  if (vouching.length === 0) return () => false;
  const signed = vouching.filter(({ method }) => method === "dkim");
  // If the server reports no signatures, DMARC may pass by any signature of the domain.
  const byDmarc = headers
    .filter(({ key }) => key === "dkim-signature")
    .flatMap(({ value }) => /(?:^|;)\s*d\s*=\s*([^;\s]+)/i.exec(value)?.[1]?.toLowerCase() ?? [])
    .filter((signer) => isRelated(from, signer))
    .map((signer): Finding => ({
      method: "dkim",
      result: "pass",
      properties: new Map([["header.d", signer]]),
    }));
  if (signed.length === 0 && byDmarc.length === 0) return () => true;
  const covered = (signed.length > 0 ? signed : byDmarc).map((finding) => headersCovered(headers, finding));
  return (name) => {
    const signs = covered.map((one) => one?.has("from") === true && one.has(name));
    return signed.length > 0 ? signs.includes(true) : signs.every(Boolean);
  };
}

/** DMARC takes a signature of any domain of the same organization, so also of one below. */
const isRelated = (domain: string, signer: string): boolean =>
  isWithin(domain, signer) ||
  isWithin(signer, domain) ||
  domain.split(".").slice(-2).join(".") === signer.split(".").slice(-2).join(".");

/** The findings of the receiving server by which a mail is from this domain. */
function vouchingFindings(
  headers: readonly MailHeader[],
  domain: string,
  server: string | null,
): readonly Finding[] {
  const top = headers.find(({ key }) => key === "authentication-results")?.value;
  if (top === undefined || server === null || domain === "") return [];
  const results = readAuthenticationResults(top);
  if (results?.server !== server.toLowerCase()) return [];
  const { findings, isWhole } = results;
  const spf = findings.findIndex(({ method }) => method === "spf");
  if (!isWhole && spf === -1) return [];
  const dmarc = findings.filter(({ method }) => method === "dmarc");
  if (dmarc.length > 1 || dmarc.some(({ result }) => result === "fail")) return [];
  const from = domain.toLowerCase();
  return findings.slice(0, spf === -1 ? findings.length : spf).filter((finding) => vouchesFor(finding, from));
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

/**
 * The domain itself, or one above it: its owner may speak for the domains below. A top-level domain's signature does
 * not count.
 */
const isAligned = (domain: string, signer: string): boolean =>
  /^[^.@\s]+(?:\.[^.@\s]+)+$/.test(signer) && isWithin(domain, signer);
