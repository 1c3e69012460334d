//! The table `permissions`: what agents asked the user for, each as JSON that this crate does not read.

use super::millis;
use crate::{Result, SessionRow, Store, Transaction};
use jiff::Timestamp;
use sqlx::Row;

/// The most permissions of a session that are kept; the oldest go.
const KEPT: u32 = 500;

/// A permission that an agent asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionRow {
    pub permission_id: String,
    /// Its state: `open` while somebody waits.
    pub state: String,
    /// When it was asked for.
    pub asked_at: Timestamp,
    /// All of it, as JSON.
    pub body: String,
}

impl Store {
    /// Returns the JSON of a session's permissions, the newest first.
    pub async fn permissions(&self, pk: i64, limit: u32) -> Result<Vec<String>> {
        let rows = sqlx::query(
            "SELECT body FROM permissions WHERE session_pk = ? ORDER BY asked_at DESC, permission_id DESC LIMIT ?",
        )
        .bind(pk)
        .bind(limit)
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(|row| Ok(row.try_get("body")?)).collect()
    }

    /// Returns the JSON of those that somebody waited for.
    pub async fn open_permissions(&self) -> Result<Vec<String>> {
        let rows = sqlx::query("SELECT body FROM permissions WHERE state = 'open' ORDER BY asked_at")
            .fetch_all(&self.readers)
            .await?;
        rows.iter().map(|row| Ok(row.try_get("body")?)).collect()
    }
}

impl Transaction<'_> {
    /// Adds a permission of a session.
    pub async fn add_permission(&mut self, session: &SessionRow, row: &PermissionRow) -> Result<()> {
        self.touch();
        self.put("INSERT INTO permissions (permission_id, session_pk, state, asked_at, body) VALUES (?, ?, ?, ?, ?)")
            .await?
            .bind(&row.permission_id)
            .bind(session.pk)
            .bind(&row.state)
            .bind(millis(row.asked_at))
            .bind(&row.body);
        self.put(
            "DELETE FROM permissions WHERE session_pk = ? AND state <> 'open' AND permission_id IN \
             (SELECT permission_id FROM permissions WHERE session_pk = ? ORDER BY asked_at DESC LIMIT -1 OFFSET ?)",
        )
        .await?
        .bind(session.pk)
        .bind(session.pk)
        .bind(KEPT);
        Ok(())
    }

    /// Saves what became of a permission.
    pub async fn save_permission(&mut self, row: &PermissionRow) -> Result<()> {
        self.touch();
        self.put("UPDATE permissions SET state = ?, body = ? WHERE permission_id = ?")
            .await?
            .bind(&row.state)
            .bind(&row.body)
            .bind(&row.permission_id);
        Ok(())
    }
}
