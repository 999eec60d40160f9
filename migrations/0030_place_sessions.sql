-- When the session of a place, and the one into which a message went, was made, milliseconds since 1970: names can be used again,
-- and words must not go into the next session of a name. NULL: it is not made yet. 0: it was deleted before this column was there.
ALTER TABLE channel_sessions ADD COLUMN session_at INTEGER;
UPDATE channel_sessions SET session_at = coalesce(
  (SELECT created_at FROM sessions WHERE sessions.id = channel_sessions.session AND owner = channel_sessions.subject), 0);
ALTER TABLE channel_heard ADD COLUMN session_at INTEGER;
-- A session is made at most moments after the first message for it was heard.
UPDATE channel_heard SET session_at = coalesce(
  (SELECT created_at FROM sessions WHERE sessions.id = channel_heard.session AND created_at <= channel_heard.at + 600000), 0)
  WHERE session <> '';
