import { SUBJECT_PATTERN } from "../core/log/names.ts";
import { sha256Hex } from "../core/log/digest.ts";
import { isObject, parseObject } from "../protocol/variables.ts";

/** AUTH_TOKENS: who may log in, and with which scopes. */

export const SCOPES = ["read", "send", "approve", "admin"] as const;

/** A token that may log in. Only its digest is stored. */
export interface Grant {
  /**
   * Name of the grant, which does not reveal the token. Stored with delayed actions under this grant: a change of
   * scopes or expiry preserves the name, another token or subject changes it.
   */
  readonly name: string;
  /** 64 lower-case hex digits: SHA-256 of the token */
  readonly digest: string;
  readonly subject: string;
  readonly scopes: readonly (typeof SCOPES)[number][];
  /** milliseconds since the epoch, null for never */
  readonly expiresAt: number | null;
}

/** ISO 8601: a day (its start in UTC), or a time with its offset. */
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

/** The tokens of AUTH_TOKENS; null when one of them is malformed. */
export function parseTokens(value: unknown, refuse: (message: string) => void): Grant[] | null {
  const table = parseObject(value);
  if (table === null) {
    refuse("Must be a JSON object of token → {subject, scopes, expires?}.");
    return null;
  }
  const grants: Grant[] = [];
  let sound = true;
  for (const [index, [token, entry]] of Object.entries(table).entries()) {
    const wrong = (message: string): void => {
      sound = false;
      refuse(`Entry ${index + 1}: ${message}`);
    };
    const digest = tokenDigest(token);
    if (digest === null)
      wrong("a token is 16 to 256 visible ASCII characters, or sha256: and 64 hex digits.");
    if (digest !== null && grants.some((grant) => grant.digest === digest))
      wrong("this token is listed twice.");
    const fields = isObject(entry) && !Array.isArray(entry) ? entry : {};
    const { subject, scopes, expires, ...others } = fields as Record<string, unknown>;
    if (Object.keys(others).length > 0) wrong("only subject, scopes and expires are known.");
    if (typeof subject !== "string" || !SUBJECT_PATTERN.test(subject))
      wrong("subject is 1 to 64 of A-Z a-z 0-9 _ . @ : - and does not start with hook:.");
    const given = Array.isArray(scopes) ? SCOPES.filter((scope) => scopes.includes(scope)) : [];
    if (!Array.isArray(scopes) || !scopes.every((scope) => (SCOPES as readonly unknown[]).includes(scope)))
      wrong(`scopes is an array of ${SCOPES.join(", ")}.`);
    const expiresAt = typeof expires === "string" && TIME.test(expires) ? Date.parse(expires) : NaN;
    if (expires !== undefined && Number.isNaN(expiresAt))
      wrong("expires is an ISO 8601 day, or a time with Z or an offset.");
    const ends = expires === undefined ? null : expiresAt;
    grants.push({
      name: sha256Hex(JSON.stringify(["grant", digest, subject])).slice(0, 32),
      digest: digest ?? "",
      subject: String(subject),
      scopes: given,
      expiresAt: ends,
    });
  }
  return sound ? grants : null;
}

/** True for the name of this grant, and for the one that earlier releases made of its scopes and its end too. */
export function isNameOf({ name, digest, subject, scopes, expiresAt }: Grant, given: string): boolean {
  if (name === given) return true;
  return sha256Hex(JSON.stringify(["grant", digest, subject, scopes, expiresAt])).slice(0, 32) === given;
}

function tokenDigest(token: string): string | null {
  if (token.startsWith("sha256:")) {
    const hex = token.slice("sha256:".length).toLowerCase();
    return /^[0-9a-f]{64}$/.test(hex) ? hex : null;
  }
  return /^[\x21-\x7e]{16,256}$/.test(token) ? sha256Hex(token) : null;
}
