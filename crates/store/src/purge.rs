//! Deleting for good: a few rows at a time, so that nobody waits for it, and the space goes back to the disk.

use crate::archive::SHOWN;
use crate::rows::{millis, session};
use crate::{Filter, Result, SessionRow, Store, Transaction};
use jiff::Timestamp;
use sqlx::{QueryBuilder, Sqlite};

/// Pages of the database that are given back at a time.
const PAGES: u32 = 256;

/// How large the database is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    /// Bytes of the file.
    pub bytes: u64,
    /// Bytes of it that hold nothing and go back to the disk soon.
    pub free: u64,
}

/// The tables that hold most of a session: their names, the column that tells a session's rows apart, and what says that
/// a row ended with a revision.
const LARGE: [(&str, &str, &str); 3] =
    [("items", "pk", "to_rev <= "), ("texts", "pk", "to_rev <= "), ("revisions", "revision", "revision < ")];

impl Store {
    /// How large the database is.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn size(&self) -> Result<Size> {
        let (pages, free, bytes): (i64, i64, i64) = sqlx::query_as(
            "SELECT page_count, freelist_count, page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
        )
        .fetch_one(&self.readers)
        .await?;
        let bytes = bytes.unsigned_abs();
        Ok(Size { bytes: pages.unsigned_abs() * bytes, free: free.unsigned_abs() * bytes })
    }

    /// Sessions that are not pinned and pass a filter, the oldest first.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn oldest(&self, filter: &Filter, limit: u32) -> Result<Vec<SessionRow>> {
        let mut query = QueryBuilder::<Sqlite>::new("SELECT s.* FROM sessions AS s WHERE s.pinned = 0 AND ");
        filter.push_passed(&mut query, 0);
        filter.push_time(&mut query);
        query.push(" ORDER BY s.last_activity_at, s.pk LIMIT ").push_bind(limit);
        query.build().fetch_all(&self.readers).await?.iter().map(session).collect()
    }

    /// Sessions with more revisions than so many, the oldest first.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn longest(&self, revisions: u64, limit: u32) -> Result<Vec<SessionRow>> {
        sqlx::query(
            "SELECT * FROM sessions WHERE pinned = 0 AND deleted_at IS NULL AND revision - first_revision + 1 > ? \
             ORDER BY last_activity_at LIMIT ?",
        )
        .bind(revisions.min(i64::MAX.unsigned_abs()).cast_signed())
        .bind(limit)
        .fetch_all(&self.readers)
        .await?
        .iter()
        .map(session)
        .collect()
    }

    /// How many sessions there are, or how many that were deleted and can be brought back; a run that has only its
    /// agent's own list counts with that.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn total(&self, deleted: bool) -> Result<u64> {
        let mut query = QueryBuilder::<Sqlite>::new("SELECT count(*) FROM sessions AS s WHERE ");
        query.push(if deleted { "s.deleted_at > 0 AND " } else { "s.deleted_at IS NULL AND " }).push(SHOWN);
        let count: i64 = query.build_query_scalar().fetch_one(&self.readers).await?;
        Ok(count.unsigned_abs())
    }

    /// A session that was deleted and can be brought back.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn deleted(&self, session_id: &str) -> Result<Option<SessionRow>> {
        let row = sqlx::query("SELECT * FROM sessions WHERE session_id = ? AND deleted_at > 0")
            .bind(session_id)
            .fetch_optional(&self.readers)
            .await?;
        row.as_ref().map(session).transpose()
    }

    /// A deleted session and what was deleted with it: its agent's own list, or the run of that.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn deleted_with(&self, row: &SessionRow) -> Result<Vec<SessionRow>> {
        sqlx::query(
            "SELECT * FROM sessions WHERE deleted_at = ?1 AND (pk = ?2 OR own_tool IS NOT ?3 \
             AND (parent_session_id = ?4 OR session_id = ?5)) ORDER BY pk = ?2",
        )
        .bind(row.deleted_at.map(millis))
        .bind(row.pk)
        .bind(&row.own_tool)
        .bind(&row.session_id)
        .bind(&row.parent_session_id)
        .fetch_all(&self.readers)
        .await?
        .iter()
        .map(session)
        .collect()
    }

    /// Whether what this evidence told at a time was deleted later.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn is_forgotten(&self, kind: &str, key: &str, at: Timestamp) -> Result<bool> {
        let found: Option<i64> = sqlx::query_scalar("SELECT 1 FROM forgotten WHERE kind = ? AND key = ? AND at >= ?")
            .bind(kind)
            .bind(key)
            .bind(millis(at))
            .fetch_optional(&self.readers)
            .await?;
        Ok(found.is_some())
    }

    /// How many sessions are not pinned and pass a filter.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn count(&self, filter: &Filter) -> Result<u64> {
        let mut query = QueryBuilder::<Sqlite>::new("SELECT count(*) FROM sessions AS s WHERE s.pinned = 0 AND ");
        filter.push_passed(&mut query, 0);
        filter.push_time(&mut query);
        let count: i64 = query.build_query_scalar().fetch_one(&self.readers).await?;
        Ok(count.unsigned_abs())
    }

    /// How many revisions the sessions have that stay, and those that were deleted.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn revisions_that_stay(&self) -> Result<(u64, u64)> {
        let (stay, go): (i64, i64) = sqlx::query_as(
            "SELECT coalesce(sum(iif(deleted_at IS NULL, revision - first_revision + 1, 0)), 0), \
             coalesce(sum(iif(deleted_at IS NULL, 0, revision - first_revision + 1)), 0) FROM sessions",
        )
        .fetch_one(&self.readers)
        .await?;
        Ok((stay.unsigned_abs(), go.unsigned_abs()))
    }

    /// Whether there are callers of sessions that were not heard of since a time.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn has_old_callers(&self, before: Timestamp) -> Result<bool> {
        let found: Option<i64> = sqlx::query_scalar(
            "SELECT 1 FROM callers AS c JOIN sessions AS s ON s.pk = c.session_pk WHERE s.last_activity_at < ? LIMIT 1",
        )
        .bind(millis(before))
        .fetch_optional(&self.readers)
        .await?;
        Ok(found.is_some())
    }

    /// Sessions that were deleted before a time, by their row's numbers.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn purgeable(&self, before: Timestamp, limit: u32) -> Result<Vec<i64>> {
        Ok(sqlx::query_scalar("SELECT pk FROM sessions WHERE deleted_at < ? ORDER BY deleted_at LIMIT ?")
            .bind(millis(before))
            .bind(limit)
            .fetch_all(&self.readers)
            .await?)
    }
}

impl Transaction<'_> {
    /// Notes that a session is deleted, as its row says, or is not any more: whoever was away learns of it, and files do
    /// not bring back what they tell of the time until `now`.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn delete(&mut self, row: &mut SessionRow, own: &str, now: Timestamp) -> Result<()> {
        self.session(row).await?;
        let Some(at) = row.deleted_at else {
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
        .bind(millis(row.last_activity_at).max(millis(now)))
        .bind(row.pk)
        .bind(own);
        Ok(())
    }

    /// Takes up to `rows` rows of a deleted session away, and the session with the last of them. One that was brought
    /// back meanwhile stays as it is.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn purge(&mut self, pk: i64, rows: u32) -> Result<()> {
        let id: Option<String> =
            sqlx::query_scalar("SELECT session_id FROM sessions WHERE pk = ? AND deleted_at IS NOT NULL")
                .bind(pk)
                .fetch_optional(self.now().await?)
                .await?;
        let Some(id) = id else { return Ok(()) };
        self.touch();
        let mut left = u64::from(rows);
        for (table, key, _) in LARGE {
            let mut query = QueryBuilder::<Sqlite>::new("DELETE FROM ");
            query.push(table).push(" WHERE session_pk = ").push_bind(pk).push(" AND ").push(key).push(" IN (SELECT ");
            query.push(key).push(" FROM ").push(table).push(" WHERE session_pk = ").push_bind(pk);
            query.push(" LIMIT ").push_bind(left.cast_signed()).push(")");
            left -= query.build().execute(self.now().await?).await?.rows_affected();
            if left == 0 {
                return Ok(());
            }
        }
        self.put("UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id = ?").await?.bind(id);
        self.put("DELETE FROM sessions WHERE pk = ?").await?.bind(pk);
        Ok(())
    }

    /// Forgets what the callers of up to `sessions` sessions know that were not heard of since a time.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn forget_old_callers(&mut self, before: Timestamp, sessions: u32) -> Result<()> {
        self.touch();
        self.put(
            "DELETE FROM callers WHERE session_pk IN (SELECT DISTINCT c.session_pk FROM callers AS c \
             JOIN sessions AS s ON s.pk = c.session_pk WHERE s.last_activity_at < ? LIMIT ?)",
        )
        .await?
        .bind(millis(before))
        .bind(sessions);
        Ok(())
    }

    /// Gives some of the space that holds nothing back to the disk.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn give_back(&mut self) -> Result<()> {
        self.touch();
        let mut query = QueryBuilder::<Sqlite>::new("PRAGMA incremental_vacuum(");
        query.push(PAGES).push(")");
        query.build().fetch_all(self.now().await?).await?;
        Ok(())
    }

    /// Stores a session whose first revision is a later one than before, and takes away what is only in those from before.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn trim(&mut self, row: &mut SessionRow) -> Result<()> {
        self.session(row).await?;
        for (table, _, ended) in LARGE {
            let mut query = QueryBuilder::<Sqlite>::new("DELETE FROM ");
            query.push(table).push(" WHERE session_pk = ").push_bind(row.pk).push(" AND ").push(ended);
            query.push_bind(row.first_revision.cast_signed());
            query.build().execute(self.now().await?).await?;
        }
        // What a caller was told or said in what is gone cannot be compared with any more.
        self.put("DELETE FROM callers WHERE session_pk = ? AND min(coalesce(told_rev, ?), coalesce(said_rev, ?)) < ?")
            .await?
            .bind(row.pk)
            .bind(row.first_revision.cast_signed())
            .bind(row.first_revision.cast_signed())
            .bind(row.first_revision.cast_signed());
        self.put("DELETE FROM edits WHERE session_pk = ? AND forgotten = 1 AND revision < ?")
            .await?
            .bind(row.pk)
            .bind(row.first_revision.cast_signed());
        Ok(())
    }
}
