-- Rights are looked up when they are used: rows name the entry of AUTH_TOKENS they act by, never what it allows. NULL: a row of an
-- earlier release, or of the anonymous of a local host; any grant of its subject will do.
ALTER TABLE channel_links ADD COLUMN grant_name TEXT;
ALTER TABLE channel_codes ADD COLUMN grant_name TEXT;
ALTER TABLE push_subscriptions ADD COLUMN grant_name TEXT;
-- SHA-256 of the code that made the link, in hex: the same code from the same user again is a repeat of one delivery.
ALTER TABLE channel_links ADD COLUMN code TEXT;
CREATE INDEX ix_channel_links_place ON channel_links(channel, place);
-- The session of each person at a place: people who share a group, or come one after the other, speak as themselves.
CREATE TABLE channel_sessions(
  channel TEXT NOT NULL, place TEXT NOT NULL, thread TEXT NOT NULL, subject TEXT NOT NULL, session TEXT NOT NULL,
  PRIMARY KEY(channel, place, thread, subject)
) STRICT, WITHOUT ROWID;
INSERT INTO channel_sessions SELECT channel, place, thread, subject, session FROM channel_places;
