-- What the user has marked a session with, and what of its needs was dismissed (a JSON array of their ids).
ALTER TABLE sessions ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN muted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN dismissed_at INTEGER;
ALTER TABLE sessions ADD COLUMN dismissed_needs TEXT NOT NULL DEFAULT '[]';
-- Since when its agent has been in its state, and since when its list has stood still for too long.
ALTER TABLE sessions ADD COLUMN state_at INTEGER;
ALTER TABLE sessions ADD COLUMN drift_at INTEGER;

-- Sessions that a board shows however long ago they were heard of.
CREATE INDEX sessions_pinned ON sessions (last_activity_at) WHERE pinned = 1;
CREATE INDEX sessions_waiting ON sessions (last_activity_at) WHERE state = 'waiting';
