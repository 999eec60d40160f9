-- Tools that were stored over the API (src/tools/stored). A tool of the code stands before one of its name.
CREATE TABLE http_tools(name TEXT PRIMARY KEY, version INTEGER NOT NULL, body TEXT NOT NULL CHECK(json_type(body)='object'),
  -- the title of the document that it was imported from, null for one that was stored by itself
  source TEXT, updated_at INTEGER NOT NULL, updated_by TEXT NOT NULL) STRICT, WITHOUT ROWID;
-- One row that grows with each change: sessions look here whether what they have read is still right.
CREATE TABLE http_tools_stamp(id INTEGER PRIMARY KEY CHECK(id=1), n INTEGER NOT NULL) STRICT;
