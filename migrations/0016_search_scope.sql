-- A search reads what it may find: the index of words holds, as words of their own, where each document belongs and what it is called.
-- marks: the scope (environment, kind and locale), the same with the status, and the whole title and slug as one word each.
ALTER TABLE search_docs ADD COLUMN marks TEXT GENERATED ALWAYS AS (hex(env_id||'/'||kind||'/'||locale)||' '||hex(env_id||'/'||kind||'/'||locale||'/'||status)
  ||' x'||replace(replace(title,' ','x'),'-','x')||'x x'||replace(replace(slug,' ','x'),'-','x')||'x') VIRTUAL;
DROP TRIGGER search_ai;
DROP TRIGGER search_ad;
DROP TRIGGER search_au;
DROP TABLE search_fts;
CREATE VIRTUAL TABLE search_fts USING fts5(title, slug, body, marks, content='search_docs', content_rowid='id', tokenize="unicode61 remove_diacritics 2", prefix='2 3');
INSERT INTO search_fts(search_fts) VALUES('rebuild');
CREATE TRIGGER search_ai AFTER INSERT ON search_docs BEGIN INSERT INTO search_fts(rowid,title,slug,body,marks) VALUES(new.id,new.title,new.slug,new.body,new.marks); END;
CREATE TRIGGER search_ad AFTER DELETE ON search_docs BEGIN INSERT INTO search_fts(search_fts,rowid,title,slug,body,marks) VALUES('delete',old.id,old.title,old.slug,old.body,old.marks); END;
CREATE TRIGGER search_au AFTER UPDATE OF title,slug,body,env_id,kind,locale,status ON search_docs WHEN old.title<>new.title OR old.slug<>new.slug OR old.body<>new.body OR old.marks<>new.marks BEGIN
  INSERT INTO search_fts(search_fts,rowid,title,slug,body,marks) VALUES('delete',old.id,old.title,old.slug,old.body,old.marks);
  INSERT INTO search_fts(rowid,title,slug,body,marks) VALUES(new.id,new.title,new.slug,new.body,new.marks); END;
