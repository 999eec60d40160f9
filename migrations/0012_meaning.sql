-- What search documents mean, where an embedding model says it: a vector of length 1 each, as Float32 (little-endian).
-- A row is the last text that was embedded; it counts while search_docs.embedded_at is set.
CREATE TABLE search_vectors(doc_id INTEGER PRIMARY KEY, vector_id TEXT NOT NULL UNIQUE DEFAULT (lower(hex(randomblob(16)))), env_id TEXT NOT NULL, model TEXT NOT NULL, kind TEXT NOT NULL, locale TEXT NOT NULL,
  digest TEXT NOT NULL, indexed INTEGER NOT NULL DEFAULT 0, vector BLOB NOT NULL CHECK(length(vector)>0 AND length(vector)%4=0)) STRICT;
CREATE INDEX ix_vectors_scope ON search_vectors(env_id,model);
-- What a bound Vectorize does not have as it stands here, and what it still has of documents that are gone.
CREATE INDEX ix_vectors_unindexed ON search_vectors(doc_id) WHERE indexed=0;
CREATE TABLE search_vectors_gone(vector_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
-- A try that is at work (a lease), or that failed and waits for its next one.
CREATE TABLE embedding_attempts(doc_id INTEGER PRIMARY KEY, attempts INTEGER NOT NULL, lease_until INTEGER NOT NULL, error TEXT) STRICT;
CREATE INDEX ix_search_unembedded ON search_docs(env_id) WHERE embedded_at IS NULL;
CREATE TRIGGER vectors_ad AFTER DELETE ON search_docs BEGIN DELETE FROM search_vectors WHERE doc_id=old.id; DELETE FROM embedding_attempts WHERE doc_id=old.id; END;
CREATE TRIGGER vectors_gone AFTER DELETE ON search_vectors BEGIN INSERT INTO search_vectors_gone(vector_id) VALUES(old.vector_id); END;
-- Another text is another question: it does not wait for what the last one waited for.
CREATE TRIGGER vectors_au_text AFTER UPDATE OF title,body ON search_docs WHEN old.title<>new.title OR old.body<>new.body BEGIN DELETE FROM embedding_attempts WHERE doc_id=old.id; END;
CREATE TRIGGER vectors_au_status AFTER UPDATE OF status ON search_docs WHEN old.status<>new.status BEGIN UPDATE search_vectors SET indexed=0 WHERE doc_id=old.id AND indexed=1; END;
