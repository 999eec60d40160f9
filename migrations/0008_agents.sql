-- Agents that were stored over the API (src/http/agents). This is the truth of them; a file of the deployment stands before one of its name.
CREATE TABLE agents(name TEXT PRIMARY KEY, version INTEGER NOT NULL, body TEXT NOT NULL CHECK(json_type(body)='object'),
  updated_at INTEGER NOT NULL, updated_by TEXT NOT NULL,
  -- the key under which this version was asked for, null for none
  request TEXT) STRICT, WITHOUT ROWID;
-- What was answered to a request that its sender may repeat. The answer is made of this and of the repeated body.
CREATE TABLE agent_requests(key TEXT PRIMARY KEY, digest TEXT NOT NULL, version INTEGER NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX ix_agent_requests_at ON agent_requests(at);
