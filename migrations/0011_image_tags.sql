-- Tags that a person gave (JSON); null: those of image_metadata, which a model or the file name made.
ALTER TABLE images ADD COLUMN tags TEXT CHECK(tags IS NULL OR json_type(tags)='array');
-- What still waits for its renditions and its description.
CREATE INDEX ix_image_work ON image_metadata(lease_until) WHERE status='pending';
