-- Tables of every deployment: the indexes of sessions, runs and items waiting for a person, stored agents, webhooks and uploads.
-- Form of each file in this folder: see test/house/migration-form.ts.

-- Index of sessions. Each session writes its row when a run starts, waits or ends. A copy that may lag, never the truth.
CREATE TABLE IF NOT EXISTS sessions(id TEXT PRIMARY KEY, owner TEXT NOT NULL, status TEXT NOT NULL CHECK(status IN('idle','running','waiting')), archived INTEGER NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, view TEXT NOT NULL CHECK(json_type(view)='object')) STRICT;
CREATE INDEX IF NOT EXISTS ix_sessions_owner ON sessions(owner, updated_at DESC, id DESC);
CREATE INDEX IF NOT EXISTS ix_sessions_time ON sessions(updated_at DESC, id DESC);

-- Texts of a session for the search. seq 0 is the title.
CREATE TABLE IF NOT EXISTS session_texts(id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, seq INTEGER NOT NULL, text TEXT NOT NULL, UNIQUE(session_id, seq)) STRICT;
CREATE VIRTUAL TABLE IF NOT EXISTS session_fts USING fts5(text, content='session_texts', content_rowid='id', tokenize="unicode61 remove_diacritics 2", prefix='2 3');
CREATE TRIGGER IF NOT EXISTS session_texts_ai AFTER INSERT ON session_texts BEGIN INSERT INTO session_fts(rowid, text) VALUES(new.id, new.text); END;
CREATE TRIGGER IF NOT EXISTS session_texts_ad AFTER DELETE ON session_texts BEGIN INSERT INTO session_fts(session_fts, rowid, text) VALUES('delete', old.id, old.text); END;
CREATE TRIGGER IF NOT EXISTS session_texts_au AFTER UPDATE OF text ON session_texts BEGIN INSERT INTO session_fts(session_fts, rowid, text) VALUES('delete', old.id, old.text); INSERT INTO session_fts(rowid, text) VALUES(new.id, new.text); END;

-- Usage of ended runs, by model. Stays when a session is deleted.
CREATE TABLE IF NOT EXISTS session_usage(session_id TEXT NOT NULL, created_at INTEGER NOT NULL, run TEXT NOT NULL, model TEXT NOT NULL, owner TEXT NOT NULL, subject TEXT NOT NULL, ended_at INTEGER NOT NULL,
  steps INTEGER NOT NULL, input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, cost_micros INTEGER NOT NULL, PRIMARY KEY(session_id, created_at, run, model)) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ix_usage_owner ON session_usage(owner, ended_at);
CREATE INDEX IF NOT EXISTS ix_usage_time ON session_usage(ended_at);

-- Index of runs. A session writes a row when a run is queued, starts, waits or ends. A copy that may lag, never the truth.
-- Its secondary indexes hold only columns that never change, so an update of a run writes one row.
-- outcome: class of the outcome, null until the run has ended. objective: first characters of the request.
CREATE TABLE IF NOT EXISTS runs(session_id TEXT NOT NULL, number INTEGER NOT NULL, owner TEXT NOT NULL, agent TEXT NOT NULL,
  status TEXT NOT NULL CHECK(status IN('queued','running','paused','completed','failed','cancelled')),
  outcome TEXT CHECK(outcome IN('answered','partial','failed','cancelled')), reason TEXT,
  objective TEXT NOT NULL, source TEXT NOT NULL, requester TEXT NOT NULL, model TEXT NOT NULL,
  created_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER, PRIMARY KEY(session_id, number)) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ix_runs_owner ON runs(owner, created_at DESC, session_id DESC, number DESC);
CREATE INDEX IF NOT EXISTS ix_runs_time ON runs(created_at DESC, session_id DESC, number DESC);

-- Index of approvals, written by each session. A copy that may lag. No decision reads it.
CREATE TABLE IF NOT EXISTS approvals(session_id TEXT NOT NULL, id TEXT NOT NULL, asked_at INTEGER NOT NULL, state TEXT NOT NULL CHECK(state IN('pending','approved','denied','expired','cancelled')),
  view TEXT NOT NULL CHECK(json_type(view)='object'), PRIMARY KEY(session_id, id)) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ix_approvals_time ON approvals(asked_at DESC, session_id DESC, id DESC);
CREATE INDEX IF NOT EXISTS ix_approvals_state ON approvals(state, asked_at DESC, session_id DESC, id DESC);
-- Readers of an approval: the owner and the named approvers. An asterisk stands for everyone with the permission to approve.
CREATE TABLE IF NOT EXISTS approval_readers(session_id TEXT NOT NULL, id TEXT NOT NULL, subject TEXT NOT NULL, PRIMARY KEY(session_id, id, subject)) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ix_approval_readers ON approval_readers(subject, session_id, id);

-- Other items waiting for the owner of a session: an open question, a spent budget, or a failed scheduled run.
-- A copy that may lag. No answer reads it. dismissed: set by a person. This column exists only here, not in the session.
CREATE TABLE IF NOT EXISTS inbox_items(session_id TEXT NOT NULL, id TEXT NOT NULL, owner TEXT NOT NULL,
  kind TEXT NOT NULL CHECK(kind IN('question','failed_run','budget')), at INTEGER NOT NULL,
  dismissed INTEGER NOT NULL DEFAULT 0, view TEXT NOT NULL CHECK(json_type(view)='object'), PRIMARY KEY(session_id, id)) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ix_inbox_items_owner ON inbox_items(owner, at DESC);
CREATE INDEX IF NOT EXISTS ix_inbox_items_time ON inbox_items(at DESC);

-- Agents stored over the API. This table is their truth. An agent of the code hides a stored one with the same name.
-- request: idempotency key of the request that made this version, null for none.
CREATE TABLE IF NOT EXISTS agents(name TEXT PRIMARY KEY, version INTEGER NOT NULL, body TEXT NOT NULL CHECK(json_type(body)='object'),
  updated_at INTEGER NOT NULL, updated_by TEXT NOT NULL, request TEXT) STRICT, WITHOUT ROWID;
-- Idempotency keys of requests that changed agents. The response is built from this row and the repeated body.
CREATE TABLE IF NOT EXISTS agent_requests(key TEXT PRIMARY KEY, digest TEXT NOT NULL, version INTEGER NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ix_agent_requests_at ON agent_requests(at);

-- Webhook deliveries. One delivery makes one run, however often it arrives and under whatever ID.
-- A row names its session and message before the run exists, and names the run once it is committed.
-- key: id: and the ID of the sender, or body: and the digest of the body.
CREATE TABLE IF NOT EXISTS webhook_deliveries(id INTEGER PRIMARY KEY, source TEXT NOT NULL, key TEXT NOT NULL, session TEXT NOT NULL, message TEXT NOT NULL,
  run TEXT, at INTEGER NOT NULL, UNIQUE(source, key)) STRICT;
-- Times of the verified deliveries of the last minute, a JSON array for each source.
CREATE TABLE IF NOT EXISTS webhook_rates(source TEXT PRIMARY KEY, times TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- Files that are being uploaded or are stored in a session. The row is written before the file, so that simultaneous uploads
-- cannot claim the same space. session_at: creation time of the session, because session IDs can be used again.
CREATE TABLE IF NOT EXISTS upload_reservations(id TEXT PRIMARY KEY, session_id TEXT NOT NULL, session_at INTEGER NOT NULL, subject TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ix_upload_reservations ON upload_reservations(session_id,session_at);
