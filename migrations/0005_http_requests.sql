-- Tables of the HTTP request tools.

-- Tools stored over the API. A tool of the code hides a stored one with the same name.
-- source: title of the document that the tool was imported from, null for a tool stored by itself.
CREATE TABLE IF NOT EXISTS http_tools(name TEXT PRIMARY KEY, version INTEGER NOT NULL, body TEXT NOT NULL CHECK(json_type(body)='object'),
  source TEXT, updated_at INTEGER NOT NULL, updated_by TEXT NOT NULL) STRICT, WITHOUT ROWID;
-- One row with a number that grows with each change. Sessions compare it to know if the tools they read are current.
CREATE TABLE IF NOT EXISTS http_tools_stamp(id INTEGER PRIMARY KEY CHECK(id=1), n INTEGER NOT NULL) STRICT;
