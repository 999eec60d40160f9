-- Who somebody on a channel is here. `scopes`: JSON list, of the credential that asked for the code.
CREATE TABLE channel_links(
  channel TEXT NOT NULL, user_id TEXT NOT NULL, user_name TEXT, subject TEXT NOT NULL, scopes TEXT NOT NULL CHECK(json_valid(scopes)),
  place TEXT NOT NULL, linked_at INTEGER NOT NULL, PRIMARY KEY(channel, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX ix_channel_links_subject ON channel_links(subject, linked_at);
-- Codes that are out. `digest`: SHA-256 of the code, in hex.
CREATE TABLE channel_codes(
  digest TEXT NOT NULL PRIMARY KEY, subject TEXT NOT NULL, scopes TEXT NOT NULL CHECK(json_valid(scopes)), expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- What somebody unknown has tried. `hour`: since 1970; `told`: in this hour they were told how to link.
CREATE TABLE channel_strangers(
  channel TEXT NOT NULL, user_id TEXT NOT NULL, hour INTEGER NOT NULL, wrong INTEGER NOT NULL, told INTEGER NOT NULL CHECK(told IN (0, 1)),
  PRIMARY KEY(channel, user_id)
) STRICT, WITHOUT ROWID;
-- The session that stands behind a place. `thread`: empty for the place itself. `blocked_at`: it has shut us out since.
CREATE TABLE channel_places(
  channel TEXT NOT NULL, place TEXT NOT NULL, thread TEXT NOT NULL, session TEXT NOT NULL, subject TEXT NOT NULL,
  is_group INTEGER NOT NULL CHECK(is_group IN (0, 1)), blocked_at INTEGER, PRIMARY KEY(channel, place, thread)
) STRICT, WITHOUT ROWID;
-- Buttons of cards. `digest`: SHA-256 of the token, in hex; of the approval's arguments as they were shown: `shown`.
CREATE TABLE channel_buttons(
  digest TEXT NOT NULL PRIMARY KEY, session TEXT NOT NULL, approval TEXT NOT NULL, shown TEXT NOT NULL, decision TEXT NOT NULL
    CHECK(decision IN ('approve', 'deny')), channel TEXT NOT NULL, place TEXT NOT NULL, user_id TEXT NOT NULL, expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX ix_channel_buttons_expiry ON channel_buttons(expires_at);
