-- Tables of the channels: people, places, cards and deliveries. Times are milliseconds since 1970.

-- Accounts on a channel that are linked to a subject. scopes: JSON array of the grant that made the code. grant_name: entry of
-- AUTH_TOKENS that the link acts by, because permissions are looked up when they are used. Null for the anonymous user of a local
-- host: any grant of the subject is valid. code: SHA-256 (hex) of the code, so that a repeated delivery of it is recognized.
CREATE TABLE IF NOT EXISTS channel_links(channel TEXT NOT NULL, user_id TEXT NOT NULL, user_name TEXT, subject TEXT NOT NULL, scopes TEXT NOT NULL CHECK(json_valid(scopes)),
  place TEXT NOT NULL, linked_at INTEGER NOT NULL, grant_name TEXT, code TEXT, PRIMARY KEY(channel, user_id)) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ix_channel_links_subject ON channel_links(subject, linked_at);
CREATE INDEX IF NOT EXISTS ix_channel_links_place ON channel_links(channel, place);

-- Link codes that are not used yet. digest: SHA-256 of the code (hex). grant_name: as in channel_links.
CREATE TABLE IF NOT EXISTS channel_codes(digest TEXT NOT NULL PRIMARY KEY, subject TEXT NOT NULL, scopes TEXT NOT NULL CHECK(json_valid(scopes)), expires_at INTEGER NOT NULL,
  grant_name TEXT) STRICT, WITHOUT ROWID;

-- Attempts of accounts that are not linked. hour: since 1970. instructed: 1 if the account got the linking instructions in this hour.
CREATE TABLE IF NOT EXISTS channel_strangers(channel TEXT NOT NULL, user_id TEXT NOT NULL, hour INTEGER NOT NULL, wrong INTEGER NOT NULL, instructed INTEGER NOT NULL CHECK(instructed IN (0, 1)),
  PRIMARY KEY(channel, user_id)) STRICT, WITHOUT ROWID;

-- Places (chats, groups, addresses). thread: empty for the place itself. blocked_at: when the place blocked the bot.
-- answers: ID of the last message of the place, to which an answer replies. opened_at: time of the first message.
CREATE TABLE IF NOT EXISTS channel_places(channel TEXT NOT NULL, place TEXT NOT NULL, thread TEXT NOT NULL, session TEXT NOT NULL, subject TEXT NOT NULL,
  is_group INTEGER NOT NULL CHECK(is_group IN (0, 1)), blocked_at INTEGER, answers TEXT, opened_at INTEGER, PRIMARY KEY(channel, place, thread)) STRICT, WITHOUT ROWID;
-- Session of each person at a place. People who share a group act as themselves.
-- session_at: creation time of the session, because session IDs can be used again. Null: the session does not exist yet.
CREATE TABLE IF NOT EXISTS channel_sessions(channel TEXT NOT NULL, place TEXT NOT NULL, thread TEXT NOT NULL, subject TEXT NOT NULL, session TEXT NOT NULL, session_at INTEGER,
  PRIMARY KEY(channel, place, thread, subject)) STRICT, WITHOUT ROWID;
-- Places that got another ID, such as a Telegram group that became a supergroup. A place moves once, and two places cannot move to one.
CREATE TABLE IF NOT EXISTS channel_moves(channel TEXT NOT NULL, place TEXT NOT NULL, moved_to TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY(channel, place), UNIQUE(channel, moved_to)) STRICT, WITHOUT ROWID;

-- Buttons of cards. digest: SHA-256 of the token (hex). approval: ID of an approval, of a budget question, or of a question.
-- shown: digest of the arguments on the card, or the option of a question, or empty. card: message ID of the card at the vendor.
-- session_at: creation time of the session. A button of a deleted session must not decide anything in the next one with its ID.
CREATE TABLE IF NOT EXISTS channel_buttons(digest TEXT NOT NULL PRIMARY KEY, session TEXT NOT NULL, approval TEXT NOT NULL, shown TEXT NOT NULL,
  decision TEXT NOT NULL CHECK(decision IN ('approve', 'deny', 'extend', 'finish', 'all', 'answer')), channel TEXT NOT NULL, place TEXT NOT NULL,
  user_id TEXT NOT NULL, expires_at INTEGER NOT NULL, card TEXT, session_at INTEGER) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ix_channel_buttons_expiry ON channel_buttons(expires_at);
CREATE INDEX IF NOT EXISTS ix_channel_buttons_place ON channel_buttons(channel, place, user_id, expires_at);

-- Deliveries that were received. digest: SHA-256 of the channel and its delivery ID (hex). session: session that got the message,
-- empty for a command. session_at: as in channel_sessions.
CREATE TABLE IF NOT EXISTS channel_deliveries(digest TEXT NOT NULL PRIMARY KEY, session TEXT NOT NULL, at INTEGER NOT NULL, session_at INTEGER) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ix_channel_deliveries_at ON channel_deliveries(at);

-- Notification settings of a person. quiet: JSON object with from and to, null for none. ask: auto, page or the ID of a place.
CREATE TABLE IF NOT EXISTS person_settings(subject TEXT NOT NULL PRIMARY KEY, zone TEXT, quiet TEXT CHECK(json_valid(quiet)), ask TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- Browsers that receive push messages. id: SHA-256 of the endpoint (hex). A row ends with the link of its person.
CREATE TABLE IF NOT EXISTS push_subscriptions(id TEXT NOT NULL PRIMARY KEY, channel TEXT NOT NULL DEFAULT 'webpush' CHECK(channel = 'webpush'), subject TEXT NOT NULL,
  endpoint TEXT NOT NULL, p256dh TEXT NOT NULL, auth TEXT NOT NULL, browser TEXT NOT NULL, created_at INTEGER NOT NULL, grant_name TEXT,
  FOREIGN KEY(channel, subject) REFERENCES channel_links(channel, user_id) ON DELETE CASCADE) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ix_push_subscriptions_subject ON push_subscriptions(subject, created_at);
