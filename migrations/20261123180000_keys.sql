-- Keys of programs, pages and agents. A key is known by what verifies it, never by its secret, and it stays as a row for a
-- while after it was revoked.
CREATE TABLE keys (
    pk           INTEGER PRIMARY KEY,
    key_id       TEXT    NOT NULL UNIQUE,
    -- person, page or agent
    kind         TEXT    NOT NULL,
    name         TEXT    NOT NULL,
    -- look, edit, answer or administer; NULL for an agent's
    rights       TEXT,
    -- The rights that it waits for.
    wanted       TEXT,
    -- Hash of the key that a client shows, and the key by which the gateway proves itself.
    verifier     BLOB    NOT NULL,
    gateway_key  BLOB    NOT NULL,
    created_at   INTEGER NOT NULL,
    used_at      INTEGER,
    expires_at   INTEGER,
    revoked_at   INTEGER
) STRICT;

-- Who did what.
CREATE TABLE audit (
    pk      INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    -- Name of the key or the agent.
    who     TEXT,
    rights  TEXT,
    way     TEXT    NOT NULL,
    deed    TEXT    NOT NULL,
    subject TEXT    NOT NULL
) STRICT;

CREATE INDEX audit_by_time ON audit (at);
