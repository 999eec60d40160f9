/** The part of the authorization server that Cairn uses; src/cli/start/build-modules.ts makes build/modules/oauth-provider.mjs of it. */
export {
  AuthorizationError,
  CimdFetchError,
  OAuthAuthorizationServer,
} from "@cloudflare/workers-oauth-provider";
