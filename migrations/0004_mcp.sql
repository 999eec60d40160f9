-- Tables of the MCP client and of the MCP server with its OAuth authorization server.

-- MCP servers set up over the API. A server of the code hides a stored one with the same name.
CREATE TABLE IF NOT EXISTS mcp_servers(name TEXT PRIMARY KEY, body TEXT NOT NULL CHECK(json_type(body)='object'),
  updated_at INTEGER NOT NULL, updated_by TEXT NOT NULL) STRICT, WITHOUT ROWID;
-- Tools that a server listed under these settings. account: the person whose account asked, empty for the account of the deployment.
-- body: null if the server never answered. problem: null if the last attempt succeeded.
CREATE TABLE IF NOT EXISTS mcp_listings(server TEXT NOT NULL, account TEXT NOT NULL, settings TEXT NOT NULL, body TEXT, problem TEXT,
  tried_at INTEGER NOT NULL, PRIMARY KEY(server, account)) STRICT, WITHOUT ROWID;
-- Tokens of accounts at servers, encrypted with MCP_TOKEN_SECRET.
CREATE TABLE IF NOT EXISTS mcp_accounts(server TEXT NOT NULL, account TEXT NOT NULL, sealed TEXT NOT NULL, updated_at INTEGER NOT NULL,
  PRIMARY KEY(server, account)) STRICT, WITHOUT ROWID;

-- Records of the authorization server: clients, grants, tokens and open consents, by key. Tokens, codes and secrets are digests.
-- expires_at: seconds since 1970, null for never.
CREATE TABLE IF NOT EXISTS oauth_records(key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL, expires_at INTEGER) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ix_oauth_records_expires ON oauth_records(expires_at) WHERE expires_at IS NOT NULL;
