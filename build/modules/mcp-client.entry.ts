/** The part of the MCP client that is used. It brings its own zod, so it shares no schema with the worker. */
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
