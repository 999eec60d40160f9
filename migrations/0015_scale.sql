-- What keeps a large site quick: how many things there are is kept, not counted, and every list has an index in its order.
-- part: of pages their status, of entries collection/status, of texts (documents of pages, sections and entries) their locale.
CREATE TABLE site_counts(env_id TEXT NOT NULL, kind TEXT NOT NULL CHECK(kind IN('page','entry','image','text')), part TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY(env_id,kind,part)) STRICT, WITHOUT ROWID;
INSERT INTO site_counts SELECT env_id,'page',status,count(*) FROM pages WHERE deleted_at IS NULL AND kind='page' GROUP BY env_id,status;
INSERT INTO site_counts SELECT env_id,'entry',collection_id||'/'||status,count(*) FROM entries WHERE deleted_at IS NULL GROUP BY env_id,collection_id,status;
INSERT INTO site_counts SELECT env_id,'image','',count(*) FROM images WHERE deleted_at IS NULL GROUP BY env_id;
-- The documents of a change set stand under its id, and are counted when they are asked for.
INSERT INTO site_counts SELECT env_id,'text',locale,count(*) FROM search_docs WHERE kind IN('page','section','entry') AND env_id NOT GLOB 'cs_*' GROUP BY env_id,locale;
CREATE TRIGGER pages_counted_ai AFTER INSERT ON pages WHEN new.kind='page' AND new.deleted_at IS NULL BEGIN
  INSERT INTO site_counts VALUES(new.env_id,'page',new.status,1) ON CONFLICT DO UPDATE SET n=n+1; END;
CREATE TRIGGER pages_counted_ad AFTER DELETE ON pages WHEN old.kind='page' AND old.deleted_at IS NULL BEGIN
  UPDATE site_counts SET n=n-1 WHERE env_id=old.env_id AND kind='page' AND part=old.status; END;
CREATE TRIGGER pages_counted_au AFTER UPDATE OF status, deleted_at ON pages
  WHEN new.kind='page' AND (old.status<>new.status OR (old.deleted_at IS NULL)<>(new.deleted_at IS NULL)) BEGIN
  UPDATE site_counts SET n=n-1 WHERE env_id=old.env_id AND kind='page' AND part=old.status AND old.deleted_at IS NULL;
  INSERT INTO site_counts SELECT new.env_id,'page',new.status,1 WHERE new.deleted_at IS NULL ON CONFLICT DO UPDATE SET n=n+1; END;
CREATE TRIGGER entries_counted_ai AFTER INSERT ON entries WHEN new.deleted_at IS NULL BEGIN
  INSERT INTO site_counts VALUES(new.env_id,'entry',new.collection_id||'/'||new.status,1) ON CONFLICT DO UPDATE SET n=n+1; END;
CREATE TRIGGER entries_counted_ad AFTER DELETE ON entries WHEN old.deleted_at IS NULL BEGIN
  UPDATE site_counts SET n=n-1 WHERE env_id=old.env_id AND kind='entry' AND part=old.collection_id||'/'||old.status; END;
CREATE TRIGGER entries_counted_au AFTER UPDATE OF status, deleted_at ON entries
  WHEN old.status<>new.status OR (old.deleted_at IS NULL)<>(new.deleted_at IS NULL) BEGIN
  UPDATE site_counts SET n=n-1 WHERE env_id=old.env_id AND kind='entry' AND part=old.collection_id||'/'||old.status AND old.deleted_at IS NULL;
  INSERT INTO site_counts SELECT new.env_id,'entry',new.collection_id||'/'||new.status,1 WHERE new.deleted_at IS NULL ON CONFLICT DO UPDATE SET n=n+1; END;
CREATE TRIGGER images_counted_ai AFTER INSERT ON images WHEN new.deleted_at IS NULL BEGIN
  INSERT INTO site_counts VALUES(new.env_id,'image','',1) ON CONFLICT DO UPDATE SET n=n+1; END;
CREATE TRIGGER images_counted_ad AFTER DELETE ON images WHEN old.deleted_at IS NULL BEGIN
  UPDATE site_counts SET n=n-1 WHERE env_id=old.env_id AND kind='image' AND part=''; END;
CREATE TRIGGER images_counted_au AFTER UPDATE OF deleted_at ON images WHEN (old.deleted_at IS NULL)<>(new.deleted_at IS NULL) BEGIN
  INSERT INTO site_counts VALUES(new.env_id,'image','',iif(new.deleted_at IS NULL,1,-1)) ON CONFLICT DO UPDATE SET n=n+excluded.n; END;
CREATE TRIGGER search_counted_ai AFTER INSERT ON search_docs WHEN new.kind IN('page','section','entry') AND new.env_id NOT GLOB 'cs_*' BEGIN
  INSERT INTO site_counts VALUES(new.env_id,'text',new.locale,1) ON CONFLICT DO UPDATE SET n=n+1; END;
CREATE TRIGGER search_counted_ad AFTER DELETE ON search_docs WHEN old.kind IN('page','section','entry') AND old.env_id NOT GLOB 'cs_*' BEGIN
  UPDATE site_counts SET n=n-1 WHERE env_id=old.env_id AND kind='text' AND part=old.locale; END;
-- Lists are read in the order of an index, as far as they are shown. None is partial: through a change set none of those is taken.
CREATE INDEX ix_pages_name ON pages(env_id,name COLLATE NOCASE,id);
CREATE INDEX ix_pages_newest ON pages(env_id,updated_at DESC,id);
CREATE INDEX ix_entries_newest ON entries(collection_id,coalesce(published_at,publish_at,0) DESC,id);
CREATE INDEX ix_entries_updated ON entries(collection_id,updated_at DESC,id);
CREATE INDEX ix_entries_title ON entries(collection_id,title COLLATE NOCASE,id);
CREATE INDEX ix_entries_address ON entries(collection_id,slug);
CREATE INDEX ix_images_newest ON images(env_id,created_at DESC,id);
-- Whether two pages have one title is asked at every publishing.
CREATE INDEX ix_contents_title ON contents(env_id,(data->>'title') COLLATE NOCASE) WHERE owner_type='page';
CREATE INDEX ix_ops_run ON operations(run_id,created_at DESC) WHERE run_id IS NOT NULL;
-- A document that is written again as it was costs nothing in the index of words.
DROP TRIGGER search_au;
CREATE TRIGGER search_au AFTER UPDATE OF title,slug,body ON search_docs WHEN old.title<>new.title OR old.slug<>new.slug OR old.body<>new.body BEGIN INSERT INTO search_fts(search_fts,rowid,title,slug,body) VALUES('delete',old.id,old.title,old.slug,old.body); INSERT INTO search_fts(rowid,title,slug,body) VALUES(new.id,new.title,new.slug,new.body); END;
