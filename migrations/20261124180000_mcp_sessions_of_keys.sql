-- The key with which an MCP session was opened: one key's sessions are forgotten before those of others.
ALTER TABLE mcp_sessions ADD COLUMN key_id TEXT;

CREATE INDEX mcp_sessions_by_key ON mcp_sessions (key_id, seen_at);
