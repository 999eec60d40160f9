-- Browsers in which a person is told by push. `id`: SHA-256 of the endpoint, in hex. A row ends with the person's link of the channel.
CREATE TABLE push_subscriptions(
  id TEXT NOT NULL PRIMARY KEY, channel TEXT NOT NULL DEFAULT 'webpush' CHECK(channel = 'webpush'), subject TEXT NOT NULL,
  endpoint TEXT NOT NULL, p256dh TEXT NOT NULL, auth TEXT NOT NULL, browser TEXT NOT NULL, created_at INTEGER NOT NULL,
  FOREIGN KEY(channel, subject) REFERENCES channel_links(channel, user_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX ix_push_subscriptions_subject ON push_subscriptions(subject, created_at);
