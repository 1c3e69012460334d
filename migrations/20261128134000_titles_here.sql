-- The name that a session of a host was given here, which stands over its owner's.
ALTER TABLE mirrored ADD COLUMN title TEXT;

-- The newest session of a host is found without looking at all of them.
DROP INDEX sessions_of_hosts;
CREATE INDEX sessions_of_hosts ON sessions (host, cursor) WHERE host IS NOT NULL;
