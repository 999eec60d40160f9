-- What waits beside approvals may be the question of a run whether it may have more.
ALTER TABLE inbox_items RENAME TO inbox_items_before;
CREATE TABLE inbox_items(session_id TEXT NOT NULL, id TEXT NOT NULL, owner TEXT NOT NULL,
  kind TEXT NOT NULL CHECK(kind IN('question','failed_run','budget')), at INTEGER NOT NULL,
  -- set by a person who needs it no more; not a fact of the session, so it stands here alone
  dismissed INTEGER NOT NULL DEFAULT 0, view TEXT NOT NULL CHECK(json_type(view)='object'), PRIMARY KEY(session_id, id)) STRICT, WITHOUT ROWID;
INSERT INTO inbox_items SELECT session_id, id, owner, kind, at, dismissed, view FROM inbox_items_before;
DROP TABLE inbox_items_before;
CREATE INDEX ix_inbox_items_owner ON inbox_items(owner, at DESC);
CREATE INDEX ix_inbox_items_time ON inbox_items(at DESC);
-- Buttons of cards of every kind.
ALTER TABLE channel_buttons RENAME TO channel_buttons_before;
-- `digest`: SHA-256 of the token, in hex. `approval`: an approval, or the question of a run about its budget; `shown`: digest of the
-- arguments as they were shown, empty where there are none. `card`: what the channel calls the message, once it has taken it.
CREATE TABLE channel_buttons(
  digest TEXT NOT NULL PRIMARY KEY, session TEXT NOT NULL, approval TEXT NOT NULL, shown TEXT NOT NULL, decision TEXT NOT NULL
    CHECK(decision IN ('approve', 'deny', 'extend', 'finish', 'all')), channel TEXT NOT NULL, place TEXT NOT NULL, user_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL, card TEXT
) STRICT, WITHOUT ROWID;
INSERT INTO channel_buttons SELECT digest, session, approval, shown, decision, channel, place, user_id, expires_at, NULL FROM channel_buttons_before;
DROP TABLE channel_buttons_before;
CREATE INDEX ix_channel_buttons_expiry ON channel_buttons(expires_at);
CREATE INDEX ix_channel_buttons_place ON channel_buttons(channel, place, user_id, expires_at);
