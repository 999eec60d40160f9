/**
 * The addresses at which an assistant may receive the answer of its person (redirect URIs, RFC 6749 3.1.2): a website, a
 * program on the person's own computer, or an application with its own URI scheme (RFC 8252 7).
 */
export type Callback =
  | { readonly kind: "web" | "loopback"; readonly host: string }
  /** `scheme` without its colon */
  | { readonly kind: "app"; readonly scheme: string }
  /** `reason`: sentences for a person */
  | { readonly kind: "refused"; readonly reason: string };

const CHARS_MAX = 2_000;
/** RFC 8252 7.1: a domain that its maker controls, reversed. No scheme that a browser or a system acts on has a dot. */
const REVERSED_DOMAIN = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+$/;
/** Applications that use a shorter scheme all the same. */
const SHORT_SCHEMES = new Set(["claude", "cursor", "vscode", "vscode-insiders", "windsurf"]);

const ALLOWED =
  "It must be an https address, an http address of this computer (localhost, 127.0.0.1 or [::1], with any port), or a scheme that is a reversed domain name, such as com.example.app:/callback (RFC 8252).";

const refused = (problem: string): Callback => ({ kind: "refused", reason: `${problem} ${ALLOWED}` });

/** Reads a redirect URI. Text that a browser and a server could understand differently is refused. */
export function readCallback(text: string): Callback {
  if (text.length > CHARS_MAX) return refused("The address for the answer is too long.");
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u0020\u007f-\u009f\\]/.test(text) || !URL.canParse(text))
    return refused("The address for the answer cannot be read.");
  const url = new URL(text);
  if (text.includes("#")) return refused("The address for the answer has a fragment (#).");
  if (url.username !== "" || url.password !== "")
    return refused("The address for the answer holds a user name.");
  const scheme = url.protocol.slice(0, -1);
  if (scheme === "https") return { kind: "web", host: url.host };
  if (scheme === "http")
    return isLoopback(url.hostname)
      ? { kind: "loopback", host: url.host }
      : refused("The address for the answer is not protected: it uses http.");
  if (REVERSED_DOMAIN.test(scheme) || SHORT_SCHEMES.has(scheme)) return { kind: "app", scheme };
  return refused(`The address for the answer uses the scheme ${scheme}.`);
}

/** `hostname` as URL gives it: IPv4 in four parts, IPv6 in brackets. */
const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);

/** The place of an accepted address, for a person: `assistant.example`, or `com.example.app:`. */
export function destinationOf(address: string): string {
  const { host, protocol } = new URL(address);
  return protocol === "https:" || protocol === "http:" ? host : protocol;
}
