-- When the session of a button was made, milliseconds since 1970: names can be used again, and a button of a deleted session must
-- decide nothing in the next one. NULL: a row of an earlier release.
ALTER TABLE channel_buttons ADD COLUMN session_at INTEGER;
