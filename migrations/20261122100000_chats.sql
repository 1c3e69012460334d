-- Conversations with the built-in agent.

-- What is kept of one beside its messages, as JSON: its model, and what its agent goes on from.
CREATE TABLE chats (
    session_pk INTEGER NOT NULL PRIMARY KEY REFERENCES sessions (pk) ON DELETE CASCADE,
    state      TEXT    NOT NULL,
    -- A run goes on; after a start nothing does.
    running    INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE chat_messages (
    session_pk INTEGER NOT NULL REFERENCES sessions (pk) ON DELETE CASCADE,
    -- From 1.
    seq        INTEGER NOT NULL,
    -- Milliseconds since the Unix epoch.
    at         INTEGER NOT NULL,
    -- What was said, as JSON.
    said       TEXT    NOT NULL,
    PRIMARY KEY (session_pk, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX chats_running ON chats (session_pk) WHERE running = 1;
