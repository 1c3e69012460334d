-- The user's tags for a session, between spaces: a tag has none within it.
ALTER TABLE sessions ADD COLUMN tags TEXT NOT NULL DEFAULT '';

CREATE INDEX sessions_tagged ON sessions (last_activity_at, pk) WHERE tags <> '';

-- Sessions are found by their tags, too.
DROP TRIGGER sessions_come;
DROP TRIGGER sessions_change;
DROP TRIGGER sessions_go;
DROP TABLE session_search;

CREATE VIRTUAL TABLE session_search USING fts5 (
    title, folder, tags,
    content = 'sessions', content_rowid = 'pk', tokenize = 'unicode61 remove_diacritics 2', prefix = '2'
);

INSERT INTO session_search (session_search) VALUES ('rebuild');

CREATE TRIGGER sessions_come AFTER INSERT ON sessions BEGIN
    INSERT INTO session_search (rowid, title, folder, tags) VALUES (new.pk, new.title, new.folder, new.tags);
END;

CREATE TRIGGER sessions_change AFTER UPDATE OF title, folder, tags ON sessions
WHEN old.title IS NOT new.title OR old.folder IS NOT new.folder OR old.tags IS NOT new.tags BEGIN
    INSERT INTO session_search (session_search, rowid, title, folder, tags)
    VALUES ('delete', old.pk, old.title, old.folder, old.tags);
    INSERT INTO session_search (rowid, title, folder, tags) VALUES (new.pk, new.title, new.folder, new.tags);
END;

CREATE TRIGGER sessions_go AFTER DELETE ON sessions BEGIN
    INSERT INTO session_search (session_search, rowid, title, folder, tags)
    VALUES ('delete', old.pk, old.title, old.folder, old.tags);
END;
