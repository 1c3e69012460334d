-- Secrets in results of ours, by their SHA-256: with one, a hook or a file shows that its run is the one that read the
-- result. Each is good once.
CREATE TABLE proofs (
    digest     BLOB    NOT NULL PRIMARY KEY,
    session_pk INTEGER NOT NULL REFERENCES sessions (pk) ON DELETE CASCADE,
    -- The key of the agent that got it; NULL where it came without one.
    key_id     TEXT,
    issued_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX proofs_by_session ON proofs (session_pk, issued_at);

-- Agents of every key may open the list by its label, as the user said.
ALTER TABLE sessions ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;

-- A list that the user began is for whoever opens its label.
UPDATE sessions SET shared = 1 WHERE state = 'unclaimed' AND label IS NOT NULL;
INSERT OR IGNORE INTO bindings (kind, key, session_pk, bound_at)
    SELECT 'shared-label', label, pk, created_at FROM sessions
    WHERE state = 'unclaimed' AND label IS NOT NULL AND deleted_at IS NULL;
