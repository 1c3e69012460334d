-- What each write touches, in fewer pages.

-- A state that began at a revision ended after it, so the index by end finds it, too.
DROP INDEX items_by_start;

-- The work of the current hour, in a row that every change writes: a JSON object of rows of `hours` by their agents, each
-- without its hour and its agent, in the order of their columns.
ALTER TABLE hub ADD COLUMN hour INTEGER NOT NULL DEFAULT 0;
ALTER TABLE hub ADD COLUMN work TEXT NOT NULL DEFAULT '{}';

CREATE VIEW work_by_hour AS
SELECT hour, agent_name, lists, finished, skipped, reopened, worked_ms, estimated, estimated_ms, actual_ms FROM hours
UNION ALL
SELECT hub.hour, w.key, w.value ->> 0, w.value ->> 1, w.value ->> 2, w.value ->> 3, w.value ->> 4, w.value ->> 5,
    w.value ->> 6, w.value ->> 7
FROM hub, json_each(hub.work) AS w;

PRAGMA user_version = 5;
