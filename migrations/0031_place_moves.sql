-- Places to which a channel has given another id, such as a group of Telegram that became a supergroup. A place moves once, and
-- nothing moves to a place that others had before.
CREATE TABLE channel_moves(
  channel TEXT NOT NULL, place TEXT NOT NULL, moved_to TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY(channel, place), UNIQUE(channel, moved_to)
) STRICT, WITHOUT ROWID;
-- When somebody first spoke from the place, milliseconds since 1970. NULL: a row of an earlier release.
ALTER TABLE channel_places ADD COLUMN opened_at INTEGER;
