-- indexed is the version that the latest release with indexes of lists wrote. Where it differs from version, an earlier release has written blocks without their
-- indexes: lists do not use these, and they are made again.
ALTER TABLE facet_marks ADD COLUMN indexed BIGINT NOT NULL DEFAULT 0;
