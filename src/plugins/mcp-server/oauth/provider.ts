import { loadOAuthProvider } from "../../../../build/modules/mcp.ts";
import { isLocal } from "../../../cairn/http/kit/credentials.ts";
import type { Deps } from "../../../cairn/http/deps.ts";
import type { HttpContext } from "../../../cairn/http/kit/route.ts";
import { createOAuthStore, type OAuthStore } from "./store.ts";

/**
 * The authorization server of one origin of this deployment: it issues tokens for its `/mcp` and for nothing else. Made of
 * @cloudflare/workers-oauth-provider, which is loaded when the first assistant asks.
 */

export const SCOPES = ["read", "send", "approve", "admin"] as const;

export const PATHS = {
  authorize: "/oauth/authorize",
  signIn: "/oauth/sign-in",
  token: "/oauth/token",
  register: "/oauth/register",
  server: "/.well-known/oauth-authorization-server",
  resource: "/.well-known/oauth-protected-resource",
} as const;

/** A client that registered itself and asks for nothing is forgotten so soon. */
const CLIENT_SECONDS = 30 * 24 * 3_600;

type Provider = Awaited<ReturnType<typeof loadOAuthProvider>>;
type Environment = { readonly OAUTH_KV: OAuthStore };

export interface AuthorizationServer {
  readonly errors: Pick<Provider, "AuthorizationError" | "CimdFetchError">;
  readonly api: ReturnType<InstanceType<Provider["OAuthAuthorizationServer"]>["getOAuthApi"]>;
  /** the token's grant, or null; `props` as passed to `completeAuthorization` */
  validate(token: string): Promise<{ readonly props: unknown; readonly scope: readonly string[] } | null>;
  fetch(request: Request): Promise<Response>;
}

/** The origin whose /mcp is protected; null where no token may travel: over plain HTTP to another machine. */
export function issuerOf(request: Request): string | null {
  const { origin, protocol } = new URL(request.url);
  return protocol === "https:" || isLocal(request) ? origin : null;
}

export const resourceOf = (issuer: string): string => `${issuer}/mcp`;

/** True if the runtime blocks fetches to private addresses: a flag set in wrangler.toml. */
function fetchesStrictlyPublic(): boolean {
  const { Cloudflare: runtime } = globalThis as {
    readonly Cloudflare?: { readonly compatibilityFlags?: Readonly<Record<string, boolean>> };
  };
  return runtime?.compatibilityFlags?.["global_fetch_strictly_public"] === true;
}

export async function openAuthorizationServer(
  c: HttpContext,
  { now }: Pick<Deps, "now">,
  issuer: string,
): Promise<AuthorizationServer> {
  const { OAuthAuthorizationServer, ...errors } = await loadOAuthProvider();
  const resource = resourceOf(issuer);
  const server = new OAuthAuthorizationServer<Environment>({
    issuer,
    resources: [resource],
    defaultResource: resource,
    authorizeEndpoint: PATHS.authorize,
    tokenEndpoint: PATHS.token,
    clientRegistrationEndpoint: PATHS.register,
    clientRegistrationTTL: CLIENT_SECONDS,
    scopesSupported: [...SCOPES],
    // Those that `readCallback` accepts; every request and registration passes it first.
    allowPrivateUseRedirectUris: true,
    // Without the flag the package throws for a client that is named by a URL; switched off, such a client is
    // unknown.
    clientIdMetadataDocumentEnabled: fetchesStrictlyPublic(),
    // Refusals are for the client to read.
    onError: () => undefined,
  });
  const environment = { OAUTH_KV: createOAuthStore(c.env.DB, now) };
  return {
    errors,
    api: server.getOAuthApi(environment),
    validate: (token) => server.validateToken<unknown>(resource, token, environment),
    fetch: (request) => server.fetch(request, environment, c.executionCtx as ExecutionContext),
  };
}
