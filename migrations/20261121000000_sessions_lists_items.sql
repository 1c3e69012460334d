-- The history of items. A list at revision r is the rows of its session with from_rev <= r < to_rev.
-- Times are milliseconds since the Unix epoch, UTC.

-- One row: which database this is, and the one cursor that everything visible advances.
CREATE TABLE hub (
    pk     INTEGER PRIMARY KEY CHECK (pk = 1),
    db_id  TEXT    NOT NULL,
    cursor INTEGER NOT NULL
) STRICT;

-- One run of one agent, with what a board shows of it, so that no view counts items or revisions.
CREATE TABLE sessions (
    pk                INTEGER PRIMARY KEY,
    session_id        TEXT    NOT NULL UNIQUE,
    parent_session_id TEXT,
    label             TEXT,
    title             TEXT    NOT NULL,
    agent_name        TEXT    NOT NULL,
    agent_version     TEXT,
    folder            TEXT,
    project           TEXT,
    branch            TEXT,
    -- What its agent said of itself: 'open', 'waiting', 'finished' or 'failed'; running, idle and stale are derived.
    state             TEXT    NOT NULL,
    state_reason      TEXT,
    list_state        TEXT    NOT NULL,
    list_id           TEXT    NOT NULL,
    revision          INTEGER NOT NULL,
    ids_given         INTEGER NOT NULL,
    completed         INTEGER NOT NULL,
    total             INTEGER NOT NULL,
    fraction          REAL    NOT NULL,
    unfinished        INTEGER NOT NULL,
    created_at        INTEGER NOT NULL,
    last_activity_at  INTEGER NOT NULL,
    cursor            INTEGER NOT NULL
) STRICT;

CREATE INDEX sessions_by_activity ON sessions (last_activity_at, pk);
CREATE INDEX sessions_by_cursor ON sessions (cursor);
CREATE INDEX sessions_by_label ON sessions (label) WHERE label IS NOT NULL;

-- Sessions that were deleted, so that a client that was away learns of it.
CREATE TABLE deleted_sessions (
    session_id TEXT    NOT NULL PRIMARY KEY,
    cursor     INTEGER NOT NULL,
    at         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX deleted_sessions_by_cursor ON deleted_sessions (cursor);

-- Archived lists of a session, and the active one.
CREATE TABLE lists (
    list_id     TEXT    NOT NULL PRIMARY KEY,
    session_pk  INTEGER NOT NULL REFERENCES sessions (pk) ON DELETE CASCADE,
    from_rev    INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    archived_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX lists_by_session ON lists (session_pk, from_rev);

CREATE TABLE revisions (
    session_pk INTEGER NOT NULL REFERENCES sessions (pk) ON DELETE CASCADE,
    revision   INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    actor_kind TEXT    NOT NULL,
    actor_name TEXT    NOT NULL,
    transport  TEXT    NOT NULL,
    -- The type of the request: 'todo.write', 'todo.add', …
    cause      TEXT    NOT NULL,
    request_id TEXT    NOT NULL,
    list_id    TEXT    NOT NULL,
    cursor     INTEGER NOT NULL,
    PRIMARY KEY (session_pk, revision)
) STRICT, WITHOUT ROWID;

CREATE TABLE items (
    pk         INTEGER PRIMARY KEY,
    session_pk INTEGER NOT NULL REFERENCES sessions (pk) ON DELETE CASCADE,
    uid        BLOB    NOT NULL,
    parent     BLOB,
    from_rev   INTEGER NOT NULL,
    -- 9223372036854775807 while it lives.
    to_rev     INTEGER NOT NULL,
    rank       TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    status     TEXT    NOT NULL,
    content    TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    status_at  INTEGER NOT NULL,
    -- The other fields as JSON; NULL where there are none.
    more       TEXT
) STRICT;

CREATE INDEX items_by_end ON items (session_pk, to_rev, uid);
CREATE INDEX items_by_start ON items (session_pk, from_rev);

-- The user's edits, each with how far it has come.
CREATE TABLE edits (
    edit_id    TEXT    NOT NULL PRIMARY KEY,
    session_pk INTEGER NOT NULL REFERENCES sessions (pk) ON DELETE CASCADE,
    revision   INTEGER NOT NULL,
    state      TEXT    NOT NULL,
    body       TEXT    NOT NULL,
    cursor     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX edits_by_session ON edits (session_pk, revision);

-- What each caller of a session was told (a revision) and what it said last (where that differs from a revision).
CREATE TABLE callers (
    session_pk INTEGER NOT NULL REFERENCES sessions (pk) ON DELETE CASCADE,
    caller     TEXT    NOT NULL,
    told_rev   INTEGER,
    said_rev   INTEGER,
    said       TEXT    NOT NULL,
    PRIMARY KEY (session_pk, caller)
) STRICT, WITHOUT ROWID;

-- Which session a piece of evidence means: a label, an agent's own session, an MCP session, a client in a folder.
CREATE TABLE bindings (
    kind       TEXT    NOT NULL,
    key        TEXT    NOT NULL,
    session_pk INTEGER NOT NULL REFERENCES sessions (pk) ON DELETE CASCADE,
    PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX bindings_by_session ON bindings (session_pk);

-- How MCP sessions were opened, so that they go on after a restart.
CREATE TABLE mcp_sessions (
    id         TEXT    NOT NULL PRIMARY KEY,
    initialize TEXT    NOT NULL,
    seen_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX mcp_sessions_by_seen ON mcp_sessions (seen_at);

CREATE TABLE settings (
    key    TEXT    NOT NULL PRIMARY KEY,
    value  TEXT    NOT NULL,
    cursor INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
