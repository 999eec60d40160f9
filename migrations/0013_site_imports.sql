-- Sites that come in as a file (src/plugins/cms/portable). While import_id is set, an environment is being written and nobody sees it.
ALTER TABLE environments ADD COLUMN import_id TEXT;
-- What was announced and how far it is. `guard` breaks the batch of a member that another request has written.
CREATE TABLE site_imports(id TEXT PRIMARY KEY, env_id TEXT NOT NULL, target_id TEXT NOT NULL, site_id TEXT NOT NULL, name TEXT NOT NULL, manifest TEXT NOT NULL CHECK(json_type(manifest)='object'),
  members INTEGER NOT NULL, bytes INTEGER NOT NULL, digest TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'receiving' CHECK(state IN('receiving','writing','done','refused')), written INTEGER NOT NULL DEFAULT 0,
  guard INTEGER NOT NULL DEFAULT 1 CONSTRAINT import_moved CHECK(guard=1), reason TEXT, actor TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
CREATE INDEX ix_site_imports_open ON site_imports(updated_at) WHERE state IN('receiving','writing');
-- The members that are there; their bytes are in the bucket.
CREATE TABLE site_import_parts(import_id TEXT NOT NULL REFERENCES site_imports(id) ON DELETE CASCADE, n INTEGER NOT NULL, name TEXT NOT NULL, sha256 TEXT NOT NULL, size INTEGER NOT NULL, PRIMARY KEY(import_id,n)) STRICT, WITHOUT ROWID;
