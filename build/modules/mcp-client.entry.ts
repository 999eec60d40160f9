/** What of the MCP client is taken: its own copy of zod comes with it, so nothing of it is shared with the worker. */
export {
  auth,
  Client,
  InsufficientScopeError,
  isSpecType,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
export type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
