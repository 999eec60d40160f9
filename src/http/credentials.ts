import { sha256Hex } from "../core/digest.ts";
import type { Actor, Answer, Scope } from "../session/door.ts";
import type { Config, Grant } from "../wire/config.ts";
import { given, refusal, refused } from "./answers.ts";
import { isUpgrade } from "./clean.ts";

/** Who asks, from the credential alone (interface 2). */

const WINDOW_MS = 60_000;
const ADDRESSES_MAX = 1_000;
const LOCAL_HOSTS: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);
const ALL_SCOPES: readonly Scope[] = ["read", "send", "approve", "admin"];
const UNAUTHENTICATED = refusal(
  401,
  "unauthenticated",
  "A valid token is needed.",
  "Send it as: Authorization: Bearer <token>.",
);

export const isLocal = (request: Request): boolean => LOCAL_HOSTS.has(new URL(request.url).hostname);

/** `admin` holds every scope; no other implies another. */
export const hasScope = (actor: Actor, scope: Scope): boolean =>
  actor.scopes.includes("admin") || actor.scopes.includes(scope);

export interface Authenticator {
  /** Refuses with 401, or 429 for an address that has sent too many wrong tokens. */
  authenticate(request: Request): Answer<Actor>;
}

/** Keeps the wrong tokens of the last minute per client address, in this isolate only. */
export function createAuthenticator(config: Config, now: () => number): Authenticator {
  const failures = new Map<string, number[]>();

  return {
    authenticate(request) {
      const via = isUpgrade(request) ? "socket" : "http";
      const header = request.headers.get("authorization");
      if (header === null) {
        const welcome = config.anonymous && isLocal(request);
        return welcome ? given({ subject: "anonymous", scopes: ALL_SCOPES, via }) : refused(UNAUTHENTICATED);
      }
      const at = now();
      const address = request.headers.get("cf-connecting-ip") ?? "";
      const recent = (failures.get(address) ?? []).filter((time) => time > at - WINDOW_MS);
      if (recent.length >= config.limits.authFailuresPerMinute) {
        const wait = ((recent[0] ?? at) + WINDOW_MS - at) / 1_000;
        return refused({ ...refusal(429, "rate_limited", "Too many wrong tokens."), retryAfter: wait });
      }
      const grant = findGrant(config.tokens, bearerToken(header), at);
      if (grant !== null) {
        const ends = grant.expiresAt === null ? {} : { expiresAt: grant.expiresAt };
        return given({ subject: grant.subject, scopes: grant.scopes, via, ...ends });
      }
      failures.delete(address);
      failures.set(address, [...recent, at]);
      const oldest = failures.keys().next();
      if (failures.size > ADDRESSES_MAX && !oldest.done) failures.delete(oldest.value);
      return refused(UNAUTHENTICATED);
    },
  };
}

const bearerToken = (header: string): string => /^bearer +(\S+) *$/i.exec(header)?.[1] ?? "";

/** Compares digests, each with every one, so that the time tells nothing of a token or of its place in the list. */
function findGrant(grants: readonly Grant[], token: string, at: number): Grant | null {
  const presented = new TextEncoder().encode(sha256Hex(token));
  let found: Grant | null = null;
  for (const grant of grants) {
    if (crypto.subtle.timingSafeEqual(presented, new TextEncoder().encode(grant.digest))) found = grant;
  }
  return found !== null && (found.expiresAt === null || found.expiresAt > at) ? found : null;
}
