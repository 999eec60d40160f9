-- The index of runs: what each session writes of its runs when one is queued, begins, waits or ends (src/session/background/run-index.ts).
-- A copy that may lag, never the truth. Its indexes hold nothing that changes, so only a new run is written into them.
CREATE TABLE runs(session_id TEXT NOT NULL, number INTEGER NOT NULL, owner TEXT NOT NULL, agent TEXT NOT NULL,
  status TEXT NOT NULL CHECK(status IN('queued','running','paused','completed','failed','cancelled')),
  -- the class of the outcome, null until the run has ended
  outcome TEXT CHECK(outcome IN('answered','partial','failed','cancelled')), reason TEXT,
  -- the first characters of what was asked
  objective TEXT NOT NULL, source TEXT NOT NULL, requester TEXT NOT NULL, model TEXT NOT NULL,
  created_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER, PRIMARY KEY(session_id, number)) STRICT, WITHOUT ROWID;
CREATE INDEX ix_runs_owner ON runs(owner, created_at DESC, session_id DESC, number DESC);
CREATE INDEX ix_runs_time ON runs(created_at DESC, session_id DESC, number DESC);
