import { REDIRECTS_MAX, URL_CHARS_MAX } from "../core/limits.ts";
import { judgeAddress } from "./safe-address.ts";

/**
 * Which requests of a tool may leave. The URL is read by the parser that the platform's `fetch` uses (WHATWG),
 * so that both mean the same host whatever the spelling: octal, hexadecimal and short IPv4, percent and full-width
 * letters, backslashes. What is requested afterwards is the `url` of the verdict, never the text that was given.
 *
 * Before each hop: `judgeUrl` (or `judgeRedirect`); where `needsLookup`, every address that the name resolves to goes
 * through `judgeAddress`, and one refused refuses the name.
 *
 * This cannot exclude rebinding: the platform resolves the name once more when it connects, and a hostile name
 * server may answer otherwise by then. A deployment that must exclude it sets `allow`; then only these names are reached.
 */
export interface UrlFacts {
  /** names under which this deployment answers; what lies below them too */
  readonly ownHosts: readonly string[];
  /** names that are never reached, and what lies below them */
  readonly deny: readonly string[];
  /** when not empty, the only names that are reached: `example.com` itself, `*.example.com` for what lies below it */
  readonly allow: readonly string[];
  /** origins of this machine that an operator has named: they are reached although they are not public */
  readonly local?: readonly string[];
}

type UrlCode =
  | "url_invalid"
  | "url_scheme"
  | "url_credentials"
  | "url_port"
  | "url_host"
  | "url_address"
  | "url_own_host"
  | "url_denied"
  | "url_not_allowed"
  | "url_redirects";

interface UrlRefusal {
  readonly ok: false;
  readonly code: UrlCode;
  /** one sentence for the model and the person */
  readonly why: string;
}

export type UrlVerdict =
  | {
      readonly ok: true;
      /** what is to be requested: normalised, without a fragment */
      readonly url: string;
      /** lower case, without a trailing dot; an IPv6 address in brackets */
      readonly host: string;
      /** false where the host is an address, which has been judged */
      readonly needsLookup: boolean;
    }
  | UrlRefusal;

/** Names that never lead to a public server (RFC 6761, 6762, 7686, 8375, 9476, and what networks use without asking). */
const SPECIAL_NAMES: readonly string[] = [
  "local",
  "localhost",
  "localdomain",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "arpa",
  "onion",
  "i2p",
  "alt",
  "test",
  "invalid",
  "metadata.goog",
];

/** Judges an absolute URL as it was written by a model, a page or a person. */
export function judgeUrl(text: string, facts: UrlFacts): UrlVerdict {
  if (text.length > URL_CHARS_MAX) return refuse("url_invalid", `The URL is longer than ${URL_CHARS_MAX}.`);
  const url = parse(text);
  return url === null ? refuse("url_invalid", "This is no absolute URL.") : judgeParsedUrl(url, facts);
}

/**
 * Judges where a response points to. `from` is the URL that answered, `to` its Location header, relative or not; `hop`
 * counts from 1. Each hop is judged as if it stood alone.
 */
export function judgeRedirect(
  from: string,
  to: string,
  hop: number,
  facts: UrlFacts,
  redirectsMax = REDIRECTS_MAX,
): UrlVerdict {
  if (hop > redirectsMax)
    return refuse("url_redirects", `The page redirects more than ${redirectsMax} times.`);
  if (to.length > URL_CHARS_MAX) return refuse("url_invalid", `The URL is longer than ${URL_CHARS_MAX}.`);
  const url = parse(to, from);
  if (url === null) return refuse("url_invalid", "The page redirects to no URL.");
  // A redirect from outside must not lead into this machine.
  return judgeParsedUrl(url, url.origin === parse(from)?.origin ? facts : { ...facts, local: [] });
}

/** The address as the judge has it, so that two spellings of one are one; null for one that no deployment reaches. */
export function publicUrl(text: string): string | null {
  const verdict = judgeUrl(text, { ownHosts: [], deny: [], allow: [] });
  return verdict.ok ? verdict.url : null;
}

/** The same; as it is where it is none. */
export const canonicalUrl = (text: string): string => publicUrl(text) ?? text;

function judgeParsedUrl(url: URL, facts: UrlFacts): UrlVerdict {
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return refuse("url_scheme", "Only http and https are reached.");
  if (url.username !== "" || url.password !== "")
    return refuse("url_credentials", "A URL with a user name or password is not reached.");
  if (facts.local?.includes(url.origin) === true) {
    url.hash = "";
    return { ok: true, url: url.href, host: url.hostname, needsLookup: false };
  }
  if (!["", "80", "443"].includes(url.port))
    return refuse("url_port", "Only the ports 80 and 443 are reached.");
  const host = withoutDot(url.hostname);
  const address = host.startsWith("[") || /^[\d.]+$/.test(host);
  const refusal = address ? judgeLiteral(host) : judgeName(host);
  if (refusal !== null) return refusal;
  if (facts.ownHosts.some((own) => isWithin(host, own)))
    return refuse("url_own_host", `${host} is this deployment itself.`);
  if (facts.deny.some((denied) => isWithin(host, denied)))
    return refuse("url_denied", `${host} is on the deny list.`);
  if (facts.allow.length > 0 && !facts.allow.some((allowed) => isAllowed(host, allowed)))
    return refuse("url_not_allowed", `${host} is not on the allow list.`);
  url.hash = "";
  url.hostname = host;
  return { ok: true, url: url.href, host, needsLookup: !address };
}

function judgeLiteral(host: string): UrlRefusal | null {
  const verdict = judgeAddress(host);
  return verdict.ok ? null : verdict;
}

function judgeName(host: string): UrlRefusal | null {
  const labels = host.split(".");
  if (host.length > 253 || labels.some((label) => label === "" || label.length > 63))
    return refuse("url_host", "This is no name of a host.");
  if (labels.length === 1) return refuse("url_host", `${host} is a name of a local network.`);
  const special = SPECIAL_NAMES.find((name) => isBelow(host, name));
  return special === undefined
    ? null
    : refuse("url_host", `${host} is no public name (.${special} is reserved).`);
}

/** An entry that cannot be read refuses everything: a list that was meant to protect must not fail open. */
function isWithin(host: string, entry: string): boolean {
  const name = nameOf(entry.replace(/^\*?\./, ""));
  return name === null || isBelow(host, name);
}

/** An entry of a list of hosts: `example.com` itself, `*.example.com` for what lies below it. */
export function isAllowed(host: string, entry: string): boolean {
  const below = entry.startsWith("*.");
  const name = nameOf(entry.replace(/^\*\./, ""));
  return name !== null && (below ? host.endsWith(`.${name}`) : host === name);
}

/** Both as the parser writes hosts. */
export const isBelow = (host: string, name: string): boolean => host === name || host.endsWith(`.${name}`);

/** An entry of a list in the spelling that the parser gives to hosts; a port or a scheme in it does not matter. */
function nameOf(entry: string): string | null {
  const url = parse(/^[a-z][a-z+.-]*:\/\//i.test(entry) ? entry : `http://${entry}`);
  return url === null || url.hostname === "" ? null : withoutDot(url.hostname);
}

const withoutDot = (host: string): string => host.replace(/\.$/, "");

function parse(text: string, base?: string): URL | null {
  try {
    return base === undefined ? new URL(text) : new URL(text, base);
  } catch {
    return null;
  }
}

function refuse(code: UrlCode, why: string): UrlRefusal {
  return { ok: false, code, why };
}
