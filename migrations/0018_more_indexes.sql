-- Which sections ever stood on a page: asked when a page is compared with what it was, or put back.
CREATE INDEX ix_rev_stood ON revisions(after->>'pageId',env_id,entity_id) WHERE entity_type='section';
CREATE INDEX ix_rev_left ON revisions(before->>'pageId',env_id,entity_id) WHERE entity_type='section' AND (after->>'pageId') IS NOT (before->>'pageId');
-- The images that came in a conversation, newest first.
CREATE INDEX ix_images_session ON images(env_id,session_id,created_at DESC,id);
