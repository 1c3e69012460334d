CREATE TABLE todos (id TEXT PRIMARY KEY, title TEXT NOT NULL, description TEXT, status TEXT DEFAULT 'pending' CHECK(status IN ('pending', 'in_progress', 'done', 'blocked')), created_at TEXT DEFAULT (datetime('now')), updated_at TEXT DEFAULT (datetime('now')));
CREATE TABLE todo_deps (todo_id TEXT NOT NULL, depends_on TEXT NOT NULL, PRIMARY KEY (todo_id, depends_on), FOREIGN KEY (todo_id) REFERENCES todos(id), FOREIGN KEY (depends_on) REFERENCES todos(id));
INSERT INTO todos (id, title, description) VALUES ('read-notes','Reading the release notes','Read CHANGES and what is open'),('bump-version','Bumping the version number','In package.json'),('run-tests','Running the test suite',NULL); INSERT INTO todo_deps (todo_id, depends_on) VALUES ('run-tests','bump-version');
UPDATE todos SET status = 'in_progress' WHERE id = 'read-notes';
UPDATE todos SET status = 'done' WHERE id = 'read-notes'; UPDATE todos SET status = 'in_progress' WHERE id = 'bump-version';
UPDATE todos SET status = 'blocked', description = 'The registry is down' WHERE id = 'run-tests'; DELETE FROM todo_deps; DELETE FROM todos WHERE id = 'read-notes';
