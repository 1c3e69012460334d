-- The archive. What an item says is stored once for all the states it goes through, and is searched; sessions are filtered
-- by indexes; what was done is counted by the hour.

-- What an item is called and says, over the revisions in which it does; to_rev is 9223372036854775807 while it does.
CREATE TABLE texts (
    pk          INTEGER PRIMARY KEY,
    session_pk  INTEGER NOT NULL REFERENCES sessions (pk) ON DELETE CASCADE,
    uid         BLOB    NOT NULL,
    from_rev    INTEGER NOT NULL,
    to_rev      INTEGER NOT NULL,
    id          TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    content     TEXT    NOT NULL,
    active_form TEXT,
    notes       TEXT,
    description TEXT
) STRICT;

INSERT INTO texts (session_pk, uid, from_rev, to_rev, id, created_at, content, active_form, notes, description)
SELECT session_pk, uid, min(from_rev), max(to_rev), id, created_at, content, a, n, t
FROM (SELECT *, more ->> '$.a' AS a, more ->> '$.n' AS n, more ->> '$.t' AS t FROM items)
GROUP BY session_pk, uid, id, created_at, content, a, n, t
ORDER BY min(pk);

CREATE INDEX texts_by_session ON texts (session_pk);

ALTER TABLE items RENAME TO items_before;

CREATE TABLE items (
    pk         INTEGER PRIMARY KEY,
    session_pk INTEGER NOT NULL REFERENCES sessions (pk) ON DELETE CASCADE,
    text_pk    INTEGER NOT NULL,
    uid        BLOB    NOT NULL,
    parent     BLOB,
    from_rev   INTEGER NOT NULL,
    to_rev     INTEGER NOT NULL,
    rank       TEXT    NOT NULL,
    status     TEXT    NOT NULL,
    status_at  INTEGER NOT NULL,
    -- The other fields as JSON; NULL where there are none.
    more       TEXT
) STRICT;

INSERT INTO items (pk, session_pk, text_pk, uid, parent, from_rev, to_rev, rank, status, status_at, more)
SELECT i.pk, i.session_pk, t.pk, i.uid, i.parent, i.from_rev, i.to_rev, i.rank, i.status, i.status_at,
    nullif(json_remove(i.more, '$.a', '$.n', '$.t'), '{}')
FROM items_before AS i
JOIN texts AS t ON t.session_pk = i.session_pk AND t.uid = i.uid AND t.id = i.id AND t.content = i.content
    AND t.created_at = i.created_at AND t.active_form IS (i.more ->> '$.a')
    AND t.notes IS (i.more ->> '$.n') AND t.description IS (i.more ->> '$.t');

DROP TABLE items_before;

CREATE INDEX items_by_end ON items (session_pk, to_rev, from_rev, uid);
CREATE INDEX items_by_start ON items (session_pk, from_rev);

-- A revision is of the list that began last before it, and nobody asks for its request's id.
ALTER TABLE revisions DROP COLUMN list_id;
ALTER TABLE revisions DROP COLUMN request_id;

-- Search. The words themselves are in the tables above.
CREATE VIRTUAL TABLE text_search USING fts5 (
    content, notes, description,
    content = 'texts', content_rowid = 'pk', tokenize = 'unicode61 remove_diacritics 2', prefix = '2', columnsize = 0
);

CREATE VIRTUAL TABLE session_search USING fts5 (
    title, folder,
    content = 'sessions', content_rowid = 'pk', tokenize = 'unicode61 remove_diacritics 2', prefix = '2'
);

INSERT INTO text_search (text_search) VALUES ('rebuild');
INSERT INTO session_search (session_search) VALUES ('rebuild');

CREATE TRIGGER texts_come AFTER INSERT ON texts BEGIN
    INSERT INTO text_search (rowid, content, notes, description)
    VALUES (new.pk, new.content, new.notes, new.description);
END;

CREATE TRIGGER texts_go AFTER DELETE ON texts BEGIN
    INSERT INTO text_search (text_search, rowid, content, notes, description)
    VALUES ('delete', old.pk, old.content, old.notes, old.description);
END;

CREATE TRIGGER sessions_come AFTER INSERT ON sessions BEGIN
    INSERT INTO session_search (rowid, title, folder) VALUES (new.pk, new.title, new.folder);
END;

CREATE TRIGGER sessions_change AFTER UPDATE OF title, folder ON sessions
WHEN old.title IS NOT new.title OR old.folder IS NOT new.folder BEGIN
    INSERT INTO session_search (session_search, rowid, title, folder) VALUES ('delete', old.pk, old.title, old.folder);
    INSERT INTO session_search (rowid, title, folder) VALUES (new.pk, new.title, new.folder);
END;

CREATE TRIGGER sessions_go AFTER DELETE ON sessions BEGIN
    INSERT INTO session_search (session_search, rowid, title, folder) VALUES ('delete', old.pk, old.title, old.folder);
END;

-- What the user asked its agent for first, where that is known.
ALTER TABLE sessions ADD COLUMN prompt TEXT;
-- The user deleted it; it can be brought back until it is purged. 0 where it is not to be brought back.
ALTER TABLE sessions ADD COLUMN deleted_at INTEGER;
-- The oldest revision that is kept.
ALTER TABLE sessions ADD COLUMN first_revision INTEGER NOT NULL DEFAULT 1;
-- When the evidence was heard first; of several ids of one agent's run the newest is gone on with.
ALTER TABLE bindings ADD COLUMN bound_at INTEGER NOT NULL DEFAULT 0;

CREATE INDEX sessions_deleted ON sessions (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX sessions_by_agent ON sessions (agent_name, last_activity_at, pk);
CREATE INDEX sessions_by_project ON sessions (project, last_activity_at, pk);
CREATE INDEX sessions_by_state ON sessions (state, last_activity_at, pk);
CREATE INDEX sessions_unfinished ON sessions (last_activity_at, pk) WHERE unfinished > 0;

-- What a transcript told and the user deleted: it does not come back with the next import.
CREATE TABLE forgotten (
    kind TEXT    NOT NULL,
    key  TEXT    NOT NULL,
    at   INTEGER NOT NULL,
    PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;

-- What was done, by the hour (hours since the Unix epoch, UTC) and agent.
CREATE TABLE hours (
    hour         INTEGER NOT NULL,
    agent_name   TEXT    NOT NULL,
    -- Sessions that wrote their first list.
    lists        INTEGER NOT NULL DEFAULT 0,
    finished     INTEGER NOT NULL DEFAULT 0,
    skipped      INTEGER NOT NULL DEFAULT 0,
    reopened     INTEGER NOT NULL DEFAULT 0,
    -- How long the finished items were in progress.
    worked_ms    INTEGER NOT NULL DEFAULT 0,
    -- The same of those that had an estimate, and what that was.
    estimated    INTEGER NOT NULL DEFAULT 0,
    estimated_ms INTEGER NOT NULL DEFAULT 0,
    actual_ms    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (hour, agent_name)
) STRICT, WITHOUT ROWID;

-- Builds from before this migration do not understand these tables.
PRAGMA user_version = 1;
