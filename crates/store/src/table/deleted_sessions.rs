//! Deleted sessions: those that can be brought back stay in `sessions` until they are purged, `deleted_sessions` tells
//! clients that were away, and `forgotten` keeps transcripts from bringing them back.

use super::millis;
use super::session_columns::session;
use crate::{Result, SessionRow, Store, Transaction};
use jiff::Timestamp;

impl Store {
    /// Returns a session that was deleted and can be brought back.
    pub async fn deleted(&self, session_id: &str) -> Result<Option<SessionRow>> {
        let row = sqlx::query("SELECT * FROM sessions WHERE session_id = ? AND deleted_at > 0")
            .bind(session_id)
            .fetch_optional(&self.readers)
            .await?;
        row.as_ref().map(session).transpose()
    }

    /// Returns a deleted session and what was deleted with it: its run's built-in list, or that list's run.
    pub async fn deleted_with(&self, row: &SessionRow) -> Result<Vec<SessionRow>> {
        sqlx::query(
            "SELECT * FROM sessions WHERE deleted_at = ?1 AND (pk = ?2 OR own_tool IS NOT ?3 \
             AND (parent_session_id = ?4 OR session_id = ?5)) ORDER BY pk = ?2",
        )
        .bind(row.marks.deleted_at.map(millis))
        .bind(row.pk)
        .bind(&row.who.own_tool)
        .bind(&row.session_id)
        .bind(&row.who.parent_session_id)
        .fetch_all(&self.readers)
        .await?
        .iter()
        .map(session)
        .collect()
    }

    /// True if what a piece of evidence told at a time was deleted later.
    pub async fn is_forgotten(&self, kind: &str, key: &str, at: Timestamp) -> Result<bool> {
        let found: Option<i64> = sqlx::query_scalar("SELECT 1 FROM forgotten WHERE kind = ? AND key = ? AND at >= ?")
            .bind(kind)
            .bind(key)
            .bind(millis(at))
            .fetch_optional(&self.readers)
            .await?;
        Ok(found.is_some())
    }
}

impl Transaction<'_> {
    /// Saves a session as deleted, or as brought back, by its row's `deleted_at`. Files do not bring back what they tell of
    /// the time until `now`: `own` is the kind of evidence that they come with.
    pub async fn save_deleted(&mut self, row: &mut SessionRow, own: &str, now: Timestamp) -> Result<()> {
        self.save_session(row).await?;
        let Some(at) = row.marks.deleted_at else {
            self.put("DELETE FROM deleted_sessions WHERE session_id = ?").await?.bind(&row.session_id);
            self.put(
                "DELETE FROM forgotten WHERE (kind, key) IN (SELECT kind, key FROM bindings WHERE session_pk = ?)",
            )
            .await?
            .bind(row.pk);
            return Ok(());
        };
        self.tombstone(row, at).await?;
        self.put(
            "INSERT INTO forgotten (kind, key, at) SELECT kind, key, ? FROM bindings WHERE session_pk = ? AND kind = ? \
             ON CONFLICT (kind, key) DO UPDATE SET at = max(at, excluded.at)",
        )
        .await?
        .bind(millis(row.life.last_activity_at).max(millis(now)))
        .bind(row.pk)
        .bind(own);
        Ok(())
    }

    /// Deletes a session with all its rows, and with the bindings that meant it.
    pub async fn delete_session(&mut self, row: &SessionRow, at: Timestamp) -> Result<()> {
        self.touch();
        self.put("DELETE FROM sessions WHERE pk = ?").await?.bind(row.pk);
        self.put("UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id = ?")
            .await?
            .bind(&row.session_id);
        self.tombstone(row, at).await
    }

    /// Remembers a deleted session for clients that were away.
    async fn tombstone(&mut self, row: &SessionRow, at: Timestamp) -> Result<()> {
        let cursor = self.cursor.cast_signed();
        self.put(
            "INSERT INTO deleted_sessions (session_id, cursor, at) VALUES (?, ?, ?) \
             ON CONFLICT (session_id) DO UPDATE SET cursor = excluded.cursor, at = excluded.at",
        )
        .await?
        .bind(&row.session_id)
        .bind(cursor)
        .bind(millis(at));
        Ok(())
    }
}
