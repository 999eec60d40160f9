-- MCP servers that were set up over the API (src/http/mcp-servers). A server of the code stands before one of its name.
CREATE TABLE mcp_servers(name TEXT PRIMARY KEY, body TEXT NOT NULL CHECK(json_type(body)='object'),
  updated_at INTEGER NOT NULL, updated_by TEXT NOT NULL) STRICT, WITHOUT ROWID;
-- What a server said of its tools when it was last asked under these settings. `account`: the person whose account it was, empty for
-- the deployment's own. `body` is null where it never answered; `problem` is null where it did the last time.
CREATE TABLE mcp_listings(server TEXT NOT NULL, account TEXT NOT NULL, settings TEXT NOT NULL, body TEXT, problem TEXT,
  tried_at INTEGER NOT NULL, PRIMARY KEY(server, account)) STRICT, WITHOUT ROWID;
-- Tokens of accounts at servers, sealed with MCP_TOKEN_SECRET.
CREATE TABLE mcp_accounts(server TEXT NOT NULL, account TEXT NOT NULL, sealed TEXT NOT NULL, updated_at INTEGER NOT NULL,
  PRIMARY KEY(server, account)) STRICT, WITHOUT ROWID;
