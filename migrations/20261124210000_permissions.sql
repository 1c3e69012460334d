-- Permissions that agents asked for, and what became of each.
CREATE TABLE permissions (
    permission_id TEXT    NOT NULL PRIMARY KEY,
    session_pk    INTEGER NOT NULL REFERENCES sessions (pk) ON DELETE CASCADE,
    state         TEXT    NOT NULL,
    -- Milliseconds since the Unix epoch.
    asked_at      INTEGER NOT NULL,
    -- All of it, as JSON.
    body          TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX permissions_by_session ON permissions (session_pk, asked_at);

-- After a start nobody waits any more.
CREATE INDEX permissions_open ON permissions (asked_at) WHERE state = 'open';

-- Rules that answer for the user.
CREATE TABLE rules (
    rule_id    TEXT    NOT NULL PRIMARY KEY,
    -- The session that it is for and goes with.
    session_pk INTEGER REFERENCES sessions (pk) ON DELETE CASCADE,
    -- All of it, as JSON.
    body       TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    decided    INTEGER NOT NULL DEFAULT 0,
    decided_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX rules_by_session ON rules (session_pk) WHERE session_pk IS NOT NULL;
