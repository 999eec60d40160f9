-- What a sitemap says of each published document, so that no document is read for it. n counts up in each environment: a file of
-- the sitemap is a range of it, and a document stays in its file. locales: in which a document says anything.
CREATE TABLE sitemap_docs(env_id TEXT NOT NULL, n INTEGER NOT NULL, owner_type TEXT NOT NULL, owner_id TEXT NOT NULL, published_at INTEGER NOT NULL,
  locales TEXT NOT NULL CHECK(json_type(locales)='array'), PRIMARY KEY(env_id,n), UNIQUE(owner_type,owner_id)) STRICT, WITHOUT ROWID;
INSERT INTO sitemap_docs SELECT env_id, row_number() OVER (PARTITION BY env_id ORDER BY published_at), owner_type, owner_id, published_at,
  (SELECT json_group_array(DISTINCT key) FROM (SELECT l.key, l.type, l.value FROM json_each(doc,'$.meta') l
    UNION ALL SELECT l.key, l.type, l.value FROM json_each(doc,'$.content') l
    UNION ALL SELECT l.key, l.type, l.value FROM json_each(doc,'$.sections') s, json_each(s.value,'$.content') l)
    WHERE type='object' AND value<>'{}') FROM published_docs;
CREATE TRIGGER sitemap_ai AFTER INSERT ON published_docs BEGIN
  INSERT INTO sitemap_docs SELECT new.env_id, 1+coalesce((SELECT max(n) FROM sitemap_docs WHERE env_id=new.env_id),0), new.owner_type, new.owner_id, new.published_at,
  (SELECT json_group_array(DISTINCT key) FROM (SELECT l.key, l.type, l.value FROM json_each(new.doc,'$.meta') l
    UNION ALL SELECT l.key, l.type, l.value FROM json_each(new.doc,'$.content') l
    UNION ALL SELECT l.key, l.type, l.value FROM json_each(new.doc,'$.sections') s, json_each(s.value,'$.content') l)
    WHERE type='object' AND value<>'{}'); END;
CREATE TRIGGER sitemap_au AFTER UPDATE OF doc, published_at ON published_docs BEGIN
  UPDATE sitemap_docs SET published_at=new.published_at, locales=(SELECT json_group_array(DISTINCT key) FROM (SELECT l.key, l.type, l.value FROM json_each(new.doc,'$.meta') l
    UNION ALL SELECT l.key, l.type, l.value FROM json_each(new.doc,'$.content') l
    UNION ALL SELECT l.key, l.type, l.value FROM json_each(new.doc,'$.sections') s, json_each(s.value,'$.content') l)
    WHERE type='object' AND value<>'{}') WHERE owner_type=new.owner_type AND owner_id=new.owner_id; END;
-- An import is written in an environment of its own, and moved.
CREATE TRIGGER sitemap_moved AFTER UPDATE OF env_id ON published_docs WHEN old.env_id<>new.env_id BEGIN
  UPDATE sitemap_docs SET env_id=new.env_id, n=1+coalesce((SELECT max(n) FROM sitemap_docs WHERE env_id=new.env_id),0) WHERE owner_type=new.owner_type AND owner_id=new.owner_id; END;
CREATE TRIGGER sitemap_ad AFTER DELETE ON published_docs BEGIN
  DELETE FROM sitemap_docs WHERE owner_type=old.owner_type AND owner_id=old.owner_id; END;
