-- Writes that no visitor sees until they are published as one. The operations and revisions of an open set, and its
-- search documents, stand in the tables of the site under the id of the set in place of the environment's.
CREATE TABLE change_sets(id TEXT PRIMARY KEY, env_id TEXT NOT NULL REFERENCES environments(id) ON DELETE CASCADE, name TEXT NOT NULL, session_id TEXT NOT NULL, run_id TEXT, actor TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'open' CHECK(state IN('open','published','discarded')), version INTEGER NOT NULL DEFAULT 1, settled_by TEXT,
  -- the time that a person approved, what they saw, and why the last publishing at a time did not happen
  publish_at INTEGER, publish_version INTEGER, publish_basis TEXT, publish_overwrite TEXT CHECK(publish_overwrite IS NULL OR json_type(publish_overwrite)='array'), publish_approval TEXT, publish_failure TEXT,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
-- A session collects in one set at a time.
CREATE UNIQUE INDEX ux_change_sets_open ON change_sets(env_id,session_id) WHERE state='open';
CREATE INDEX ix_change_sets_list ON change_sets(env_id,created_at DESC);
CREATE INDEX ix_change_sets_due ON change_sets(publish_at) WHERE publish_at IS NOT NULL;
-- What stands in the place of rows of the site: all rows of a table under one key, none where they are gone.
CREATE TABLE change_set_rows(set_id TEXT NOT NULL REFERENCES change_sets(id) ON DELETE CASCADE, tbl TEXT NOT NULL, pk TEXT NOT NULL, rows TEXT NOT NULL CHECK(json_type(rows)='array'), PRIMARY KEY(set_id,tbl,pk)) STRICT, WITHOUT ROWID;
-- What each thing was when the set first changed it; null for what the set has made.
CREATE TABLE change_set_things(set_id TEXT NOT NULL REFERENCES change_sets(id) ON DELETE CASCADE, type TEXT NOT NULL, id TEXT NOT NULL, base TEXT CHECK(base IS NULL OR json_type(base)='object'), PRIMARY KEY(set_id,type,id)) STRICT, WITHOUT ROWID;
-- Through a set, rows are looked up in a subquery, for which no partial index is taken.
CREATE INDEX ix_pages_address ON pages(env_id,slug);
CREATE INDEX ix_sections_page ON sections(page_id);
