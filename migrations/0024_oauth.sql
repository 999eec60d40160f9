-- What the authorization server keeps: clients, grants, tokens and open consents, each under its key. `expires_at`: seconds since
-- the epoch; null for never. Tokens, codes and secrets stand here as digests only.
CREATE TABLE oauth_records(
  key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL, expires_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX ix_oauth_records_expires ON oauth_records(expires_at) WHERE expires_at IS NOT NULL;
