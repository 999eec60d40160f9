-- Webhooks that have arrived: one delivery makes one run, however often and with whatever name it comes.
-- A row is bound to its session and message before the run is made, and knows the run once it is committed.
CREATE TABLE webhook_deliveries (
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  -- `id:…` as the sender names it, `body:…` as its bytes do
  key TEXT NOT NULL,
  session TEXT NOT NULL,
  message TEXT NOT NULL,
  run TEXT,
  at INTEGER NOT NULL,
  UNIQUE (source, key)
) STRICT;

-- Times of the verified deliveries of the last minute, a JSON array for each source.
CREATE TABLE webhook_rates (
  source TEXT PRIMARY KEY,
  times TEXT NOT NULL
) STRICT, WITHOUT ROWID;
