-- The content of the site: what the CMS tools write and the public site renders. Who may write how: src/plugins/cms/commit.ts.
CREATE TABLE sites(id TEXT PRIMARY KEY, name TEXT NOT NULL, base_url TEXT, default_env_id TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
CREATE TABLE environments(id TEXT PRIMARY KEY, site_id TEXT NOT NULL REFERENCES sites(id) ON DELETE CASCADE, name TEXT NOT NULL,
  is_protected INTEGER NOT NULL DEFAULT 0, epoch INTEGER NOT NULL DEFAULT 1, UNIQUE(site_id,name)) STRICT;
CREATE TABLE locales(env_id TEXT NOT NULL REFERENCES environments(id) ON DELETE CASCADE, code TEXT NOT NULL, name TEXT NOT NULL, fallback TEXT,
  is_default INTEGER NOT NULL DEFAULT 0, status TEXT NOT NULL DEFAULT 'active' CHECK(status IN('active','inactive')), version INTEGER NOT NULL DEFAULT 1, PRIMARY KEY(env_id,code)) STRICT;
CREATE UNIQUE INDEX ux_locale_default ON locales(env_id) WHERE is_default=1;
CREATE TABLE settings(env_id TEXT NOT NULL REFERENCES environments(id) ON DELETE CASCADE, key TEXT NOT NULL CHECK(key IN('identity','seo','home','theme','social')),
  value TEXT NOT NULL CHECK(json_type(value)='object'), version INTEGER NOT NULL DEFAULT 1, updated_at INTEGER NOT NULL, PRIMARY KEY(env_id,key)) STRICT;
CREATE TABLE secrets(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT; -- never read by a tool
CREATE TABLE section_templates(key TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT NOT NULL, region TEXT NOT NULL DEFAULT 'main' CHECK(region IN('main','header','footer')),
  fields TEXT NOT NULL CHECK(json_type(fields)='array'), variants TEXT NOT NULL DEFAULT '["default"]' CHECK(json_type(variants)='array'), status TEXT NOT NULL DEFAULT 'active', version INTEGER NOT NULL DEFAULT 1) STRICT;
CREATE TABLE pages(id TEXT PRIMARY KEY, env_id TEXT NOT NULL REFERENCES environments(id) ON DELETE CASCADE, kind TEXT NOT NULL DEFAULT 'page' CHECK(kind IN('page','layout')),
  slug TEXT NOT NULL, name TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'draft' CHECK(status IN('draft','published','unpublished')), indexing INTEGER NOT NULL DEFAULT 1,
  version INTEGER NOT NULL DEFAULT 1, published_version INTEGER, published_at INTEGER, publish_at INTEGER, deleted_at INTEGER, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
CREATE UNIQUE INDEX ux_pages_slug ON pages(env_id,slug) WHERE deleted_at IS NULL;
CREATE INDEX ix_pages_due ON pages(publish_at) WHERE publish_at IS NOT NULL;
CREATE TABLE sections(id TEXT PRIMARY KEY, env_id TEXT NOT NULL, page_id TEXT NOT NULL REFERENCES pages(id) ON DELETE CASCADE,
  template_key TEXT NOT NULL REFERENCES section_templates(key) ON DELETE RESTRICT, variant TEXT NOT NULL DEFAULT 'default', sort_key TEXT NOT NULL, hidden INTEGER NOT NULL DEFAULT 0,
  version INTEGER NOT NULL DEFAULT 1, deleted_at INTEGER, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
CREATE UNIQUE INDEX ux_sections_order ON sections(page_id,sort_key) WHERE deleted_at IS NULL;
CREATE TABLE contents(owner_type TEXT NOT NULL CHECK(owner_type IN('page','section','entry','nav','image')), owner_id TEXT NOT NULL, locale TEXT NOT NULL, env_id TEXT NOT NULL,
  data TEXT NOT NULL CHECK(json_type(data)='object'), updated_at INTEGER NOT NULL, PRIMARY KEY(owner_type,owner_id,locale)) STRICT, WITHOUT ROWID;
CREATE TABLE collections(id TEXT PRIMARY KEY, env_id TEXT NOT NULL REFERENCES environments(id) ON DELETE CASCADE, slug TEXT NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL DEFAULT '',
  fields TEXT NOT NULL CHECK(json_type(fields)='array'), sort TEXT NOT NULL DEFAULT 'published_at desc', version INTEGER NOT NULL DEFAULT 1, updated_at INTEGER NOT NULL, UNIQUE(env_id,slug)) STRICT;
CREATE TABLE images(id TEXT PRIMARY KEY, env_id TEXT NOT NULL REFERENCES environments(id) ON DELETE CASCADE, sha256 TEXT NOT NULL, filename TEXT NOT NULL, media_type TEXT NOT NULL, ext TEXT NOT NULL,
  byte_size INTEGER NOT NULL, width INTEGER, height INTEGER, alt TEXT NOT NULL DEFAULT '', alt_source TEXT NOT NULL DEFAULT 'none' CHECK(alt_source IN('none','filename','model','stock','human')),
  caption TEXT NOT NULL DEFAULT '', origin TEXT NOT NULL CHECK(origin IN('seed','chat','api','stock','url')), source_ref TEXT, attribution TEXT CHECK(attribution IS NULL OR json_type(attribution)='object'),
  session_id TEXT, version INTEGER NOT NULL DEFAULT 1, deleted_at INTEGER, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
CREATE UNIQUE INDEX ux_images_sha ON images(env_id,sha256) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX ux_images_source ON images(env_id,source_ref) WHERE deleted_at IS NULL AND source_ref IS NOT NULL;
CREATE TABLE image_metadata(image_id TEXT PRIMARY KEY REFERENCES images(id) ON DELETE CASCADE, status TEXT NOT NULL DEFAULT 'pending' CHECK(status IN('pending','done','failed','skipped')), description TEXT NOT NULL DEFAULT '',
  tags TEXT NOT NULL DEFAULT '[]' CHECK(json_type(tags)='array'), detail TEXT NOT NULL DEFAULT '{}' CHECK(json_type(detail)='object'), model TEXT, attempts INTEGER NOT NULL DEFAULT 0, lease_until INTEGER, error TEXT, generated_at INTEGER) STRICT;
CREATE TABLE image_variants(image_id TEXT NOT NULL REFERENCES images(id) ON DELETE CASCADE, width INTEGER NOT NULL, format TEXT NOT NULL, height INTEGER, byte_size INTEGER NOT NULL, r2_key TEXT NOT NULL, PRIMARY KEY(image_id,width,format)) STRICT, WITHOUT ROWID;
CREATE TABLE entries(id TEXT PRIMARY KEY, env_id TEXT NOT NULL, collection_id TEXT NOT NULL REFERENCES collections(id) ON DELETE CASCADE, slug TEXT NOT NULL, title TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'draft' CHECK(status IN('draft','published','archived')), category TEXT, author TEXT, cover_image_id TEXT REFERENCES images(id) ON DELETE SET NULL, indexing INTEGER NOT NULL DEFAULT 1,
  version INTEGER NOT NULL DEFAULT 1, published_version INTEGER, published_at INTEGER, publish_at INTEGER, deleted_at INTEGER, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
CREATE UNIQUE INDEX ux_entries_slug ON entries(collection_id,slug) WHERE deleted_at IS NULL;
CREATE INDEX ix_entries_list ON entries(collection_id,status,published_at DESC);
CREATE INDEX ix_entries_due ON entries(publish_at) WHERE publish_at IS NOT NULL;
CREATE TABLE published_docs(owner_type TEXT NOT NULL CHECK(owner_type IN('page','entry')), owner_id TEXT NOT NULL, env_id TEXT NOT NULL, version INTEGER NOT NULL,
  doc TEXT NOT NULL CHECK(json_type(doc)='object'), published_at INTEGER NOT NULL, PRIMARY KEY(owner_type,owner_id)) STRICT, WITHOUT ROWID;
CREATE TABLE redirects(env_id TEXT NOT NULL, from_path TEXT NOT NULL, target_type TEXT NOT NULL, target_id TEXT NOT NULL, created_at INTEGER NOT NULL, PRIMARY KEY(env_id,from_path)) STRICT, WITHOUT ROWID;
CREATE TABLE asset_refs(target_type TEXT NOT NULL CHECK(target_type IN('image','page','entry','collection')), target_id TEXT NOT NULL, owner_type TEXT NOT NULL, owner_id TEXT NOT NULL, root_type TEXT NOT NULL, root_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK(state IN('draft','published','live')), locale TEXT NOT NULL DEFAULT '', path TEXT NOT NULL, env_id TEXT NOT NULL, PRIMARY KEY(target_type,target_id,owner_type,owner_id,state,locale,path)) STRICT, WITHOUT ROWID;
CREATE INDEX ix_refs_owner ON asset_refs(owner_type,owner_id,state);
CREATE INDEX ix_refs_root ON asset_refs(root_type,root_id,state);
CREATE TABLE nav_items(id TEXT PRIMARY KEY, env_id TEXT NOT NULL REFERENCES environments(id) ON DELETE CASCADE, location TEXT NOT NULL CHECK(location IN('header','footer')), parent_id TEXT REFERENCES nav_items(id) ON DELETE CASCADE,
  sort_key TEXT NOT NULL, label TEXT NOT NULL, target_type TEXT NOT NULL CHECK(target_type IN('page','entry','collection','url','none')), target_id TEXT, url TEXT, visible INTEGER NOT NULL DEFAULT 1, version INTEGER NOT NULL DEFAULT 1,
  deleted_at INTEGER, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, CHECK((target_type='url')=(url IS NOT NULL)), CHECK(target_type IN('url','none') OR target_id IS NOT NULL)) STRICT;
CREATE UNIQUE INDEX ux_nav_order ON nav_items(env_id,location,coalesce(parent_id,''),sort_key) WHERE deleted_at IS NULL;
CREATE TABLE operations(key TEXT PRIMARY KEY, env_id TEXT NOT NULL, tool TEXT NOT NULL, args_digest TEXT NOT NULL, result TEXT NOT NULL CHECK(json_type(result)='object'),
  version_guard INTEGER NOT NULL DEFAULT 1 CONSTRAINT version_conflict CHECK(version_guard=1), state_guard INTEGER NOT NULL DEFAULT 1 CONSTRAINT state_conflict CHECK(state_guard=1),
  actor TEXT NOT NULL, session_id TEXT, run_id TEXT, approval_id TEXT, summary TEXT NOT NULL, undo_of TEXT, undone_by TEXT, created_at INTEGER NOT NULL) STRICT;
CREATE INDEX ix_ops_session ON operations(session_id,created_at DESC);
CREATE INDEX ix_ops_env ON operations(env_id,created_at DESC);
CREATE TABLE revisions(id TEXT PRIMARY KEY, op_key TEXT NOT NULL REFERENCES operations(key), seq INTEGER NOT NULL, env_id TEXT NOT NULL, entity_type TEXT NOT NULL, entity_id TEXT NOT NULL, version_before INTEGER, version_after INTEGER,
  before TEXT CHECK(before IS NULL OR json_type(before)='object'), after TEXT CHECK(after IS NULL OR json_type(after)='object'), created_at INTEGER NOT NULL, UNIQUE(op_key,seq)) STRICT;
CREATE INDEX ix_rev_entity ON revisions(entity_type,entity_id,created_at DESC);
CREATE TABLE search_docs(id INTEGER PRIMARY KEY, doc_key TEXT NOT NULL UNIQUE, env_id TEXT NOT NULL, kind TEXT NOT NULL, ref_id TEXT NOT NULL, locale TEXT NOT NULL, status TEXT NOT NULL,
  title TEXT NOT NULL, slug TEXT NOT NULL DEFAULT '', body TEXT NOT NULL DEFAULT '', parent_id TEXT, embedded_at INTEGER, updated_at INTEGER NOT NULL) STRICT;
CREATE INDEX ix_search_scope ON search_docs(env_id,kind,locale);
CREATE VIRTUAL TABLE search_fts USING fts5(title, slug, body, content='search_docs', content_rowid='id', tokenize="unicode61 remove_diacritics 2", prefix='2 3');
CREATE TRIGGER search_ai AFTER INSERT ON search_docs BEGIN INSERT INTO search_fts(rowid,title,slug,body) VALUES(new.id,new.title,new.slug,new.body); END;
CREATE TRIGGER search_ad AFTER DELETE ON search_docs BEGIN INSERT INTO search_fts(search_fts,rowid,title,slug,body) VALUES('delete',old.id,old.title,old.slug,old.body); END;
CREATE TRIGGER search_au AFTER UPDATE OF title,slug,body ON search_docs BEGIN INSERT INTO search_fts(search_fts,rowid,title,slug,body) VALUES('delete',old.id,old.title,old.slug,old.body); INSERT INTO search_fts(rowid,title,slug,body) VALUES(new.id,new.title,new.slug,new.body); END;
