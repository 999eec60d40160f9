-- Attempts at site work that is due at a time (publishing of pages, entries and change sets), by the key of the work.
-- Work is claimed here before it is attempted, so a worker that dies has used up an attempt.
CREATE TABLE due_attempts(key TEXT PRIMARY KEY, attempts INTEGER NOT NULL, retry_at INTEGER NOT NULL, error TEXT) STRICT, WITHOUT ROWID;
-- Messages for the session that asked for such work, not delivered yet. `made_before`: the session must be at least as old, because names are reused.
CREATE TABLE due_notices(id TEXT PRIMARY KEY, session_id TEXT NOT NULL, made_before INTEGER NOT NULL, text TEXT NOT NULL, at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0, retry_at INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
CREATE INDEX ix_due_notices_retry ON due_notices(retry_at);
