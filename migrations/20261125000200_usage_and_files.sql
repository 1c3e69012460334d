-- The model, tokens and cost of a session as its agent tells them, as JSON.
ALTER TABLE sessions ADD COLUMN usage TEXT;

-- Files that a session has changed: the newest, by their paths.
CREATE TABLE changed_files (
    session_pk INTEGER NOT NULL REFERENCES sessions (pk) ON DELETE CASCADE,
    path       TEXT    NOT NULL,
    times      INTEGER NOT NULL,
    -- Milliseconds since the Unix epoch.
    at         INTEGER NOT NULL,
    agent      TEXT,
    PRIMARY KEY (session_pk, path)
) STRICT, WITHOUT ROWID;

CREATE INDEX changed_files_by_time ON changed_files (session_pk, at);
