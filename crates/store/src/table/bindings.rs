//! The table `bindings`: the session that a piece of evidence means, such as a label or an agent's own id.

use super::millis;
use super::session_columns::session;
use crate::{Result, SessionRow, Store, Transaction};
use jiff::Timestamp;

impl Store {
    /// Returns the session that a piece of evidence means.
    pub async fn bound(&self, kind: &str, key: &str) -> Result<Option<SessionRow>> {
        let row = sqlx::query(
            "SELECT s.* FROM bindings b JOIN sessions s ON s.pk = b.session_pk \
             WHERE b.kind = ? AND b.key = ? AND s.deleted_at IS NULL",
        )
        .bind(kind)
        .bind(key)
        .fetch_optional(&self.readers)
        .await?;
        row.as_ref().map(session).transpose()
    }

    /// Returns the id of the session that a piece of evidence means, also where that session was deleted.
    pub async fn bound_id(&self, kind: &str, key: &str) -> Result<Option<String>> {
        let id = sqlx::query_scalar(
            "SELECT s.session_id FROM bindings b JOIN sessions s ON s.pk = b.session_pk WHERE b.kind = ? AND b.key = ?",
        )
        .bind(kind)
        .bind(key)
        .fetch_optional(&self.readers)
        .await?;
        Ok(id)
    }

    /// Returns the keys of one kind of evidence that mean a session, the newest first.
    pub async fn keys_of(&self, pk: i64, kind: &str) -> Result<Vec<String>> {
        let keys =
            sqlx::query_scalar("SELECT key FROM bindings WHERE session_pk = ? AND kind = ? ORDER BY bound_at DESC")
                .bind(pk)
                .bind(kind)
                .fetch_all(&self.readers)
                .await?;
        Ok(keys)
    }

    /// True if any evidence of a kind means a session.
    pub async fn has_binding(&self, pk: i64, kind: &str) -> Result<bool> {
        let found: Option<i64> = sqlx::query_scalar("SELECT 1 FROM bindings WHERE session_pk = ? AND kind = ? LIMIT 1")
            .bind(pk)
            .bind(kind)
            .fetch_optional(&self.readers)
            .await?;
        Ok(found.is_some())
    }
}

impl Transaction<'_> {
    /// Makes a piece of evidence mean a session.
    pub async fn bind(&mut self, session: &SessionRow, kind: &str, key: &str, at: Timestamp) -> Result<()> {
        self.touch();
        self.put(
            "INSERT INTO bindings (kind, key, session_pk, bound_at) VALUES (?, ?, ?, ?) \
             ON CONFLICT (kind, key) DO UPDATE SET session_pk = excluded.session_pk, bound_at = excluded.bound_at",
        )
        .await?
        .bind(kind)
        .bind(key)
        .bind(session.pk)
        .bind(millis(at));
        Ok(())
    }
}
