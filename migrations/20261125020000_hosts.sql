-- Other gateways that are reached by a command and whose sessions are mirrored here.
CREATE TABLE hosts (
    name       TEXT    NOT NULL PRIMARY KEY,
    command    TEXT    NOT NULL, -- its words, as JSON
    days       INTEGER NOT NULL, -- for which its sessions are fetched at first; 0 for all
    confirmed  INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    cursor     TEXT              -- its own, up to which its changes are here
);

-- The sessions of hosts by their owners' ids. A row stays when its session is purged here, so that it is not fetched again.
CREATE TABLE mirrored (
    host       TEXT    NOT NULL,
    owner_id   TEXT    NOT NULL,
    session_id TEXT    NOT NULL,
    cursor     TEXT,             -- the owner's, up to which the session is here
    salt       TEXT    NOT NULL, -- a UUID that changes the ids of edits and lists where they are taken here; zero where they are not
    gone       INTEGER NOT NULL DEFAULT 0, -- the owner has deleted it
    PRIMARY KEY (host, owner_id)
);

CREATE INDEX mirrored_by_session ON mirrored (session_id);

ALTER TABLE sessions ADD COLUMN host TEXT;

CREATE INDEX sessions_of_hosts ON sessions (host) WHERE host IS NOT NULL;

-- Edits of mirrored sessions that their hosts have not got, in their order.
CREATE TABLE sending (
    pk         INTEGER PRIMARY KEY,
    key        TEXT    NOT NULL UNIQUE,
    host       TEXT    NOT NULL,
    session_id TEXT    NOT NULL,
    request    TEXT    NOT NULL, -- as JSON, with the owner's id of the session
    client     TEXT    NOT NULL,
    text       TEXT    NOT NULL,
    at         INTEGER NOT NULL,
    problem    TEXT              -- the host has refused it
);

CREATE INDEX sending_by_session ON sending (session_id);

-- Edits that came from elsewhere, so that none is made twice.
CREATE TABLE edits_once (
    key    TEXT    NOT NULL PRIMARY KEY,
    at     INTEGER NOT NULL,
    answer TEXT    NOT NULL -- as JSON
);

CREATE INDEX edits_once_by_time ON edits_once (at);
