//! Deleting for good, a few rows at a time so that other changes do not wait for it; and giving the space back to the disk.

use crate::archive::SHOWN;
use crate::table::millis;
use crate::table::session_columns::session;
use crate::{Filter, Result, SessionRow, Store, Transaction};
use jiff::Timestamp;
use sqlx::{QueryBuilder, Sqlite};

/// Pages of the database that are given back at a time.
const PAGES: u32 = 256;

/// The size of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    /// Bytes of the file.
    pub bytes: u64,
    /// Bytes of it that are unused and go back to the disk soon.
    pub free: u64,
}

/// The tables that hold most of a session: name, the column that numbers a session's rows, and the condition, up to its
/// value, under which a row was valid only before a revision.
const LARGE: [(&str, &str, &str); 3] =
    [("items", "pk", "to_rev <= "), ("texts", "pk", "to_rev <= "), ("revisions", "revision", "revision < ")];

impl Store {
    /// Returns the size of the database.
    pub async fn size(&self) -> Result<Size> {
        let (pages, free, bytes): (i64, i64, i64) = sqlx::query_as(
            "SELECT page_count, freelist_count, page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
        )
        .fetch_one(&self.readers)
        .await?;
        let bytes = bytes.unsigned_abs();
        Ok(Size { bytes: pages.unsigned_abs() * bytes, free: free.unsigned_abs() * bytes })
    }

    /// Returns sessions that are not pinned and pass a filter, the oldest first.
    pub async fn oldest(&self, filter: &Filter, limit: u32) -> Result<Vec<SessionRow>> {
        let mut query = QueryBuilder::<Sqlite>::new("SELECT s.* FROM sessions AS s WHERE s.pinned = 0 AND ");
        filter.push_passed(&mut query, 0);
        filter.push_time(&mut query);
        query.push(" ORDER BY s.active_minute, s.last_activity_at, s.pk LIMIT ").push_bind(limit);
        query.build().fetch_all(&self.readers).await?.iter().map(session).collect()
    }

    /// Returns sessions with more than `revisions` revisions that are not pinned, the oldest first.
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

    /// Returns the number of sessions, or of those that were deleted and can be brought back. A run whose only list is
    /// its built-in one is not counted beside that list.
    pub async fn total(&self, deleted: bool) -> Result<u64> {
        let mut query = QueryBuilder::<Sqlite>::new("SELECT count(*) FROM sessions AS s WHERE ");
        query.push(if deleted { "s.deleted_at > 0 AND " } else { "s.deleted_at IS NULL AND " }).push(SHOWN);
        let count: i64 = query.build_query_scalar().fetch_one(&self.readers).await?;
        Ok(count.unsigned_abs())
    }

    /// Returns the number of sessions that are not pinned and pass a filter.
    pub async fn count(&self, filter: &Filter) -> Result<u64> {
        let mut query = QueryBuilder::<Sqlite>::new("SELECT count(*) FROM sessions AS s WHERE s.pinned = 0 AND ");
        filter.push_passed(&mut query, 0);
        filter.push_time(&mut query);
        let count: i64 = query.build_query_scalar().fetch_one(&self.readers).await?;
        Ok(count.unsigned_abs())
    }

    /// Returns the number of revisions of the sessions that are kept, and of those that were deleted.
    pub async fn revision_counts(&self) -> Result<(u64, u64)> {
        let (kept, deleted): (i64, i64) = sqlx::query_as(
            "SELECT coalesce(sum(iif(deleted_at IS NULL, revision - first_revision + 1, 0)), 0), \
             coalesce(sum(iif(deleted_at IS NULL, 0, revision - first_revision + 1)), 0) FROM sessions",
        )
        .fetch_one(&self.readers)
        .await?;
        Ok((kept.unsigned_abs(), deleted.unsigned_abs()))
    }

    /// Returns the row numbers of sessions that were deleted before a time.
    pub async fn purgeable(&self, before: Timestamp, limit: u32) -> Result<Vec<i64>> {
        Ok(sqlx::query_scalar("SELECT pk FROM sessions WHERE deleted_at < ? ORDER BY deleted_at LIMIT ?")
            .bind(millis(before))
            .bind(limit)
            .fetch_all(&self.readers)
            .await?)
    }
}

impl Transaction<'_> {
    /// Deletes up to `rows` rows of a deleted session for good, and the session itself with the last of them. One that was
    /// brought back meanwhile is left alone.
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

    /// Gives some of the unused space back to the disk.
    pub async fn give_back(&mut self) -> Result<()> {
        self.touch();
        let mut query = QueryBuilder::<Sqlite>::new("PRAGMA incremental_vacuum(");
        query.push(PAGES).push(")");
        query.build().fetch_all(self.now().await?).await?;
        Ok(())
    }

    /// Deletes up to `rows` items of a deleted list for good. With the last of them its row says so, which stays: its
    /// revisions are not to be taken for those of an empty list.
    pub async fn purge_list(&mut self, pk: i64, rows: u32) -> Result<()> {
        let list: Option<(i64, i64, i64)> = sqlx::query_as(
            "SELECT session_pk, from_rev, to_rev FROM lists WHERE pk = ? AND deleted_at >= 0 AND to_rev IS NOT NULL",
        )
        .bind(pk)
        .fetch_optional(self.now().await?)
        .await?;
        let Some((session, from, to)) = list else { return Ok(()) };
        self.touch();
        let mut left = i64::from(rows);
        for table in ["items", "texts"] {
            let mut query = QueryBuilder::<Sqlite>::new("DELETE FROM ");
            query.push(table).push(" WHERE pk IN (SELECT pk FROM ").push(table).push(" WHERE session_pk = ");
            query.push_bind(session).push(" AND from_rev >= ").push_bind(from).push(" AND to_rev <= ").push_bind(to);
            query.push(" LIMIT ").push_bind(left).push(")");
            left -= query.build().execute(self.now().await?).await?.rows_affected().cast_signed();
            if left <= 0 {
                return Ok(());
            }
        }
        for sql in [
            "DELETE FROM callers WHERE session_pk = ? AND (told_rev >= ? AND told_rev < ? OR said_rev >= ? AND said_rev < ?)",
            "DELETE FROM edits WHERE session_pk = ? AND forgotten = 1 AND (revision >= ? AND revision <= ? OR revision >= ? \
             AND revision <= ?)",
        ] {
            self.put(sql).await?.bind(session).bind(from).bind(to).bind(from).bind(to);
        }
        self.put("UPDATE lists SET deleted_at = -1, title = '' WHERE pk = ?").await?.bind(pk);
        Ok(())
    }

    /// Saves a session with a later first revision, and deletes what was valid only before it.
    pub async fn trim(&mut self, row: &mut SessionRow) -> Result<()> {
        self.save_session(row).await?;
        for (table, _, ended) in LARGE {
            let mut query = QueryBuilder::<Sqlite>::new("DELETE FROM ");
            query.push(table).push(" WHERE session_pk = ").push_bind(row.pk).push(" AND ").push(ended);
            query.push_bind(row.list.first_revision.cast_signed());
            query.build().execute(self.now().await?).await?;
        }
        // A caller's memory of a deleted revision cannot be compared with any list.
        self.put("DELETE FROM callers WHERE session_pk = ? AND min(coalesce(told_rev, ?), coalesce(said_rev, ?)) < ?")
            .await?
            .bind(row.pk)
            .bind(row.list.first_revision.cast_signed())
            .bind(row.list.first_revision.cast_signed())
            .bind(row.list.first_revision.cast_signed());
        for sql in [
            "DELETE FROM edits WHERE session_pk = ? AND forgotten = 1 AND revision < ?",
            "DELETE FROM lists WHERE session_pk = ? AND to_rev <= ?",
        ] {
            self.put(sql).await?.bind(row.pk).bind(row.list.first_revision.cast_signed());
        }
        Ok(())
    }
}
