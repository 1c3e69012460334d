-- A list is a row: the revisions from_rev <= r < to_rev of its session. The present one has no to_rev, and its numbers are
-- those of its session. One that has ended keeps its own, so that no view counts items.

ALTER TABLE lists RENAME TO lists_before;
DROP INDEX lists_by_session;

CREATE TABLE lists (
    pk          INTEGER PRIMARY KEY,
    list_id     TEXT    NOT NULL UNIQUE,
    session_pk  INTEGER NOT NULL REFERENCES sessions (pk) ON DELETE CASCADE,
    from_rev    INTEGER NOT NULL,
    to_rev      INTEGER,
    created_at  INTEGER NOT NULL,
    archived_at INTEGER,
    -- The text of its first item and its progress when it ended.
    title       TEXT    NOT NULL DEFAULT '',
    completed   INTEGER NOT NULL DEFAULT 0,
    total       INTEGER NOT NULL DEFAULT 0,
    fraction    REAL    NOT NULL DEFAULT 0,
    unfinished  INTEGER NOT NULL DEFAULT 0,
    -- The user deleted it; it can be brought back until its items are purged, which -1 says.
    deleted_at  INTEGER
) STRICT;

CREATE INDEX lists_by_session ON lists (session_pk, from_rev);
CREATE INDEX lists_ended ON lists (archived_at, pk) WHERE to_rev IS NOT NULL;
CREATE INDEX lists_deleted ON lists (deleted_at) WHERE deleted_at IS NOT NULL;

-- Where lists began: those that were archived or loaded, and, which was not kept until now, after a list was emptied.
CREATE TABLE list_starts (
    session_pk INTEGER NOT NULL,
    from_rev   INTEGER NOT NULL,
    list_id    TEXT    NOT NULL,
    at         INTEGER NOT NULL,
    is_present INTEGER NOT NULL,
    PRIMARY KEY (session_pk, from_rev)
) STRICT;

-- Two can begin with one revision; the present one counts.
INSERT INTO list_starts (session_pk, from_rev, list_id, at, is_present)
SELECT session_pk, from_rev, list_id, created_at, max(archived_at IS NULL) FROM lists_before GROUP BY session_pk, from_rev;

-- A clear that was undone at once ended nothing.
INSERT OR IGNORE INTO list_starts (session_pk, from_rev, list_id, at, is_present)
WITH steps (session_pk, revision, change) AS (
    SELECT session_pk, from_rev, 1 FROM items
    UNION ALL
    SELECT session_pk, to_rev, -1 FROM items WHERE to_rev <> 9223372036854775807
),
changes (session_pk, revision, change) AS (
    SELECT session_pk, revision, sum(change) FROM steps GROUP BY session_pk, revision
),
counts (session_pk, revision, items) AS (
    SELECT session_pk, revision, sum(change) OVER (PARTITION BY session_pk ORDER BY revision) FROM changes
)
SELECT c.session_pk, c.revision,
    lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-a'
        || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))),
    r.at, 0
FROM counts AS c JOIN revisions AS r ON r.session_pk = c.session_pk AND r.revision = c.revision
WHERE c.items = 0 AND r.cause <> 'todo.undo' AND NOT EXISTS (
    SELECT 1 FROM revisions AS n
    WHERE n.session_pk = c.session_pk AND n.revision = c.revision + 1 AND n.cause = 'todo.undo'
);

INSERT INTO lists (list_id, session_pk, from_rev, to_rev, created_at, archived_at)
SELECT list_id, session_pk, from_rev, lead(from_rev) OVER later, at, lead(at) OVER later FROM list_starts
WINDOW later AS (PARTITION BY session_pk ORDER BY from_rev)
ORDER BY at, session_pk, from_rev;

DROP TABLE list_starts;
DROP TABLE lists_before;

-- A list that ended without an item is none.
DELETE FROM lists WHERE to_rev IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM items AS i
    WHERE i.session_pk = lists.session_pk AND i.to_rev >= lists.to_rev AND i.from_rev < lists.to_rev
);

UPDATE lists SET
    title = coalesce((
        SELECT t.content FROM items AS i JOIN texts AS t ON t.pk = i.text_pk
        WHERE i.session_pk = lists.session_pk AND i.to_rev >= lists.to_rev AND i.from_rev < lists.to_rev
            AND i.parent IS NULL
        ORDER BY i.rank LIMIT 1
    ), ''),
    (completed, total, unfinished, fraction) = (
        SELECT count(*) FILTER (WHERE status IN ('completed', 'skipped')),
            count(*) FILTER (WHERE status <> 'cancelled'),
            count(*) FILTER (WHERE status NOT IN ('completed', 'skipped', 'cancelled')),
            coalesce(avg(iif(status IN ('completed', 'skipped'), 1.0, coalesce(part, 0.0)))
                FILTER (WHERE status <> 'cancelled'), 0.0)
        FROM (
            SELECT i.status, (
                SELECT avg(s.status IN ('completed', 'skipped')) FROM items AS s
                WHERE s.session_pk = i.session_pk AND s.to_rev >= lists.to_rev AND s.from_rev < lists.to_rev
                    AND s.parent = i.uid AND s.status <> 'cancelled'
            ) AS part
            FROM items AS i
            WHERE i.session_pk = lists.session_pk AND i.to_rev >= lists.to_rev AND i.from_rev < lists.to_rev
                AND i.parent IS NULL
        )
    )
WHERE to_rev IS NOT NULL;

UPDATE sessions SET list_id = coalesce(
    (SELECT l.list_id FROM lists AS l WHERE l.session_pk = sessions.pk AND l.to_rev IS NULL), list_id
);

-- Builds from before this migration do not keep these rows.
PRAGMA user_version = 2;
