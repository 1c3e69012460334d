//! What is read: by keys and ranges only, never by scanning revisions.

use crate::rows::{millis, revision, session, time};
use crate::{CallerRow, Error, Result, RevisionRow, SessionRow, Store, item};
use jiff::Timestamp;
use sqlx::Row;
use todo::{Edit, Item};
use uuid::Uuid;

impl Store {
    /// The sessions that were heard of last, runs and their agents' own lists alike.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn heard_last(&self, limit: u32) -> Result<Vec<SessionRow>> {
        let rows = sqlx::query(
            "SELECT * FROM sessions WHERE deleted_at IS NULL ORDER BY last_activity_at DESC, pk DESC LIMIT ?",
        )
        .bind(limit)
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(session).collect()
    }

    /// Sessions that a board shows however long ago they were heard of: those that the user pinned, and those that have
    /// waited since a time.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn kept(&self, waiting_since: Timestamp, limit: u32) -> Result<Vec<SessionRow>> {
        let rows = sqlx::query(
            "SELECT * FROM sessions WHERE pinned = 1 AND deleted_at IS NULL UNION \
             SELECT * FROM sessions WHERE state = 'waiting' AND last_activity_at > ? AND deleted_at IS NULL \
             ORDER BY last_activity_at DESC LIMIT ?",
        )
        .bind(millis(waiting_since))
        .bind(limit)
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(session).collect()
    }

    /// The keys of one kind of evidence that mean a session, the newest first.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn keys_of(&self, pk: i64, kind: &str) -> Result<Vec<String>> {
        let keys =
            sqlx::query_scalar("SELECT key FROM bindings WHERE session_pk = ? AND kind = ? ORDER BY bound_at DESC")
                .bind(pk)
                .bind(kind)
                .fetch_all(&self.readers)
                .await?;
        Ok(keys)
    }

    /// What the user has set: keys and JSON values.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn settings(&self) -> Result<Vec<(String, String)>> {
        Ok(sqlx::query_as("SELECT key, value FROM settings").fetch_all(&self.readers).await?)
    }

    /// A session by its id.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn session(&self, session_id: &str) -> Result<Option<SessionRow>> {
        let row = sqlx::query("SELECT * FROM sessions WHERE session_id = ? AND deleted_at IS NULL")
            .bind(session_id)
            .fetch_optional(&self.readers)
            .await?;
        row.as_ref().map(session).transpose()
    }

    /// At most two sessions whose id begins so.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn sessions_beginning(&self, prefix: &str) -> Result<Vec<SessionRow>> {
        let rows = sqlx::query(
            "SELECT * FROM sessions WHERE session_id >= ? AND session_id < ? AND deleted_at IS NULL LIMIT 2",
        )
        .bind(prefix)
        .bind(format!("{prefix}\u{10FFFF}"))
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(session).collect()
    }

    /// The session that a piece of evidence means.
    ///
    /// # Errors
    /// Those of the database.
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

    /// Whether any evidence of that kind means this session.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn has_binding(&self, pk: i64, kind: &str) -> Result<bool> {
        let found: Option<i64> = sqlx::query_scalar("SELECT 1 FROM bindings WHERE session_pk = ? AND kind = ? LIMIT 1")
            .bind(pk)
            .bind(kind)
            .fetch_optional(&self.readers)
            .await?;
        Ok(found.is_some())
    }

    /// Whether another key of these kinds of evidence means this session.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn is_anothers(&self, pk: i64, kinds: [&str; 2], key: &str) -> Result<bool> {
        let found: Option<i64> =
            sqlx::query_scalar("SELECT 1 FROM bindings WHERE session_pk = ? AND kind IN (?, ?) AND key <> ? LIMIT 1")
                .bind(pk)
                .bind(kinds[0])
                .bind(kinds[1])
                .bind(key)
                .fetch_optional(&self.readers)
                .await?;
        Ok(found.is_some())
    }

    /// The list of a session as it was at a revision.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn list_at(&self, pk: i64, revision: u64) -> Result<Vec<Item>> {
        // The plus keeps SQLite on the index by end: what ended before that revision is not read, and what began after
        // it only in the index.
        let rows = sqlx::query(
            "SELECT i.*, t.id, t.created_at, t.content, t.active_form, t.notes, t.description \
             FROM items AS i JOIN texts AS t ON t.pk = i.text_pk \
             WHERE i.session_pk = ? AND i.to_rev > ? AND +i.from_rev <= ?",
        )
        .bind(pk)
        .bind(revision.cast_signed())
        .bind(revision.cast_signed())
        .fetch_all(&self.readers)
        .await?;
        Ok(item::assemble(rows.iter().map(item::from_row).collect::<Result<_>>()?))
    }

    /// The edits of a session that count for its next change, oldest first.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn edits(&self, pk: i64) -> Result<Vec<Edit>> {
        let rows =
            sqlx::query("SELECT body FROM edits WHERE session_pk = ? AND forgotten = 0 ORDER BY revision, edit_id")
                .bind(pk)
                .fetch_all(&self.readers)
                .await?;
        rows.iter().map(|row| Ok(serde_json::from_str(row.try_get("body")?)?)).collect()
    }

    /// What the callers of a session know.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn callers(&self, pk: i64) -> Result<Vec<CallerRow>> {
        let rows = sqlx::query("SELECT * FROM callers WHERE session_pk = ?").bind(pk).fetch_all(&self.readers).await?;
        let number = |value: Option<i64>| value.map(i64::cast_unsigned);
        rows.iter()
            .map(|row| {
                Ok(CallerRow {
                    caller: row.try_get("caller")?,
                    told_rev: number(row.try_get("told_rev")?),
                    said_rev: number(row.try_get("said_rev")?),
                    said: row.try_get("said")?,
                })
            })
            .collect()
    }

    /// The revision that took an item out, after which it did not come back; `None` where it never was, or is there.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn removed_at(&self, pk: i64, uid: Uuid) -> Result<Option<RevisionRow>> {
        let row = sqlx::query(
            "SELECT * FROM revisions WHERE session_pk = ?1 AND revision =
             (SELECT max(to_rev) FROM items WHERE session_pk = ?1 AND uid = ?2)",
        )
        .bind(pk)
        .bind(uid.as_bytes().as_slice())
        .fetch_optional(&self.readers)
        .await?;
        row.as_ref().map(revision).transpose()
    }

    /// Revisions of a session below `before` that touched an item, newest first.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn revisions_of(&self, pk: i64, uid: Uuid, before: u64, limit: u32) -> Result<Vec<RevisionRow>> {
        let rows = sqlx::query(
            "SELECT * FROM revisions WHERE session_pk = ?1 AND revision < ?3 AND revision IN
             (SELECT from_rev FROM items WHERE session_pk = ?1 AND uid = ?2
              UNION SELECT to_rev FROM items WHERE session_pk = ?1 AND uid = ?2)
             ORDER BY revision DESC LIMIT ?4",
        )
        .bind(pk)
        .bind(uid.as_bytes().as_slice())
        .bind(before.min(i64::MAX.cast_unsigned()).cast_signed())
        .bind(limit)
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(revision).collect()
    }

    /// Revisions of a session below `before`, newest first.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn revisions(&self, pk: i64, before: u64, limit: u32) -> Result<Vec<RevisionRow>> {
        let rows =
            sqlx::query("SELECT * FROM revisions WHERE session_pk = ? AND revision < ? ORDER BY revision DESC LIMIT ?")
                .bind(pk)
                .bind(before.min(i64::MAX.cast_unsigned()).cast_signed())
                .bind(limit)
                .fetch_all(&self.readers)
                .await?;
        rows.iter().map(revision).collect()
    }

    /// The uids of items that a revision opened, and of those that it closed.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn touched(&self, pk: i64, at: u64) -> Result<(Vec<Uuid>, Vec<Uuid>)> {
        let uids = |rows: Vec<Vec<u8>>| -> Result<Vec<Uuid>> {
            rows.iter().map(|bytes| Uuid::from_slice(bytes).map_err(|e| Error::Row(e.to_string()))).collect()
        };
        let opened = sqlx::query_scalar("SELECT uid FROM items WHERE session_pk = ? AND from_rev = ? ORDER BY rank")
            .bind(pk)
            .bind(at.cast_signed())
            .fetch_all(&self.readers)
            .await?;
        let closed = sqlx::query_scalar("SELECT uid FROM items WHERE session_pk = ? AND to_rev = ? ORDER BY rank")
            .bind(pk)
            .bind(at.cast_signed())
            .fetch_all(&self.readers)
            .await?;
        Ok((uids(opened)?, uids(closed)?))
    }

    /// How an MCP session was opened, and when it was last seen.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn mcp_session(&self, id: &str) -> Result<Option<(String, Timestamp)>> {
        let row: Option<(String, i64)> = sqlx::query_as("SELECT initialize, seen_at FROM mcp_sessions WHERE id = ?")
            .bind(id)
            .fetch_optional(&self.readers)
            .await?;
        Ok(row.map(|(initialize, seen)| (initialize, time(seen))))
    }
}
