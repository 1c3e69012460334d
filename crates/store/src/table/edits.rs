//! The table `edits`: the user's edits, each with how far it has come.

use crate::{Result, SessionRow, Store, Transaction};
use sqlx::{Row, SqliteExecutor};
use todo::Edit;
use uuid::Uuid;

impl Store {
    /// Returns the edits of a session that count for its next change, oldest first.
    pub async fn edits(&self, pk: i64) -> Result<Vec<Edit>> {
        let rows =
            sqlx::query("SELECT body FROM edits WHERE session_pk = ? AND forgotten = 0 ORDER BY revision, edit_id")
                .bind(pk)
                .fetch_all(&self.readers)
                .await?;
        rows.iter().map(|row| Ok(serde_json::from_str(row.try_get("body")?)?)).collect()
    }
}

/// Returns all edits of a session, oldest first, each with whether it was forgotten.
pub(crate) async fn all_edits(reader: impl SqliteExecutor<'_>, pk: i64) -> Result<Vec<(Edit, bool)>> {
    let rows = sqlx::query("SELECT body, forgotten FROM edits WHERE session_pk = ? ORDER BY revision, edit_id")
        .bind(pk)
        .fetch_all(reader)
        .await?;
    rows.iter().map(|row| Ok((serde_json::from_str(row.try_get("body")?)?, row.try_get("forgotten")?))).collect()
}

/// Returns the edits of a session that changed after a cursor, oldest first, each with whether it was forgotten.
pub(crate) async fn edits_after(reader: impl SqliteExecutor<'_>, pk: i64, cursor: u64) -> Result<Vec<(Edit, bool)>> {
    let rows =
        sqlx::query("SELECT body, forgotten FROM edits WHERE session_pk = ? AND cursor > ? ORDER BY revision, edit_id")
            .bind(pk)
            .bind(cursor.cast_signed())
            .fetch_all(reader)
            .await?;
    rows.iter().map(|row| Ok((serde_json::from_str(row.try_get("body")?)?, row.try_get("forgotten")?))).collect()
}

impl Transaction<'_> {
    /// Saves an edit, new or known.
    pub async fn save_edit(&mut self, session: &SessionRow, edit: &Edit, cursor: u64) -> Result<()> {
        let state = serde_json::to_value(edit.state)?;
        self.put("INSERT INTO edits (edit_id, session_pk, revision, state, body, cursor) VALUES (?, ?, ?, ?, ?, ?) \
             ON CONFLICT (edit_id) DO UPDATE SET state = excluded.state, body = excluded.body, cursor = excluded.cursor").await?
        .bind(edit.id.to_string())
        .bind(session.pk)
        .bind(edit.revision.cast_signed())
        .bind(state.as_str().unwrap_or_default())
        .bind(serde_json::to_string(edit)?)
        .bind(cursor.cast_signed());
        Ok(())
    }

    /// Makes an edit count for nothing any more; it stays in the history.
    pub async fn forget_edit(&mut self, edit: Uuid, cursor: u64) -> Result<()> {
        self.put("UPDATE edits SET forgotten = 1, cursor = ? WHERE edit_id = ?")
            .await?
            .bind(cursor.cast_signed())
            .bind(edit.to_string());
        Ok(())
    }

    /// Returns whether an edit is known.
    pub(crate) async fn has_edit(&mut self, edit: &Edit) -> Result<bool> {
        let known: Option<i64> = sqlx::query_scalar("SELECT 1 FROM edits WHERE edit_id = ?")
            .bind(edit.id.to_string())
            .fetch_optional(self.now().await?)
            .await?;
        Ok(known.is_some())
    }
}
