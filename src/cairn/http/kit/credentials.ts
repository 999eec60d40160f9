import * as z from "zod";
import { err, ok } from "../../core/log/result.ts";
import { sha256Hex } from "../../core/log/digest.ts";
import {
  refusal,
  type Actor,
  type ApiError,
  type ApiResult,
  type Scope,
} from "../../session/api/session-api.ts";
import type { Config } from "../../config/config.ts";
import { actorOfGrant, ANONYMOUS_SUBJECT, hasNotEnded } from "../../config/rights.ts";
import { SCOPES, type Grant } from "../../config/tokens.ts";
import { fromBase64Url, toBase64Url } from "../../protocol/signed/signed-token.ts";
import { readTicket, signTicket, type Ticket } from "../../protocol/signed/ticket.ts";
import { isUpgrade, pathOf } from "./request-policy.ts";

/** Authenticates a request from the credential alone. */

const WINDOW_MS = 60_000;
const ADDRESSES_MAX = 1_000;
const LOCAL_HOSTS: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);
const ALL_SCOPES: readonly Scope[] = ["read", "send", "approve", "admin"];
export const UNAUTHENTICATED = refusal(
  401,
  "unauthenticated",
  "A valid token is needed.",
  "Send it as: Authorization: Bearer <token>.",
);

export const isLocal = (request: Request): boolean => LOCAL_HOSTS.has(new URL(request.url).hostname);

/** `admin` holds every scope; no other implies another. */
export const hasScope = (actor: Actor, scope: Scope): boolean =>
  actor.scopes.includes("admin") || actor.scopes.includes(scope);

/** Returns the owner whose items a list shows: the caller; null for an admin, who sees everyone's. */
export const ownersSeenBy = (actor: Actor): string | null =>
  hasScope(actor, "admin") ? null : actor.subject;

export interface Authenticator {
  /**
   * By bearer token, by the ticket of an upgrade, by the cookie of an own page, in this order; else anonymous where that is
   * allowed. A cookie that is worth nothing any more is none there: the browser sends it whether anybody wants it or not.
   * Refuses with 401; with 403 a ticket that is another session's or origin's; with 429 an address that has sent too many
   * wrong ones.
   */
  authenticate(request: Request): ApiResult<Actor>;
  /** Refusal of an address with too many wrong credentials, for callers that verify credentials elsewhere; or null. */
  tooManyFailures(request: Request): ApiError | null;
}

/** Counts the failures of the last minute per client address, in this isolate only. */
export function createAuthenticator(config: Config, now: () => number): Authenticator {
  const failures = new Map<string, number[]>();
  const addressOf = (request: Request): string => request.headers.get("cf-connecting-ip") ?? "";
  const recentOf = (address: string, at: number): readonly number[] =>
    (failures.get(address) ?? []).filter((time) => time > at - WINDOW_MS);
  const refused = (recent: readonly number[], at: number): ApiError | null => {
    if (recent.length < config.limits.authFailuresPerMinute) return null;
    const wait = ((recent[0] ?? at) + WINDOW_MS - at) / 1_000;
    return { ...refusal(429, "rate_limited", "Too many wrong tokens."), retryAfter: wait };
  };

  return {
    tooManyFailures(request) {
      const at = now();
      return refused(recentOf(addressOf(request), at), at);
    },
    authenticate(request) {
      const via = isUpgrade(request) ? "socket" : "http";
      const shown = credentialOf(request);
      const welcome = config.anonymous && isLocal(request);
      if (shown === null) {
        return welcome ? ok({ ...ANONYMOUS, via }) : err(UNAUTHENTICATED);
      }
      const at = now();
      if (welcome && shown.kind === "cookie") {
        const owner = ownerOf(findGrant(config.tokens, shown.token, at), via);
        return owner.ok ? owner : ok({ ...ANONYMOUS, via });
      }
      const address = addressOf(request);
      const recent = recentOf(address, at);
      const over = refused(recent, at);
      if (over !== null) return err(over);
      const actor =
        shown.kind === "ticket"
          ? holderOf(config, request, shown.token, at)
          : ownerOf(findGrant(config.tokens, shown.token, at), via);
      if (actor.ok || actor.error.status !== 401) return actor;
      failures.delete(address);
      failures.set(address, [...recent, at]);
      const oldest = failures.keys().next();
      if (failures.size > ADDRESSES_MAX && !oldest.done) failures.delete(oldest.value);
      return actor;
    },
  };
}

const ANONYMOUS = { subject: ANONYMOUS_SUBJECT, scopes: ALL_SCOPES } as const;

/** Secret of anonymous tickets: forging one gains nothing. */
const ANONYMOUS_SECRET = "anonymous";

/** A ticket for one upgrade of a session, with some of the actor's scopes. */
export function mintTicket(
  config: Config,
  actor: Actor,
  ticket: Pick<Ticket, "id" | "session" | "sessionAt" | "scopes" | "origin" | "expiresAt">,
): string {
  const grant = config.tokens.find((each) => each.name === actor.grant) ?? null;
  return signTicket(grant?.digest ?? ANONYMOUS_SECRET, { ...ticket, grant: grant?.name ?? null });
}

/** The actor of a ticket, which is still to be used up. */
function holderOf(config: Config, request: Request, token: string, at: number): ApiResult<Actor> {
  const ticket = readTicket(token, (grant) => {
    if (grant !== null) return config.tokens.find((each) => each.name === grant)?.digest ?? null;
    return config.anonymous && isLocal(request) ? ANONYMOUS_SECRET : null;
  });
  if (ticket === null || ticket.expiresAt <= at) return err(UNAUTHENTICATED);
  const { grant, scopes } = ticket;
  const holder = actorOfGrant(
    config,
    grant === null
      ? { subject: ANONYMOUS_SUBJECT, grants: null, scopes }
      : { subject: null, grants: [grant], scopes },
    at,
  );
  // A ticket is for a moment: one that would open less than it names is none.
  if (holder === null || scopes.some((scope) => !hasScope({ ...holder, via: "socket" }, scope)))
    return err(UNAUTHENTICATED);
  if (
    `/agents/session/${ticket.session}` !== pathOf(request) ||
    ticket.origin !== request.headers.get("origin")
  )
    return err(NOT_THIS_TICKET);
  const { id, sessionAt } = ticket;
  return ok({
    ...holder,
    via: "socket",
    ticket: id,
    ...(typeof sessionAt === "number" ? { ticketAt: sessionAt } : {}),
  });
}

const NOT_THIS_TICKET = refusal(
  403,
  "ticket_not_valid_here",
  "This ticket is for another session or another origin.",
  "Ask for one where it is used: POST /api/tickets.",
);

type Credential = { readonly kind: "token" | "ticket" | "cookie"; readonly token: string };

/** Returns the credential of a request; null if it has none that is recognized. */
function credentialOf(request: Request): Credential | null {
  const header = request.headers.get("authorization");
  if (header !== null) return { kind: "token", token: bearerToken(header) };
  const url = new URL(request.url);
  const ticket = url.searchParams.get("ticket");
  if (ticket !== null && isUpgrade(request) && /^\/agents\/session\/[^/]+$/.test(url.pathname))
    return { kind: "ticket", token: ticket };
  const cookie = cookieOf(request);
  return cookie === null ? null : { kind: "cookie", token: cookie };
}

/** True if a page asks to drop its cookie, valid or not. */
export const dropsCookie = (request: Request): boolean =>
  request.method === "DELETE" &&
  pathOf(request) === "/api/auth/cookie" &&
  credentialOf(request)?.kind === "cookie";

const COOKIE = "cairn_auth";
const COOKIE_SECONDS = 43_200;

/** The token in the cookie of this request. Null when another page may have sent it. */
function cookieOf(request: Request): string | null {
  const origin = request.headers.get("origin");
  const reads = (request.method === "GET" || request.method === "HEAD") && !isUpgrade(request);
  if (origin === null ? !reads : origin !== new URL(request.url).origin) return null;
  const pairs = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  const value = pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
  return value === undefined ? null : (fromBase64Url(value) ?? "");
}

/** `Set-Cookie` with the token, or without one to clear it. HttpOnly: no script reads it. */
export function cookieFor(request: Request, token: string | null): string {
  const secure = new URL(request.url).protocol === "https:" ? "; Secure" : "";
  const [value, age] = token === null ? ["", 0] : [toBase64Url(token), COOKIE_SECONDS];
  return `${COOKIE}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${age}${secure}`;
}

/** A caller whose connection outlives its request, with the rights that they have now; null when those have ended. */
export function presentActor(config: Config, actor: Actor, at: number): Actor | null {
  const { subject, grant, scopes } = actor;
  const now = actorOfGrant(config, { subject, grants: grant === undefined ? null : [grant], scopes }, at);
  return now === null ? null : { ...actor, ...now };
}

/** Props of a service binding to `Api`. Strict: a misspelled `scopes` would leave the binding every scope of its subject. */
const bindingSchema = z.strictObject({
  subject: z.string(),
  scopes: z.array(z.enum(SCOPES)).optional(),
});

/**
 * Returns the actor of a binding: the rights that its subject has in AUTH_TOKENS now, at most those of `scopes`.
 * Refuses with 401 if the props name nobody with a token. Anonymous access is not possible here.
 */
export function actorOfBinding({ tokens }: Config, props: unknown, at: number): ApiResult<Actor> {
  const named = bindingSchema.safeParse(props);
  if (!named.success) return err(NOBODY_NAMED);
  const { subject, scopes = SCOPES } = named.data;
  const person = actorOfGrant({ tokens, anonymous: false }, { subject, grants: null, scopes }, at);
  return person === null ? err(NOBODY_NAMED) : ok({ ...person, via: "http" });
}

const NOBODY_NAMED = refusal(
  401,
  "unauthenticated",
  "The service binding names nobody who has access.",
  'Give it props such as { subject = "shop", scopes = ["send"] }, with a subject of AUTH_TOKENS.',
);

/** The bearer token of a request; null when it has none. */
export function bearerOf(request: Request): string | null {
  const header = request.headers.get("authorization");
  return header === null ? null : bearerToken(header);
}

function ownerOf(grant: Grant | null, via: Actor["via"]): ApiResult<Actor> {
  if (grant === null) return err(UNAUTHENTICATED);
  const { subject, scopes, expiresAt, name } = grant;
  return ok({ subject, scopes, via, grant: name, ...(expiresAt === null ? {} : { expiresAt }) });
}

const bearerToken = (header: string): string => /^bearer +(\S+) *$/i.exec(header)?.[1] ?? "";

/** Compares the digest with every grant's, so that timing reveals neither a token nor its position. */
function findGrant(grants: readonly Grant[], token: string, at: number): Grant | null {
  const presented = new TextEncoder().encode(sha256Hex(token));
  let found: Grant | null = null;
  for (const grant of grants) {
    if (crypto.subtle.timingSafeEqual(presented, new TextEncoder().encode(grant.digest))) found = grant;
  }
  return found !== null && hasNotEnded(found, at) ? found : null;
}
