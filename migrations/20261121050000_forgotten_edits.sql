-- Edits that count for nothing any more stay in the history and are not loaded with their session.
ALTER TABLE edits ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0;

CREATE INDEX edits_remembered ON edits (session_pk, revision) WHERE forgotten = 0;
