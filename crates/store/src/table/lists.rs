//! The table `lists`: the lists that a session had, one after the other.

use super::{millis, time};
use crate::{Result, SessionRow, Store, Transaction};
use jiff::Timestamp;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

/// One of a session's lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListRow {
    /// Its id.
    pub list_id: String,
    /// The revision that began it.
    pub from_rev: u64,
    /// The time at which it began.
    pub created_at: Timestamp,
    /// The time at which the next one replaced it.
    pub archived_at: Option<Timestamp>,
}

impl Store {
    /// Returns the lists of a session, oldest first; the last is the active one.
    pub(crate) async fn lists(&self, pk: i64) -> Result<Vec<ListRow>> {
        let rows =
            sqlx::query("SELECT * FROM lists WHERE session_pk = ? ORDER BY from_rev, archived_at IS NULL, created_at")
                .bind(pk)
                .fetch_all(&self.readers)
                .await?;
        let list = |row: &SqliteRow| {
            Ok(ListRow {
                list_id: row.try_get("list_id")?,
                from_rev: row.try_get::<i64, _>("from_rev")?.cast_unsigned(),
                created_at: time(row.try_get("created_at")?),
                archived_at: row.try_get::<Option<i64>, _>("archived_at")?.map(time),
            })
        };
        rows.iter().map(list).collect()
    }
}

impl Transaction<'_> {
    /// Archives the active list of a session and begins the one that its row names, with the revision that makes it.
    pub async fn new_list(&mut self, row: &SessionRow, from_rev: u64, at: Timestamp) -> Result<()> {
        self.put("UPDATE lists SET archived_at = ? WHERE session_pk = ? AND archived_at IS NULL")
            .await?
            .bind(millis(at))
            .bind(row.pk);
        let list = ListRow { list_id: row.list.id.clone(), from_rev, created_at: at, archived_at: None };
        self.add_list(row.pk, &list).await
    }

    /// Returns whether a list is known.
    pub(crate) async fn has_list(&mut self, list_id: &str) -> Result<bool> {
        let known: Option<i64> = sqlx::query_scalar("SELECT 1 FROM lists WHERE list_id = ?")
            .bind(list_id)
            .fetch_optional(self.now().await?)
            .await?;
        Ok(known.is_some())
    }

    pub(crate) async fn add_list(&mut self, pk: i64, list: &ListRow) -> Result<()> {
        self.put("INSERT INTO lists (list_id, session_pk, from_rev, created_at, archived_at) VALUES (?, ?, ?, ?, ?)")
            .await?
            .bind(&list.list_id)
            .bind(pk)
            .bind(list.from_rev.cast_signed())
            .bind(millis(list.created_at))
            .bind(list.archived_at.map(millis));
        Ok(())
    }
}
