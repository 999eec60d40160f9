import { sha256Hex } from "../core/log/digest.ts";

/**
 * Signatures of webhooks: the seven schemes in which others sign what they send here, and the one in which
 * Cairn signs what it sends (https://www.standardwebhooks.com). All of them are HMAC-SHA256 over the bytes as they came, or
 * a shared secret. The text of a signature is compared, not its bytes: base64 has several texts for the same bytes.
 */

export const SCHEMES = ["standard", "github", "stripe", "slack", "shopify", "telegram", "bearer"] as const;
export type Scheme = (typeof SCHEMES)[number];

/** A request as it came, with nothing of it read. */
export interface Received {
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

/** Signature of a scheme: the signed text, and the candidate signatures. */
interface Claim {
  /** seconds since the epoch, as the sender wrote them; null where the scheme signs no time */
  readonly time: string | null;
  /** prefix of the body in the signed text */
  readonly head: string;
  readonly signatures: readonly string[];
  readonly encode: (mac: Uint8Array) => string;
  readonly key: (secret: string) => Uint8Array | null;
}

export type SignatureVerdict = "valid" | "invalid_signature" | "stale_timestamp";

/**
 * Checks whether any of the secrets signed this. `now` in milliseconds. Only a valid signer learns that the time was
 * wrong: to others, the answer reveals nothing.
 */
export async function checkSignature(
  scheme: Scheme,
  secrets: readonly string[],
  received: Received,
  now: number,
  toleranceSeconds: number,
): Promise<SignatureVerdict> {
  if (scheme === "telegram" || scheme === "bearer") {
    const shown = sharedSecret(scheme, received.headers);
    // Digests have equal length, so timing reveals nothing about the secret's.
    const same = secrets.map((secret) => sameText(sha256Hex(shown ?? ""), sha256Hex(secret)));
    return shown !== null && same.includes(true) ? "valid" : "invalid_signature";
  }
  const claim = readClaim(scheme, received.headers);
  if (claim === null) return "invalid_signature";
  const signed = join(encoder.encode(claim.head), received.bytes);
  let valid = false;
  for (const secret of secrets) {
    const key = claim.key(secret);
    if (key === null) continue;
    const right = claim.encode(await hmac(key, signed));
    for (const signature of claim.signatures) if (sameText(signature, right)) valid = true;
  }
  if (!valid) return "invalid_signature";
  const age = claim.time === null ? 0 : Math.abs(now / 1_000 - Number(claim.time));
  return age > toleranceSeconds ? "stale_timestamp" : "valid";
}

/** `v1,<base64>` over `<id>.<time>.<body>`. `time` in seconds. The secret is `whsec_` and base64; throws for any other. */
export async function signStandard(secret: string, id: string, time: number, body: string): Promise<string> {
  const key = secret.startsWith("whsec_") ? standardKey(secret) : null;
  if (key === null) throw new Error("a secret that signs begins with whsec_ and goes on in base64");
  return `v1,${toBase64(await hmac(key, encoder.encode(`${id}.${time}.${body}`)))}`;
}

/** The key of a Standard Webhooks secret: what base64 behind `whsec_` holds, else the text's own bytes. Null when it is none. */
export function standardKey(secret: string): Uint8Array | null {
  if (!secret.startsWith("whsec_")) return encoder.encode(secret);
  const text = secret.slice("whsec_".length);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null;
  try {
    return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  } catch {
    return null;
  }
}

/** Everything of a scheme except its signature. */
interface SchemeTraits {
  /** The name that the sender gives to a delivery, in the place where the scheme has it; null where it gives none. */
  readonly deliveryId: (headers: Headers, body: unknown) => string | null;
  /** The signature covers that name. Without it anyone can change the name on the way, and the digest of the body identifies a delivery. */
  readonly isIdSigned?: true;
  /** The answer, as JSON, to the sender's question whether the address is ours; null for any other body. */
  readonly challenge?: (body: unknown) => Readonly<Record<string, string>> | null;
}

export const SCHEME_TRAITS: Readonly<Record<Scheme, SchemeTraits>> = {
  standard: { deliveryId: (headers) => standardHeader(headers, "id"), isIdSigned: true },
  github: { deliveryId: (headers) => headers.get("x-github-delivery") },
  stripe: { deliveryId: (_headers, body) => field(body, "id"), isIdSigned: true },
  slack: {
    isIdSigned: true,
    deliveryId: (_headers, body) => field(body, "event_id") ?? field(body, "trigger_id"),
    // https://docs.slack.dev/reference/events/url_verification
    challenge: (body) => {
      const challenge = field(body, "challenge");
      return field(body, "type") === "url_verification" && challenge !== null ? { challenge } : null;
    },
  },
  shopify: { deliveryId: (headers) => headers.get("x-shopify-webhook-id") },
  telegram: { deliveryId: (_headers, body) => field(body, "update_id") },
  bearer: { deliveryId: (headers) => headers.get("idempotency-key") },
};

function readClaim(scheme: Exclude<Scheme, "telegram" | "bearer">, headers: Headers): Claim | null {
  switch (scheme) {
    case "standard": {
      const id = standardHeader(headers, "id");
      const time = seconds(standardHeader(headers, "timestamp"));
      const signatures = tagged(standardHeader(headers, "signature")?.split(" ") ?? [], "v1,");
      if (id === null || time === null) return null;
      return { time, head: `${id}.${time}.`, signatures, encode: toBase64, key: standardKey };
    }
    case "github": {
      const signatures = tagged([headers.get("x-hub-signature-256") ?? ""], "sha256=");
      return { time: null, head: "", signatures, encode: toHex, key: encoded };
    }
    case "stripe": {
      const fields = (headers.get("stripe-signature") ?? "").split(",");
      const time = seconds(tagged(fields, "t=")[0] ?? null);
      if (time === null) return null;
      return { time, head: `${time}.`, signatures: tagged(fields, "v1="), encode: toHex, key: encoded };
    }
    case "slack": {
      const time = seconds(headers.get("x-slack-request-timestamp"));
      if (time === null) return null;
      const signatures = tagged([headers.get("x-slack-signature") ?? ""], "v0=");
      return { time, head: `v0:${time}:`, signatures, encode: toHex, key: encoded };
    }
    case "shopify": {
      const signatures = tagged([headers.get("x-shopify-hmac-sha256") ?? ""], "");
      return { time: null, head: "", signatures, encode: toBase64, key: encoded };
    }
  }
}

function sharedSecret(scheme: "telegram" | "bearer", headers: Headers): string | null {
  if (scheme === "telegram") return headers.get("x-telegram-bot-api-secret-token");
  return /^Bearer (\S+)$/.exec(headers.get("authorization") ?? "")?.[1] ?? null;
}

/** Svix sends the same headers under its own name. */
function standardHeader(headers: Headers, name: string): string | null {
  const own = headers.has("webhook-signature") ? "webhook" : "svix";
  return headers.get(`${own}-${name}`);
}

function tagged(texts: readonly string[], tag: string): string[] {
  return texts.filter((text) => text.startsWith(tag)).map((text) => text.slice(tag.length));
}

const seconds = (text: string | null): string | null => (/^\d{1,12}$/.test(text ?? "") ? text : null);

function field(body: unknown, name: string): string | null {
  if (typeof body !== "object" || body === null || !Object.hasOwn(body, name)) return null;
  const value = (body as Record<string, unknown>)[name];
  return (typeof value === "string" && value !== "") || typeof value === "number" ? String(value) : null;
}

/** SHA-256 of bytes, as 64 hex digits. */
export async function digestOfBytes(bytes: Uint8Array): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

const encoder = new TextEncoder();
const encoded = (secret: string): Uint8Array => encoder.encode(secret);
const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

function join(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const whole = new Uint8Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}

async function hmac(key: Uint8Array, data: Uint8Array): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, data));
}

/** Takes as long for a wrong text as for the right one of the same length. */
function sameText(left: string, right: string): boolean {
  let difference = left.length ^ right.length;
  for (let at = 0; at < right.length; at++)
    difference |= left.charCodeAt(at % (left.length || 1)) ^ right.charCodeAt(at);
  return difference === 0;
}
