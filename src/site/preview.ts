import * as z from "zod";

/**
 * Tokens that show drafts for a while: `base64url(payload).base64url(HMAC-SHA-256)`. The MAC is over the encoded
 * payload, so no second spelling of a payload passes.
 */

export const PREVIEW_DEFAULT_MS = 60 * 60 * 1_000;
export const PREVIEW_MAX_MS = 24 * 60 * 60 * 1_000;
/** longer texts are refused unread */
const PREVIEW_TOKEN_CHARS_MAX = 1_000;

const payloadSchema = z.strictObject({
  v: z.literal(1),
  env: z.string().min(1),
  scope: z.enum(["site", "page", "entry"]),
  id: z.string().min(1).max(64).optional(),
  exp: z.int(),
});

/** What a token allows to see. `id` names the page or entry; `exp` is in ms since the epoch. */
export interface PreviewGrant {
  readonly env: string;
  readonly scope: "site" | "page" | "entry";
  readonly id?: string;
  readonly exp: number;
}

/** The token of a grant. */
export async function mintPreviewToken(secret: string, grant: PreviewGrant): Promise<string> {
  const { env, scope, id, exp } = grant;
  const payload = JSON.stringify({ v: 1, env, scope, ...(id === undefined ? {} : { id }), exp });
  const encoded = toBase64Url(new TextEncoder().encode(payload));
  const mac = await crypto.subtle.sign("HMAC", await keyOf(secret), new TextEncoder().encode(encoded));
  return `${encoded}.${toBase64Url(new Uint8Array(mac))}`;
}

/**
 * The grant of a token, or null: malformed, altered, signed with another secret, expired, or good for longer than a token
 * may be. `now` in ms. The answer does not say which.
 */
export async function checkPreviewToken(
  secret: string,
  token: string,
  now: number,
): Promise<PreviewGrant | null> {
  if (token.length > PREVIEW_TOKEN_CHARS_MAX) return null;
  const [encoded = "", mac = "", ...others] = token.split(".");
  const given = fromBase64Url(mac);
  const payload = fromBase64Url(encoded);
  if (given === null || payload === null || others.length > 0) return null;
  const signed = new TextEncoder().encode(encoded);
  if (!(await crypto.subtle.verify("HMAC", await keyOf(secret), given, signed))) return null;
  const parsed = payloadSchema.safeParse(jsonOf(new TextDecoder().decode(payload)));
  if (!parsed.success) return null;
  const { env, scope, id, exp } = parsed.data;
  if (exp <= now || exp > now + PREVIEW_MAX_MS || (scope === "site") !== (id === undefined)) return null;
  return { env, scope, ...(id === undefined ? {} : { id }), exp };
}

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(secret);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
}

function toBase64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Null for what is no base64url, and for a spelling other than the one that encoding gives. */
function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]+$/.test(text) || text.length % 4 === 1) return null;
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  return toBase64Url(bytes) === text ? bytes : null;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
