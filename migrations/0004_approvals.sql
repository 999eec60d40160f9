-- The inbox: what each session writes of its approvals (src/session/inbox.ts). A copy that may lag; nothing is decided by it.
CREATE TABLE approvals(session_id TEXT NOT NULL, id TEXT NOT NULL, asked_at INTEGER NOT NULL, state TEXT NOT NULL CHECK(state IN('pending','approved','denied','expired','cancelled')),
  view TEXT NOT NULL CHECK(json_type(view)='object'), PRIMARY KEY(session_id, id)) STRICT, WITHOUT ROWID;
CREATE INDEX ix_approvals_time ON approvals(asked_at DESC, session_id DESC, id DESC);
CREATE INDEX ix_approvals_state ON approvals(state, asked_at DESC, session_id DESC, id DESC);
-- Who sees it: the owner and whoever is named; '*' is everyone who may approve.
CREATE TABLE approval_readers(session_id TEXT NOT NULL, id TEXT NOT NULL, subject TEXT NOT NULL, PRIMARY KEY(session_id, id, subject)) STRICT, WITHOUT ROWID;
CREATE INDEX ix_approval_readers ON approval_readers(subject, session_id, id);
