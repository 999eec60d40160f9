-- Tables of the site: what the CMS tools write and the public site renders. The write rules are in src/plugins/cms/commit.ts.

CREATE TABLE IF NOT EXISTS sites(id TEXT PRIMARY KEY, name TEXT NOT NULL, base_url TEXT, default_env_id TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
-- members: JSON array of the subjects who may work on the environment in addition to admins, or an asterisk for everyone with the
-- permission to send. The default environment is open to everyone. import_id: set while an import writes the environment, which hides it.
CREATE TABLE IF NOT EXISTS environments(id TEXT PRIMARY KEY, site_id TEXT NOT NULL REFERENCES sites(id) ON DELETE CASCADE, name TEXT NOT NULL,
  is_protected INTEGER NOT NULL DEFAULT 0, epoch INTEGER NOT NULL DEFAULT 1, members TEXT NOT NULL DEFAULT '[]' CHECK(json_type(members)='array'), import_id TEXT, UNIQUE(site_id,name)) STRICT;
CREATE TABLE IF NOT EXISTS locales(env_id TEXT NOT NULL REFERENCES environments(id) ON DELETE CASCADE, code TEXT NOT NULL, name TEXT NOT NULL, fallback TEXT,
  is_default INTEGER NOT NULL DEFAULT 0, status TEXT NOT NULL DEFAULT 'active' CHECK(status IN('active','inactive')), version INTEGER NOT NULL DEFAULT 1, PRIMARY KEY(env_id,code)) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS ux_locale_default ON locales(env_id) WHERE is_default=1;
CREATE TABLE IF NOT EXISTS settings(env_id TEXT NOT NULL REFERENCES environments(id) ON DELETE CASCADE, key TEXT NOT NULL CHECK(key IN('identity','seo','home','theme','social')),
  value TEXT NOT NULL CHECK(json_type(value)='object'), version INTEGER NOT NULL DEFAULT 1, updated_at INTEGER NOT NULL, PRIMARY KEY(env_id,key)) STRICT;
-- No tool reads this table.
CREATE TABLE IF NOT EXISTS secrets(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS section_templates(key TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT NOT NULL, region TEXT NOT NULL DEFAULT 'main' CHECK(region IN('main','header','footer')),
  fields TEXT NOT NULL CHECK(json_type(fields)='array'), variants TEXT NOT NULL DEFAULT '["default"]' CHECK(json_type(variants)='array'), status TEXT NOT NULL DEFAULT 'active', version INTEGER NOT NULL DEFAULT 1) STRICT;

-- publish_version: version that a person approved for publish_at. publish_failure: why the last scheduled publishing failed.
-- ix_pages_address: a change set looks rows up in a subquery, for which SQLite takes no partial index.
CREATE TABLE IF NOT EXISTS pages(id TEXT PRIMARY KEY, env_id TEXT NOT NULL REFERENCES environments(id) ON DELETE CASCADE, kind TEXT NOT NULL DEFAULT 'page' CHECK(kind IN('page','layout')),
  slug TEXT NOT NULL, name TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'draft' CHECK(status IN('draft','published','unpublished')), indexing INTEGER NOT NULL DEFAULT 1,
  version INTEGER NOT NULL DEFAULT 1, published_version INTEGER, published_at INTEGER, publish_at INTEGER, deleted_at INTEGER, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, publish_version INTEGER, publish_failure TEXT) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS ux_pages_slug ON pages(env_id,slug) WHERE deleted_at IS NULL;
CREATE INDEX IF NOT EXISTS ix_pages_due ON pages(publish_at) WHERE publish_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS ix_pages_address ON pages(env_id,slug);
CREATE INDEX IF NOT EXISTS ix_pages_name ON pages(env_id,name COLLATE NOCASE,id);
CREATE INDEX IF NOT EXISTS ix_pages_newest ON pages(env_id,updated_at DESC,id);
CREATE TABLE IF NOT EXISTS sections(id TEXT PRIMARY KEY, env_id TEXT NOT NULL, page_id TEXT NOT NULL REFERENCES pages(id) ON DELETE CASCADE,
  template_key TEXT NOT NULL REFERENCES section_templates(key) ON DELETE RESTRICT, variant TEXT NOT NULL DEFAULT 'default', sort_key TEXT NOT NULL, hidden INTEGER NOT NULL DEFAULT 0,
  version INTEGER NOT NULL DEFAULT 1, deleted_at INTEGER, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS ux_sections_order ON sections(page_id,sort_key) WHERE deleted_at IS NULL;
CREATE INDEX IF NOT EXISTS ix_sections_page ON sections(page_id);
-- ix_contents_title: each publishing looks for another page with the same title.
CREATE TABLE IF NOT EXISTS contents(owner_type TEXT NOT NULL CHECK(owner_type IN('page','section','entry','nav','image')), owner_id TEXT NOT NULL, locale TEXT NOT NULL, env_id TEXT NOT NULL,
  data TEXT NOT NULL CHECK(json_type(data)='object'), updated_at INTEGER NOT NULL, PRIMARY KEY(owner_type,owner_id,locale)) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ix_contents_title ON contents(env_id,(data->>'title') COLLATE NOCASE) WHERE owner_type='page';

-- A deleted collection keeps its row, because the rows of its entries reference it. Its slug is then a tilde and its ID, so the old slug is free.
CREATE TABLE IF NOT EXISTS collections(id TEXT PRIMARY KEY, env_id TEXT NOT NULL REFERENCES environments(id) ON DELETE CASCADE, slug TEXT NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL DEFAULT '',
  fields TEXT NOT NULL CHECK(json_type(fields)='array'), sort TEXT NOT NULL DEFAULT 'published_at desc', version INTEGER NOT NULL DEFAULT 1, updated_at INTEGER NOT NULL, deleted_at INTEGER, UNIQUE(env_id,slug)) STRICT;

-- tags: JSON array set by a person, null for the tags of image_metadata.
CREATE TABLE IF NOT EXISTS images(id TEXT PRIMARY KEY, env_id TEXT NOT NULL REFERENCES environments(id) ON DELETE CASCADE, sha256 TEXT NOT NULL, filename TEXT NOT NULL, media_type TEXT NOT NULL, ext TEXT NOT NULL,
  byte_size INTEGER NOT NULL, width INTEGER, height INTEGER, alt TEXT NOT NULL DEFAULT '', alt_source TEXT NOT NULL DEFAULT 'none' CHECK(alt_source IN('none','filename','model','stock','human')),
  caption TEXT NOT NULL DEFAULT '', origin TEXT NOT NULL CHECK(origin IN('seed','chat','api','stock','url')), source_ref TEXT, attribution TEXT CHECK(attribution IS NULL OR json_type(attribution)='object'),
  session_id TEXT, version INTEGER NOT NULL DEFAULT 1, deleted_at INTEGER, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, tags TEXT CHECK(tags IS NULL OR json_type(tags)='array')) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS ux_images_sha ON images(env_id,sha256) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX IF NOT EXISTS ux_images_source ON images(env_id,source_ref) WHERE deleted_at IS NULL AND source_ref IS NOT NULL;
CREATE INDEX IF NOT EXISTS ix_images_newest ON images(env_id,created_at DESC,id);
-- Images of a conversation, newest first.
CREATE INDEX IF NOT EXISTS ix_images_session ON images(env_id,session_id,created_at DESC,id);
CREATE TABLE IF NOT EXISTS image_metadata(image_id TEXT PRIMARY KEY REFERENCES images(id) ON DELETE CASCADE, status TEXT NOT NULL DEFAULT 'pending' CHECK(status IN('pending','done','failed','skipped')), description TEXT NOT NULL DEFAULT '',
  tags TEXT NOT NULL DEFAULT '[]' CHECK(json_type(tags)='array'), detail TEXT NOT NULL DEFAULT '{}' CHECK(json_type(detail)='object'), model TEXT, attempts INTEGER NOT NULL DEFAULT 0, lease_until INTEGER, error TEXT, generated_at INTEGER) STRICT;
-- Images that wait for their variants and their description.
CREATE INDEX IF NOT EXISTS ix_image_work ON image_metadata(lease_until) WHERE status='pending';
CREATE TABLE IF NOT EXISTS image_variants(image_id TEXT NOT NULL REFERENCES images(id) ON DELETE CASCADE, width INTEGER NOT NULL, format TEXT NOT NULL, height INTEGER, byte_size INTEGER NOT NULL, r2_key TEXT NOT NULL, PRIMARY KEY(image_id,width,format)) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS entries(id TEXT PRIMARY KEY, env_id TEXT NOT NULL, collection_id TEXT NOT NULL REFERENCES collections(id) ON DELETE CASCADE, slug TEXT NOT NULL, title TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'draft' CHECK(status IN('draft','published','archived')), category TEXT, author TEXT, cover_image_id TEXT REFERENCES images(id) ON DELETE SET NULL, indexing INTEGER NOT NULL DEFAULT 1,
  version INTEGER NOT NULL DEFAULT 1, published_version INTEGER, published_at INTEGER, publish_at INTEGER, deleted_at INTEGER, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, publish_version INTEGER, publish_failure TEXT) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS ux_entries_slug ON entries(collection_id,slug) WHERE deleted_at IS NULL;
CREATE INDEX IF NOT EXISTS ix_entries_list ON entries(collection_id,status,published_at DESC);
CREATE INDEX IF NOT EXISTS ix_entries_due ON entries(publish_at) WHERE publish_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS ix_entries_newest ON entries(collection_id,coalesce(published_at,publish_at,0) DESC,id);
CREATE INDEX IF NOT EXISTS ix_entries_updated ON entries(collection_id,updated_at DESC,id);
CREATE INDEX IF NOT EXISTS ix_entries_title ON entries(collection_id,title COLLATE NOCASE,id);
CREATE INDEX IF NOT EXISTS ix_entries_address ON entries(collection_id,slug);

CREATE TABLE IF NOT EXISTS published_docs(owner_type TEXT NOT NULL CHECK(owner_type IN('page','entry')), owner_id TEXT NOT NULL, env_id TEXT NOT NULL, version INTEGER NOT NULL,
  doc TEXT NOT NULL CHECK(json_type(doc)='object'), published_at INTEGER NOT NULL, PRIMARY KEY(owner_type,owner_id)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS redirects(env_id TEXT NOT NULL, from_path TEXT NOT NULL, target_type TEXT NOT NULL, target_id TEXT NOT NULL, created_at INTEGER NOT NULL, PRIMARY KEY(env_id,from_path)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS asset_refs(target_type TEXT NOT NULL CHECK(target_type IN('image','page','entry','collection')), target_id TEXT NOT NULL, owner_type TEXT NOT NULL, owner_id TEXT NOT NULL, root_type TEXT NOT NULL, root_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK(state IN('draft','published','live')), locale TEXT NOT NULL DEFAULT '', path TEXT NOT NULL, env_id TEXT NOT NULL, PRIMARY KEY(target_type,target_id,owner_type,owner_id,state,locale,path)) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ix_refs_owner ON asset_refs(owner_type,owner_id,state);
CREATE INDEX IF NOT EXISTS ix_refs_root ON asset_refs(root_type,root_id,state);
CREATE TABLE IF NOT EXISTS nav_items(id TEXT PRIMARY KEY, env_id TEXT NOT NULL REFERENCES environments(id) ON DELETE CASCADE, location TEXT NOT NULL CHECK(location IN('header','footer')), parent_id TEXT REFERENCES nav_items(id) ON DELETE CASCADE,
  sort_key TEXT NOT NULL, label TEXT NOT NULL, target_type TEXT NOT NULL CHECK(target_type IN('page','entry','collection','url','none')), target_id TEXT, url TEXT, visible INTEGER NOT NULL DEFAULT 1, version INTEGER NOT NULL DEFAULT 1,
  deleted_at INTEGER, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, CHECK((target_type='url')=(url IS NOT NULL)), CHECK(target_type IN('url','none') OR target_id IS NOT NULL)) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS ux_nav_order ON nav_items(env_id,location,coalesce(parent_id,''),sort_key) WHERE deleted_at IS NULL;

CREATE TABLE IF NOT EXISTS operations(key TEXT PRIMARY KEY, env_id TEXT NOT NULL, tool TEXT NOT NULL, args_digest TEXT NOT NULL, result TEXT NOT NULL CHECK(json_type(result)='object'),
  version_guard INTEGER NOT NULL DEFAULT 1 CONSTRAINT version_conflict CHECK(version_guard=1), state_guard INTEGER NOT NULL DEFAULT 1 CONSTRAINT state_conflict CHECK(state_guard=1),
  actor TEXT NOT NULL, session_id TEXT, run_id TEXT, approval_id TEXT, summary TEXT NOT NULL, undo_of TEXT, undone_by TEXT, created_at INTEGER NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS ix_ops_session ON operations(session_id,created_at DESC);
CREATE INDEX IF NOT EXISTS ix_ops_env ON operations(env_id,created_at DESC);
CREATE INDEX IF NOT EXISTS ix_ops_run ON operations(run_id,created_at DESC) WHERE run_id IS NOT NULL;
CREATE TABLE IF NOT EXISTS revisions(id TEXT PRIMARY KEY, op_key TEXT NOT NULL REFERENCES operations(key), seq INTEGER NOT NULL, env_id TEXT NOT NULL, entity_type TEXT NOT NULL, entity_id TEXT NOT NULL, version_before INTEGER, version_after INTEGER,
  before TEXT CHECK(before IS NULL OR json_type(before)='object'), after TEXT CHECK(after IS NULL OR json_type(after)='object'), created_at INTEGER NOT NULL, UNIQUE(op_key,seq)) STRICT;
CREATE INDEX IF NOT EXISTS ix_rev_entity ON revisions(entity_type,entity_id,created_at DESC);
-- Sections that were ever on a page, for comparing the page with an earlier version and restoring it.
CREATE INDEX IF NOT EXISTS ix_rev_stood ON revisions(after->>'pageId',env_id,entity_id) WHERE entity_type='section';
CREATE INDEX IF NOT EXISTS ix_rev_left ON revisions(before->>'pageId',env_id,entity_id) WHERE entity_type='section' AND (after->>'pageId') IS NOT (before->>'pageId');

-- Change sets: writes that no visitor sees until they are published together. The operations, revisions and search documents of an
-- open set are in the tables of the site, under the ID of the set instead of the ID of the environment.
-- publish_basis and publish_overwrite: what the approver saw. A session writes into one open set at a time.
CREATE TABLE IF NOT EXISTS change_sets(id TEXT PRIMARY KEY, env_id TEXT NOT NULL REFERENCES environments(id) ON DELETE CASCADE, name TEXT NOT NULL, session_id TEXT NOT NULL, run_id TEXT, actor TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'open' CHECK(state IN('open','published','discarded')), version INTEGER NOT NULL DEFAULT 1, settled_by TEXT,
  publish_at INTEGER, publish_version INTEGER, publish_basis TEXT, publish_overwrite TEXT CHECK(publish_overwrite IS NULL OR json_type(publish_overwrite)='array'), publish_approval TEXT, publish_failure TEXT,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS ux_change_sets_open ON change_sets(env_id,session_id) WHERE state='open';
CREATE INDEX IF NOT EXISTS ix_change_sets_list ON change_sets(env_id,created_at DESC);
CREATE INDEX IF NOT EXISTS ix_change_sets_due ON change_sets(publish_at) WHERE publish_at IS NOT NULL;
-- Rows that replace rows of the site: all rows of a table under one key, an empty array for deleted ones.
CREATE TABLE IF NOT EXISTS change_set_rows(set_id TEXT NOT NULL REFERENCES change_sets(id) ON DELETE CASCADE, tbl TEXT NOT NULL, pk TEXT NOT NULL, rows TEXT NOT NULL CHECK(json_type(rows)='array'), PRIMARY KEY(set_id,tbl,pk)) STRICT, WITHOUT ROWID;
-- State of each item when the set first changed it, null for an item that the set created.
CREATE TABLE IF NOT EXISTS change_set_things(set_id TEXT NOT NULL REFERENCES change_sets(id) ON DELETE CASCADE, type TEXT NOT NULL, id TEXT NOT NULL, base TEXT CHECK(base IS NULL OR json_type(base)='object'), PRIMARY KEY(set_id,type,id)) STRICT, WITHOUT ROWID;

-- Imports of a site from a file (src/plugins/cms/portable). guard: fails the batch of a part that another request has written.
CREATE TABLE IF NOT EXISTS site_imports(id TEXT PRIMARY KEY, env_id TEXT NOT NULL, target_id TEXT NOT NULL, site_id TEXT NOT NULL, name TEXT NOT NULL, manifest TEXT NOT NULL CHECK(json_type(manifest)='object'),
  members INTEGER NOT NULL, bytes INTEGER NOT NULL, digest TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'receiving' CHECK(state IN('receiving','writing','done','refused')), written INTEGER NOT NULL DEFAULT 0,
  guard INTEGER NOT NULL DEFAULT 1 CONSTRAINT import_moved CHECK(guard=1), reason TEXT, actor TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS ix_site_imports_open ON site_imports(updated_at) WHERE state IN('receiving','writing');
-- Parts received so far. Their bytes are in the bucket.
CREATE TABLE IF NOT EXISTS site_import_parts(import_id TEXT NOT NULL REFERENCES site_imports(id) ON DELETE CASCADE, n INTEGER NOT NULL, name TEXT NOT NULL, sha256 TEXT NOT NULL, size INTEGER NOT NULL, PRIMARY KEY(import_id,n)) STRICT, WITHOUT ROWID;

-- Search documents. marks: the scope (environment, kind and locale), the scope with the status, and the whole title and slug as one
-- word each, so that the full-text index alone decides which documents match.
CREATE TABLE IF NOT EXISTS search_docs(id INTEGER PRIMARY KEY, doc_key TEXT NOT NULL UNIQUE, env_id TEXT NOT NULL, kind TEXT NOT NULL, ref_id TEXT NOT NULL, locale TEXT NOT NULL, status TEXT NOT NULL,
  title TEXT NOT NULL, slug TEXT NOT NULL DEFAULT '', body TEXT NOT NULL DEFAULT '', parent_id TEXT, embedded_at INTEGER, updated_at INTEGER NOT NULL, marks TEXT GENERATED ALWAYS AS (hex(env_id||'/'||kind||'/'||locale)||' '||hex(env_id||'/'||kind||'/'||locale||'/'||status)
  ||' x'||replace(replace(title,' ','x'),'-','x')||'x x'||replace(replace(slug,' ','x'),'-','x')||'x') VIRTUAL) STRICT;
CREATE INDEX IF NOT EXISTS ix_search_scope ON search_docs(env_id,kind,locale);
CREATE INDEX IF NOT EXISTS ix_search_unembedded ON search_docs(env_id) WHERE embedded_at IS NULL;
CREATE VIRTUAL TABLE IF NOT EXISTS search_fts USING fts5(title, slug, body, marks, content='search_docs', content_rowid='id', tokenize="unicode61 remove_diacritics 2", prefix='2 3');

-- Embeddings of search documents: unit vectors as Float32 (little-endian). A row belongs to the last embedded text and is valid
-- while search_docs.embedded_at is set.
CREATE TABLE IF NOT EXISTS search_vectors(doc_id INTEGER PRIMARY KEY, vector_id TEXT NOT NULL UNIQUE DEFAULT (lower(hex(randomblob(16)))), env_id TEXT NOT NULL, model TEXT NOT NULL, kind TEXT NOT NULL, locale TEXT NOT NULL,
  digest TEXT NOT NULL, indexed INTEGER NOT NULL DEFAULT 0, vector BLOB NOT NULL CHECK(length(vector)>0 AND length(vector)%4=0)) STRICT;
CREATE INDEX IF NOT EXISTS ix_vectors_scope ON search_vectors(env_id,model);
-- Vectors that a bound Vectorize index does not have in this state, and vectors to delete from it.
CREATE INDEX IF NOT EXISTS ix_vectors_unindexed ON search_vectors(doc_id) WHERE indexed=0;
CREATE TABLE IF NOT EXISTS search_vectors_gone(vector_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
-- Attempts that run (a lease) or failed and wait for the next attempt.
CREATE TABLE IF NOT EXISTS embedding_attempts(doc_id INTEGER PRIMARY KEY, attempts INTEGER NOT NULL, lease_until INTEGER NOT NULL, error TEXT) STRICT;
CREATE TRIGGER IF NOT EXISTS vectors_ad AFTER DELETE ON search_docs BEGIN DELETE FROM search_vectors WHERE doc_id=old.id; DELETE FROM embedding_attempts WHERE doc_id=old.id; END;
CREATE TRIGGER IF NOT EXISTS vectors_gone AFTER DELETE ON search_vectors BEGIN INSERT INTO search_vectors_gone(vector_id) VALUES(old.vector_id); END;
-- A changed text does not wait for the retry of the previous text.
CREATE TRIGGER IF NOT EXISTS vectors_au_text AFTER UPDATE OF title,body ON search_docs WHEN old.title<>new.title OR old.body<>new.body BEGIN DELETE FROM embedding_attempts WHERE doc_id=old.id; END;
CREATE TRIGGER IF NOT EXISTS vectors_au_status AFTER UPDATE OF status ON search_docs WHEN old.status<>new.status BEGIN UPDATE search_vectors SET indexed=0 WHERE doc_id=old.id AND indexed=1; END;

-- Counts, updated by triggers, so that a large site is not scanned. part: the status of pages, collection/status of entries, the locale of
-- texts (documents of pages, sections and entries). Documents of a change set are counted on request.
-- Lists read an index in their order. None of these indexes is partial: a change set would not use it.
CREATE TABLE IF NOT EXISTS site_counts(env_id TEXT NOT NULL, kind TEXT NOT NULL CHECK(kind IN('page','entry','image','text')), part TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY(env_id,kind,part)) STRICT, WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS pages_counted_ai AFTER INSERT ON pages WHEN new.kind='page' AND new.deleted_at IS NULL BEGIN INSERT INTO site_counts VALUES(new.env_id,'page',new.status,1) ON CONFLICT DO UPDATE SET n=n+1; END;
CREATE TRIGGER IF NOT EXISTS pages_counted_ad AFTER DELETE ON pages WHEN old.kind='page' AND old.deleted_at IS NULL BEGIN UPDATE site_counts SET n=n-1 WHERE env_id=old.env_id AND kind='page' AND part=old.status; END;
CREATE TRIGGER IF NOT EXISTS pages_counted_au AFTER UPDATE OF status, deleted_at ON pages WHEN new.kind='page' AND (old.status<>new.status OR (old.deleted_at IS NULL)<>(new.deleted_at IS NULL)) BEGIN UPDATE site_counts SET n=n-1 WHERE env_id=old.env_id AND kind='page' AND part=old.status AND old.deleted_at IS NULL; INSERT INTO site_counts SELECT new.env_id,'page',new.status,1 WHERE new.deleted_at IS NULL ON CONFLICT DO UPDATE SET n=n+1; END;
CREATE TRIGGER IF NOT EXISTS entries_counted_ai AFTER INSERT ON entries WHEN new.deleted_at IS NULL BEGIN INSERT INTO site_counts VALUES(new.env_id,'entry',new.collection_id||'/'||new.status,1) ON CONFLICT DO UPDATE SET n=n+1; END;
CREATE TRIGGER IF NOT EXISTS entries_counted_ad AFTER DELETE ON entries WHEN old.deleted_at IS NULL BEGIN UPDATE site_counts SET n=n-1 WHERE env_id=old.env_id AND kind='entry' AND part=old.collection_id||'/'||old.status; END;
CREATE TRIGGER IF NOT EXISTS entries_counted_au AFTER UPDATE OF status, deleted_at ON entries WHEN old.status<>new.status OR (old.deleted_at IS NULL)<>(new.deleted_at IS NULL) BEGIN UPDATE site_counts SET n=n-1 WHERE env_id=old.env_id AND kind='entry' AND part=old.collection_id||'/'||old.status AND old.deleted_at IS NULL; INSERT INTO site_counts SELECT new.env_id,'entry',new.collection_id||'/'||new.status,1 WHERE new.deleted_at IS NULL ON CONFLICT DO UPDATE SET n=n+1; END;
CREATE TRIGGER IF NOT EXISTS images_counted_ai AFTER INSERT ON images WHEN new.deleted_at IS NULL BEGIN INSERT INTO site_counts VALUES(new.env_id,'image','',1) ON CONFLICT DO UPDATE SET n=n+1; END;
CREATE TRIGGER IF NOT EXISTS images_counted_ad AFTER DELETE ON images WHEN old.deleted_at IS NULL BEGIN UPDATE site_counts SET n=n-1 WHERE env_id=old.env_id AND kind='image' AND part=''; END;
CREATE TRIGGER IF NOT EXISTS images_counted_au AFTER UPDATE OF deleted_at ON images WHEN (old.deleted_at IS NULL)<>(new.deleted_at IS NULL) BEGIN INSERT INTO site_counts VALUES(new.env_id,'image','',iif(new.deleted_at IS NULL,1,-1)) ON CONFLICT DO UPDATE SET n=n+excluded.n; END;
CREATE TRIGGER IF NOT EXISTS search_counted_ai AFTER INSERT ON search_docs WHEN new.kind IN('page','section','entry') AND new.env_id NOT GLOB 'cs_*' BEGIN INSERT INTO site_counts VALUES(new.env_id,'text',new.locale,1) ON CONFLICT DO UPDATE SET n=n+1; END;
CREATE TRIGGER IF NOT EXISTS search_counted_ad AFTER DELETE ON search_docs WHEN old.kind IN('page','section','entry') AND old.env_id NOT GLOB 'cs_*' BEGIN UPDATE site_counts SET n=n-1 WHERE env_id=old.env_id AND kind='text' AND part=old.locale; END;

-- A search document that is written again without a change costs nothing in the full-text index.
CREATE TRIGGER IF NOT EXISTS search_ai AFTER INSERT ON search_docs BEGIN INSERT INTO search_fts(rowid,title,slug,body,marks) VALUES(new.id,new.title,new.slug,new.body,new.marks); END;
CREATE TRIGGER IF NOT EXISTS search_ad AFTER DELETE ON search_docs BEGIN INSERT INTO search_fts(search_fts,rowid,title,slug,body,marks) VALUES('delete',old.id,old.title,old.slug,old.body,old.marks); END;
CREATE TRIGGER IF NOT EXISTS search_au AFTER UPDATE OF title,slug,body,env_id,kind,locale,status ON search_docs WHEN old.title<>new.title OR old.slug<>new.slug OR old.body<>new.body OR old.marks<>new.marks BEGIN INSERT INTO search_fts(search_fts,rowid,title,slug,body,marks) VALUES('delete',old.id,old.title,old.slug,old.body,old.marks); INSERT INTO search_fts(rowid,title,slug,body,marks) VALUES(new.id,new.title,new.slug,new.body,new.marks); END;

-- Sitemap entries of the published documents. n counts up in each environment: a file of the sitemap is a range of n, so a document
-- stays in its file. locales: those in which the document has content.
CREATE TABLE IF NOT EXISTS sitemap_docs(env_id TEXT NOT NULL, n INTEGER NOT NULL, owner_type TEXT NOT NULL, owner_id TEXT NOT NULL, published_at INTEGER NOT NULL,
  locales TEXT NOT NULL CHECK(json_type(locales)='array'), PRIMARY KEY(env_id,n), UNIQUE(owner_type,owner_id)) STRICT, WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS sitemap_ai AFTER INSERT ON published_docs BEGIN INSERT INTO sitemap_docs SELECT new.env_id, 1+coalesce((SELECT max(n) FROM sitemap_docs WHERE env_id=new.env_id),0), new.owner_type, new.owner_id, new.published_at, (SELECT json_group_array(DISTINCT key) FROM (SELECT l.key, l.type, l.value FROM json_each(new.doc,'$.meta') l UNION ALL SELECT l.key, l.type, l.value FROM json_each(new.doc,'$.content') l UNION ALL SELECT l.key, l.type, l.value FROM json_each(new.doc,'$.sections') s, json_each(s.value,'$.content') l) WHERE type='object' AND value<>'{}'); END;
CREATE TRIGGER IF NOT EXISTS sitemap_au AFTER UPDATE OF doc, published_at ON published_docs BEGIN UPDATE sitemap_docs SET published_at=new.published_at, locales=(SELECT json_group_array(DISTINCT key) FROM (SELECT l.key, l.type, l.value FROM json_each(new.doc,'$.meta') l UNION ALL SELECT l.key, l.type, l.value FROM json_each(new.doc,'$.content') l UNION ALL SELECT l.key, l.type, l.value FROM json_each(new.doc,'$.sections') s, json_each(s.value,'$.content') l) WHERE type='object' AND value<>'{}') WHERE owner_type=new.owner_type AND owner_id=new.owner_id; END;
-- An import is written in its own environment and then moved.
CREATE TRIGGER IF NOT EXISTS sitemap_moved AFTER UPDATE OF env_id ON published_docs WHEN old.env_id<>new.env_id BEGIN UPDATE sitemap_docs SET env_id=new.env_id, n=1+coalesce((SELECT max(n) FROM sitemap_docs WHERE env_id=new.env_id),0) WHERE owner_type=new.owner_type AND owner_id=new.owner_id; END;
CREATE TRIGGER IF NOT EXISTS sitemap_ad AFTER DELETE ON published_docs BEGIN DELETE FROM sitemap_docs WHERE owner_type=old.owner_type AND owner_id=old.owner_id; END;

-- Attempts at scheduled publishing (pages, entries and change sets), by the key of the work. The row is written before the attempt,
-- so a worker that crashes has used up an attempt.
CREATE TABLE IF NOT EXISTS due_attempts(key TEXT PRIMARY KEY, attempts INTEGER NOT NULL, retry_at INTEGER NOT NULL, error TEXT) STRICT, WITHOUT ROWID;
-- Messages about scheduled publishing for the session that scheduled it, not delivered yet. made_before: the session must be at least
-- as old, because session IDs can be used again.
CREATE TABLE IF NOT EXISTS due_notices(id TEXT PRIMARY KEY, session_id TEXT NOT NULL, made_before INTEGER NOT NULL, text TEXT NOT NULL, at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0, retry_at INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ix_due_notices_retry ON due_notices(retry_at);
