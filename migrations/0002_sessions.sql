-- The index of sessions: what each session writes of itself when a run starts, waits or ends (src/session/directory.ts). A copy, never the truth.
CREATE TABLE sessions(id TEXT PRIMARY KEY, owner TEXT NOT NULL, status TEXT NOT NULL CHECK(status IN('idle','running','waiting')), archived INTEGER NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, view TEXT NOT NULL CHECK(json_type(view)='object')) STRICT;
CREATE INDEX ix_sessions_owner ON sessions(owner, updated_at DESC, id DESC);
CREATE INDEX ix_sessions_time ON sessions(updated_at DESC, id DESC);
-- seq 0 is the title
CREATE TABLE session_texts(id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, seq INTEGER NOT NULL, text TEXT NOT NULL, UNIQUE(session_id, seq)) STRICT;
CREATE VIRTUAL TABLE session_fts USING fts5(text, content='session_texts', content_rowid='id', tokenize="unicode61 remove_diacritics 2", prefix='2 3');
CREATE TRIGGER session_texts_ai AFTER INSERT ON session_texts BEGIN INSERT INTO session_fts(rowid, text) VALUES(new.id, new.text); END;
CREATE TRIGGER session_texts_ad AFTER DELETE ON session_texts BEGIN INSERT INTO session_fts(session_fts, rowid, text) VALUES('delete', old.id, old.text); END;
CREATE TRIGGER session_texts_au AFTER UPDATE OF text ON session_texts BEGIN INSERT INTO session_fts(session_fts, rowid, text) VALUES('delete', old.id, old.text); INSERT INTO session_fts(rowid, text) VALUES(new.id, new.text); END;
-- What ended runs have used, by model. Stays when a session is deleted: what was spent was spent.
CREATE TABLE session_usage(session_id TEXT NOT NULL, created_at INTEGER NOT NULL, run TEXT NOT NULL, model TEXT NOT NULL, owner TEXT NOT NULL, subject TEXT NOT NULL, ended_at INTEGER NOT NULL,
  steps INTEGER NOT NULL, input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, cost_micros INTEGER NOT NULL, PRIMARY KEY(session_id, created_at, run, model)) STRICT, WITHOUT ROWID;
CREATE INDEX ix_usage_owner ON session_usage(owner, ended_at);
CREATE INDEX ix_usage_time ON session_usage(ended_at);
