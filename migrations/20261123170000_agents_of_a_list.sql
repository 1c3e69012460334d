-- The name of an agent among those that share the list of its session: "codex 2". A step whose owner has it is hidden from
-- the others.

ALTER TABLE callers ADD COLUMN name TEXT;

-- Builds from before this migration would take a step that an agent was not given for one that it left out.
PRAGMA user_version = 3;
