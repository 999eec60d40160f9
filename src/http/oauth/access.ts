import * as z from "zod";
import { err, ok } from "../../core/log/result.ts";
import type { Actor, ApiError, ApiResult } from "../../session/api/session-api.ts";
import type { Config } from "../../wire/config/config.ts";
import { bearerOf, grantNamed, hasScope, isLocal, type Authenticator } from "../kit/credentials.ts";
import type { Deps } from "../kit/deps.ts";
import { type HttpContext, refuse } from "../kit/route.ts";
import { issuerOf, openAuthorizationServer, PATHS, SCOPES } from "./provider.ts";

/** Who asks at /mcp: by a token of the deployment, or by one that a person has consented to. No cookie counts there. */

/** How the authorization server writes its tokens. */
const ISSUED = /^[A-Za-z0-9_-]{1,128}:[A-Za-z0-9_-]{1,128}:[A-Za-z0-9_-]{1,128}$/;

/** What a person consented with: the name of their entry in AUTH_TOKENS, never the token; null where nobody needs one. */
export const consentSchema = z.object({ grant: z.string().nullable() });

export async function authenticateMcp(
  c: HttpContext,
  deps: Deps,
  authenticator: Authenticator,
): Promise<ApiResult<Actor>> {
  const request = c.req.raw;
  const token = bearerOf(request);
  const issuer = issuerOf(request);
  if (token !== null && issuer !== null && ISSUED.test(token)) {
    // Each is looked up in D1, and whoever guesses may not have that done for ever.
    const over = authenticator.tooManyFailures(request);
    if (over !== null) return err(over);
    const server = await openAuthorizationServer(c, deps, issuer);
    const found = await server.validate(token);
    const actor = found === null ? null : actorOf(deps, request, found);
    if (actor !== null) return ok(actor);
  }
  const headers = new Headers(request.headers);
  headers.delete("cookie");
  return authenticator.authenticate(new Request(request.url, { headers }));
}

/** A consent is worth what its person's own token is worth now: with that it ends, and never does it give more. */
function actorOf(
  { config, now }: Deps,
  request: Request,
  { props, scope }: { readonly props: unknown; readonly scope: readonly string[] },
): Actor | null {
  const consent = consentSchema.safeParse(props);
  if (!consent.success) return null;
  const person = personOf(config, request, consent.data.grant, now());
  if (person === null) return null;
  const scopes = SCOPES.filter((each) => scope.includes(each) && hasScope(person, each));
  return { ...person, scopes };
}

function personOf(config: Config, request: Request, name: string | null, at: number): Actor | null {
  if (name === null)
    return config.anonymous && isLocal(request)
      ? { subject: "anonymous", scopes: SCOPES, via: "http" }
      : null;
  const grant = grantNamed(config, name, at);
  if (grant === null) return null;
  const { subject, scopes, expiresAt } = grant;
  return { subject, scopes, via: "http", grant: name, ...(expiresAt === null ? {} : { expiresAt }) };
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
