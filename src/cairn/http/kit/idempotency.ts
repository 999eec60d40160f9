import { err, ok } from "../../core/log/result.ts";
import { sha256Hex } from "../../core/log/digest.ts";
import { canonicalJson, type Json } from "../../core/log/json.ts";
import type { ApiResult, IdempotencyKey } from "../../session/api/session-api.ts";
import { invalid } from "./responses.ts";
import { pathOf } from "./request-policy.ts";
import type { HttpContext } from "./route.ts";

/** `Idempotency-Key`: the same subject, path, key and body get the first answer. */

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/;

/** The key of this request with the digest of its body; null when it has none, 400 when it is malformed. */
export function parseIdempotencyKey(c: HttpContext, body: unknown): ApiResult<IdempotencyKey | null> {
  const key = c.req.header("idempotency-key") ?? null;
  if (key === null) return ok(null);
  if (!IDEMPOTENCY_KEY.test(key))
    return err(invalid("Idempotency-Key is 1 to 128 visible ASCII characters."));
  return ok({
    key: sha256Hex(JSON.stringify([c.var.actor.subject, pathOf(c.req.raw), key])),
    digest: sha256Hex(canonicalJson(body as Json)),
  });
}

const ID_CHARS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** A prefix and 20 of `[a-z0-9]`: as hard to guess as the seed, and the same for the same seed. */
function nameOf(prefix: string, seed: string): string {
  let rest = BigInt(`0x${sha256Hex(seed).slice(0, 40)}`);
  let id = "";
  for (let n = 0; n < 20; n++) {
    id += ID_CHARS[Number(rest % 36n)] ?? "";
    rest /= 36n;
  }
  return `${prefix}_${id}`;
}

/** The id of a session that a request makes: the same for the same key. `newId` is a UUID. */
export function newSessionId(idempotency: IdempotencyKey | null, newId: () => string): string {
  return nameOf("ses", idempotency === null ? newId() : `session ${idempotency.key}`);
}

/** As `newSessionId`, of a read-only link. */
export function newShareId(idempotency: IdempotencyKey | null, newId: () => string): string {
  return nameOf("shr", idempotency === null ? newId() : `share ${idempotency.key}`);
}

/** As `newSessionId`, of a schedule. */
export function newScheduleId(idempotency: IdempotencyKey | null, newId: () => string): string {
  return nameOf("sch", idempotency === null ? newId() : `schedule ${idempotency.key}`);
}
