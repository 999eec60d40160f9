import * as z from "zod";
import { err, ok } from "../../../cairn/core/log/result.ts";
import {
  refusal,
  type Actor,
  type ApiError,
  type ApiResult,
} from "../../../cairn/session/api/session-api.ts";
import { ACCESS_ENDED, actorOfGrant, ANONYMOUS_SUBJECT } from "../../../cairn/config/rights.ts";
import { bearerOf, isLocal, type Authenticator } from "../../../cairn/http/kit/credentials.ts";
import type { Deps } from "../../../cairn/http/deps.ts";
import { type HttpContext, refuse } from "../../../cairn/http/kit/route.ts";
import { issuerOf, openAuthorizationServer, PATHS } from "./provider.ts";

/** Authentication at /mcp: a token of the deployment, or one that a person has consented to. Cookies are ignored. */

/** How the authorization server writes its tokens. */
const ISSUED = /^[A-Za-z0-9_-]{1,128}:[A-Za-z0-9_-]{1,128}:[A-Za-z0-9_-]{1,128}$/;

/** The stored consent: the name of the person's entry in AUTH_TOKENS, never the token; null if no token is needed. */
export const consentSchema = z.object({ grant: z.string().nullable() });

export async function authenticateMcp(
  c: HttpContext,
  deps: Deps,
  authenticator: Authenticator,
): Promise<ApiResult<Actor>> {
  const request = c.req.raw;
  const token = bearerOf(request);
  const issuer = issuerOf(request);
  let hasEnded = false;
  if (token !== null && issuer !== null && ISSUED.test(token)) {
    // Each lookup costs a D1 query, so failures are limited.
    const over = authenticator.tooManyFailures(request);
    if (over !== null) return err(over);
    const server = await openAuthorizationServer(c, deps, issuer);
    const found = await server.validate(token);
    const actor = found === null ? null : actorOf(deps, request, found);
    if (actor !== null) return ok(actor);
    if (found !== null) hasEnded = true;
  }
  const headers = new Headers(request.headers);
  headers.delete("cookie");
  // An assistant whose person has lost access counts as a wrong credential, so that it does not ask for ever.
  const actor = authenticator.authenticate(new Request(request.url, { headers }));
  return hasEnded && !actor.ok && actor.error.status === 401 ? err(ENDED) : actor;
}

const ENDED = refusal(
  401,
  "unauthenticated",
  ACCESS_ENDED,
  "Whoever allowed this assistant has lost their access. Let somebody who has it allow it again.",
);

/** A consent gives what its person's own token gives now, and never more than was consented to. */
function actorOf(
  { config, now }: Deps,
  request: Request,
  { props, scope }: { readonly props: unknown; readonly scope: readonly string[] },
): Actor | null {
  const consent = consentSchema.safeParse(props);
  if (!consent.success) return null;
  const { grant } = consent.data;
  // Anonymous access works only on this machine.
  if (grant === null && !isLocal(request)) return null;
  const held =
    grant === null
      ? { subject: ANONYMOUS_SUBJECT, grants: null, scopes: scope }
      : { subject: null, grants: [grant], scopes: scope };
  const person = actorOfGrant(config, held, now());
  return person === null ? null : { ...person, via: "http" };
}

/** A refusal; of a 401, with where an assistant finds out how to be let in. */
export function challenge(c: HttpContext, error: ApiError): Response {
  const response = refuse(c, error);
  const issuer = issuerOf(c.req.raw);
  if (error.status !== 401 || issuer === null) return response;
  const why = bearerOf(c.req.raw) === null ? "" : ', error="invalid_token"';
  response.headers.set(
    "www-authenticate",
    `Bearer realm="Cairn"${why}, resource_metadata="${issuer}${PATHS.resource}/mcp", scope="read send"`,
  );
  return response;
}
