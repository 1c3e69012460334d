-- Steps and messages that are kept until an agent is idle, each until it is made into an edit and for a while after that.
CREATE TABLE later (
    later_id   TEXT    NOT NULL PRIMARY KEY,
    -- The session that it is for and goes with; or else the folder whose next session gets it.
    session_pk INTEGER REFERENCES sessions (pk) ON DELETE CASCADE,
    folder     TEXT,
    -- Its place in its queue.
    place      INTEGER NOT NULL,
    step       INTEGER NOT NULL,
    text       TEXT    NOT NULL,
    client     TEXT    NOT NULL,
    -- Milliseconds since the Unix epoch.
    created_at INTEGER NOT NULL,
    -- Its edit, and the session that has it.
    edit_id    TEXT,
    handed_to  TEXT,
    handed_at  INTEGER,
    CHECK ((session_pk IS NULL) <> (folder IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX later_by_session ON later (session_pk, place) WHERE session_pk IS NOT NULL;

CREATE INDEX later_by_folder ON later (folder, place) WHERE folder IS NOT NULL;
