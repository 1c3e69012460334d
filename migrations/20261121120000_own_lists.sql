-- An agent's own list is a session of its own under that of the run: the tool that writes it, whether the agent cannot be
-- told of edits, and when what is known of it was written.
ALTER TABLE sessions ADD COLUMN own_tool TEXT;
ALTER TABLE sessions ADD COLUMN read_only INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN observed_at INTEGER;
-- Calls of other tools since a list of the run changed last.
ALTER TABLE sessions ADD COLUMN calls INTEGER NOT NULL DEFAULT 0;

CREATE INDEX sessions_by_parent ON sessions (parent_session_id) WHERE parent_session_id IS NOT NULL;
