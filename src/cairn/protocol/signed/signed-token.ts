import { hmacSha256, sameText } from "../../core/log/digest.ts";

/**
 * Tokens `<p>.<s>` with a signed purpose: `p` is the base64url of a JSON text, `s` that of HMAC-SHA256 over the purpose
 * and `p`. The holder can read the content, but cannot forge it.
 */

/** `purpose` prevents a token of one kind from passing as another, should the two share a secret. */
export function signToken(secret: string, purpose: string, payload: string): string {
  const p = toBase64Url(payload);
  return `${p}.${hmacSha256(secret, purpose + p)}`;
}

/** The JSON text of a token that one of these secrets has signed; null for any other. */
export function readToken(secrets: readonly string[], purpose: string, token: string): string | null {
  const [, p, s] = /^([\w-]{1,4000})\.([\w-]{43})$/.exec(token) ?? [];
  if (p === undefined || s === undefined) return null;
  const signed = secrets.filter((secret) => sameText(hmacSha256(secret, purpose + p), s));
  return signed.length === 0 ? null : fromBase64Url(p);
}

/** Returns the content of a token without checking its signature. Null if it is not base64url of UTF-8. */
export function peekToken(token: string): string | null {
  return fromBase64Url(token.split(".", 1)[0] ?? "");
}

export function toBase64Url(text: string): string {
  const bytes = String.fromCharCode(...new TextEncoder().encode(text));
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export function fromBase64Url(text: string): string | null {
  try {
    const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(
      Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)),
    );
  } catch {
    return null;
  }
}
