//! The table `mcp_sessions`: how MCP sessions were opened, so that they go on after a restart.

use super::{millis, time};
use crate::{Result, Store, Transaction};
use jiff::Timestamp;

/// The most sessions that are kept, and those of one key.
const KEPT: u32 = 4096;
const OF_ONE_KEY: u32 = 512;

impl Store {
    /// Returns the `initialize` request of an MCP session as JSON, and when the session was last seen.
    pub async fn mcp_session(&self, id: &str) -> Result<Option<(String, Timestamp)>> {
        let row: Option<(String, i64)> = sqlx::query_as("SELECT initialize, seen_at FROM mcp_sessions WHERE id = ?")
            .bind(id)
            .fetch_optional(&self.readers)
            .await?;
        Ok(row.map(|(initialize, seen)| (initialize, time(seen))))
    }
}

impl Transaction<'_> {
    /// Saves the `initialize` request of an MCP session, and deletes those not seen since `forget_before` and the oldest
    /// above [`OF_ONE_KEY`] and [`KEPT`].
    pub async fn save_mcp_session(
        &mut self,
        id: &str,
        key: Option<&str>,
        initialize: &str,
        now: Timestamp,
        forget_before: Timestamp,
    ) -> Result<()> {
        self.touch();
        self.put(
            "INSERT INTO mcp_sessions (id, key_id, initialize, seen_at) VALUES (?, ?, ?, ?) \
             ON CONFLICT (id) DO UPDATE SET initialize = excluded.initialize, seen_at = excluded.seen_at",
        )
        .await?
        .bind(id)
        .bind(key)
        .bind(initialize)
        .bind(millis(now));
        self.put("DELETE FROM mcp_sessions WHERE seen_at < ?").await?.bind(millis(forget_before));
        self.put(
            "DELETE FROM mcp_sessions WHERE id IN \
             (SELECT id FROM mcp_sessions WHERE key_id IS ? ORDER BY seen_at DESC LIMIT -1 OFFSET ?)",
        )
        .await?
        .bind(key)
        .bind(OF_ONE_KEY);
        self.put("DELETE FROM mcp_sessions WHERE id IN (SELECT id FROM mcp_sessions ORDER BY seen_at DESC LIMIT -1 OFFSET ?)")
            .await?
            .bind(KEPT);
        Ok(())
    }
}
