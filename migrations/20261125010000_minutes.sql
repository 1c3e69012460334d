-- What indexes have of a session, so that not each call writes them: the minute of its last activity, a flag in the place
-- of the number of its unfinished items, and the upper part of its cursor. An older build would leave these columns as they
-- are, so it refuses this file.

ALTER TABLE sessions ADD COLUMN active_minute INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN is_unfinished INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN cursor_block INTEGER NOT NULL DEFAULT 0;

DROP INDEX sessions_by_activity;
DROP INDEX sessions_by_cursor;
DROP INDEX sessions_by_agent;
DROP INDEX sessions_by_project;
DROP INDEX sessions_by_state;
DROP INDEX sessions_unfinished;
DROP INDEX sessions_pinned;
DROP INDEX sessions_waiting;
DROP INDEX sessions_tagged;

UPDATE sessions SET
    active_minute = last_activity_at / 60000, is_unfinished = unfinished > 0, cursor_block = cursor / 1024;

CREATE INDEX sessions_by_activity ON sessions (active_minute, pk);
CREATE INDEX sessions_by_cursor ON sessions (cursor_block);
CREATE INDEX sessions_by_agent ON sessions (agent_name, active_minute, pk);
CREATE INDEX sessions_by_project ON sessions (project, active_minute, pk);
CREATE INDEX sessions_by_state ON sessions (state, active_minute, pk);
CREATE INDEX sessions_unfinished ON sessions (active_minute, pk) WHERE is_unfinished = 1;
CREATE INDEX sessions_pinned ON sessions (active_minute) WHERE pinned = 1;
CREATE INDEX sessions_tagged ON sessions (active_minute, pk) WHERE tags <> '';

PRAGMA user_version = 4;
