import type { Finding } from "./authentication-results.ts";
import type { MailHeader } from "./mail-header.ts";

/**
 * `DKIM-Signature` headers (RFC 6376 section 3.5), parsed for the headers of the mail that a signature covers. The
 * receiving server has verified the signature; its results do not list the signed headers.
 */

/** the longest header that is read, and how many of a mail */
const CHARS_MAX = 16_384;
const SIGNATURES_MAX = 20;

interface Signature {
  readonly domain: string;
  readonly selector: string;
  /** the signature itself, without blanks */
  readonly value: string;
  /** names of headers, in lower case */
  readonly covered: ReadonlySet<string>;
  /** it ends before the body does, so anything can be added below */
  readonly isCut: boolean;
}

/**
 * The headers that this result's signature covers; null if the mail has no such signature, or it does not cover the
 * whole body. A sender can add signatures to a mail, so if several match, each must cover a header.
 */
export function headersCovered(
  headers: readonly MailHeader[],
  { properties }: Finding,
): ReadonlySet<string> | null {
  const [signer, identity] = [properties.get("header.d"), properties.get("header.i")];
  const domain = signer ?? identity?.split("@").at(-1) ?? null;
  const selector = properties.get("header.s") ?? null;
  const start = properties.get("header.b") ?? null;
  const meant = signaturesIn(headers).filter(
    (one) =>
      one === null ||
      ((signer === undefined ? domain !== null && isWithin(domain, one.domain) : one.domain === domain) &&
        (selector === null || one.selector === selector) &&
        (start === null || one.value.toLowerCase().startsWith(start))),
  );
  const [first] = meant;
  if (domain === null || first === undefined || first === null) return null;
  if (meant.some((one) => one === null || one.isCut)) return null;
  return new Set([...first.covered].filter((name) => meant.every((one) => one?.covered.has(name) === true)));
}

/** True for the domain itself, and for one below it. */
export const isWithin = (domain: string, above: string): boolean =>
  domain === above || domain.endsWith(`.${above}`);

/** Null for an unreadable signature: it may be the matching one. */
function signaturesIn(headers: readonly MailHeader[]): readonly (Signature | null)[] {
  const found = headers.filter(({ key }) => key === "dkim-signature");
  if (found.length > SIGNATURES_MAX) return [null];
  return found.map(({ value }) => readSignature(value));
}

function readSignature(text: string): Signature | null {
  if (text.length > CHARS_MAX) return null;
  const tags = new Map<string, string>();
  for (const part of text.split(";")) {
    const at = part.indexOf("=");
    if (at < 0) {
      if (part.trim() !== "") return null;
      continue;
    }
    const name = part.slice(0, at).trim();
    // A tag that is given twice makes the whole signature void (section 3.2).
    if (tags.has(name)) return null;
    tags.set(name, part.slice(at + 1).replace(/\s/g, ""));
  }
  const [domain, selector, value, covered] = ["d", "s", "b", "h"].map((name) => tags.get(name));
  if (domain === undefined || selector === undefined || value === undefined || covered === undefined)
    return null;
  return {
    domain: domain.toLowerCase(),
    selector: selector.toLowerCase(),
    value,
    covered: new Set(covered.toLowerCase().split(":")),
    isCut: tags.has("l"),
  };
}
