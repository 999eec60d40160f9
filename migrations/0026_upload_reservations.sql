-- Files that are being stored or are stored in a session. A row is written before the file is, so that simultaneous uploads
-- cannot all find the same room. `session_at`: when the session was made, because names can be used again.
CREATE TABLE upload_reservations(id TEXT PRIMARY KEY, session_id TEXT NOT NULL, session_at INTEGER NOT NULL, subject TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX ix_upload_reservations ON upload_reservations(session_id,session_at);
