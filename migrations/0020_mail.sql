-- What was heard. `digest`: SHA-256 of the channel and its id of the delivery, in hex; `session`: into which the words went, empty for
-- a command; `at`: milliseconds since 1970.
CREATE TABLE channel_heard(digest TEXT NOT NULL PRIMARY KEY, session TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX ix_channel_heard_at ON channel_heard(at);
-- The last message from a place, by the name that an answer needs to stand below it.
ALTER TABLE channel_places ADD COLUMN answers TEXT;
