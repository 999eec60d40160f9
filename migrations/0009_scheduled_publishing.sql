-- The version that a person approved for publish_at, and why the last publishing at a time did not happen.
ALTER TABLE pages ADD COLUMN publish_version INTEGER;
ALTER TABLE pages ADD COLUMN publish_failure TEXT;
ALTER TABLE entries ADD COLUMN publish_version INTEGER;
ALTER TABLE entries ADD COLUMN publish_failure TEXT;
