-- A button may be an option of a question: `approval` is then the name of the question, and `shown` the option.
ALTER TABLE channel_buttons RENAME TO channel_buttons_before;
CREATE TABLE channel_buttons(
  digest TEXT NOT NULL PRIMARY KEY, session TEXT NOT NULL, approval TEXT NOT NULL, shown TEXT NOT NULL, decision TEXT NOT NULL
    CHECK(decision IN ('approve', 'deny', 'extend', 'finish', 'all', 'answer')), channel TEXT NOT NULL, place TEXT NOT NULL,
  user_id TEXT NOT NULL, expires_at INTEGER NOT NULL, card TEXT, session_at INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO channel_buttons SELECT digest, session, approval, shown, decision, channel, place, user_id, expires_at, card, session_at FROM channel_buttons_before;
DROP TABLE channel_buttons_before;
CREATE INDEX ix_channel_buttons_expiry ON channel_buttons(expires_at);
CREATE INDEX ix_channel_buttons_place ON channel_buttons(channel, place, user_id, expires_at);
