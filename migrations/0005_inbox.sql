-- What of a session waits for its owner beside approvals: its open question, and its last run where that was scheduled and failed.
-- Written by the session (src/session/background/inbox-items.ts). A copy that may lag; nothing is answered by it.
CREATE TABLE inbox_items(session_id TEXT NOT NULL, id TEXT NOT NULL, owner TEXT NOT NULL, kind TEXT NOT NULL CHECK(kind IN('question','failed_run')), at INTEGER NOT NULL,
  -- set by a person who needs it no more; not a fact of the session, so it stands here alone
  dismissed INTEGER NOT NULL DEFAULT 0, view TEXT NOT NULL CHECK(json_type(view)='object'), PRIMARY KEY(session_id, id)) STRICT, WITHOUT ROWID;
CREATE INDEX ix_inbox_items_owner ON inbox_items(owner, at DESC);
CREATE INDEX ix_inbox_items_time ON inbox_items(at DESC);
