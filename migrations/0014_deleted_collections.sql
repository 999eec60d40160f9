-- A collection that is taken back keeps its row, because the rows of its entries hang on it; its slug is `~<id>` then, which is free for nobody.
ALTER TABLE collections ADD COLUMN deleted_at INTEGER;
