//! The table `lists`: the lists that a session had, one after the other, each with the revisions in which it was.

use super::{millis, time};
use crate::script::Script;
use crate::{Result, SessionRow, Store, Transaction};
use jiff::Timestamp;
use session::Progress;
use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row, SqliteExecutor};

/// One of a session's lists.
#[derive(Debug, Clone, PartialEq)]
pub struct ListRow {
    /// The row's number; 0 before it is stored.
    pub pk: i64,
    pub list_id: String,
    /// The revision that began it.
    pub from_rev: u64,
    /// The time at which it began.
    pub created_at: Timestamp,
    /// Its end; `None` for the present list.
    pub end: Option<ListEnd>,
    /// The time at which the user deleted it; the epoch where it is not to be brought back.
    pub deleted_at: Option<Timestamp>,
}

/// The end of a list, with what is shown of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ListEnd {
    /// The revision that ended it: it was the list until the one before.
    pub to_rev: u64,
    /// The time of that revision.
    pub at: Timestamp,
    /// The text of its first item.
    pub title: String,
    pub progress: Progress,
    /// Items of it that were not terminal.
    pub unfinished: u32,
}

/// The columns of a list `l` beside those of its session, under names of their own.
pub(crate) const COLUMNS: &str = "l.pk AS list_pk, l.list_id AS ended_id, l.from_rev, l.to_rev, \
     l.created_at AS list_created_at, l.archived_at, l.title AS list_title, l.completed AS list_completed, \
     l.total AS list_total, l.fraction AS list_fraction, l.unfinished AS list_unfinished, l.deleted_at AS list_deleted_at";

/// Reads a list from a row with [`COLUMNS`]; `None` where there is none beside the session.
pub(crate) fn list(row: &SqliteRow) -> Result<Option<ListRow>> {
    let Some(pk) = row.try_get("list_pk")? else { return Ok(None) };
    let count = |name: &str| -> Result<u32> { Ok(u32::try_from(row.try_get::<i64, _>(name)?).unwrap_or_default()) };
    let end = match row.try_get::<Option<i64>, _>("to_rev")? {
        Some(to_rev) => Some(ListEnd {
            to_rev: to_rev.cast_unsigned(),
            at: time(row.try_get::<Option<i64>, _>("archived_at")?.unwrap_or_default()),
            title: row.try_get("list_title")?,
            progress: Progress {
                completed: count("list_completed")?,
                total: count("list_total")?,
                fraction: row.try_get("list_fraction")?,
            },
            unfinished: count("list_unfinished")?,
        }),
        None => None,
    };
    Ok(Some(ListRow {
        pk,
        list_id: row.try_get("ended_id")?,
        from_rev: row.try_get::<i64, _>("from_rev")?.cast_unsigned(),
        created_at: time(row.try_get("list_created_at")?),
        end,
        deleted_at: row.try_get::<Option<i64>, _>("list_deleted_at")?.map(time),
    }))
}

impl ListRow {
    /// True if it was the list at a revision.
    #[must_use]
    pub fn has(&self, revision: u64) -> bool {
        self.from_rev <= revision && self.end.as_ref().is_none_or(|end| revision < end.to_rev)
    }
}

impl Store {
    /// Returns the lists of a session, oldest first; the last is the present one.
    pub async fn lists(&self, pk: i64) -> Result<Vec<ListRow>> {
        all_lists(&self.readers, pk).await
    }

    /// True if a session has lists that have ended and are not deleted.
    pub async fn has_ended_lists(&self, pk: i64) -> Result<bool> {
        has_ended_lists(&self.readers, pk).await
    }

    /// True if the list that a session had at a revision was deleted.
    pub async fn is_deleted_at(&self, pk: i64, revision: u64) -> Result<bool> {
        let found: Option<i64> = sqlx::query_scalar(
            "SELECT 1 FROM lists WHERE session_pk = ?1 AND from_rev <= ?2 AND to_rev > ?2 AND deleted_at IS NOT NULL",
        )
        .bind(pk)
        .bind(revision.cast_signed())
        .fetch_optional(&self.readers)
        .await?;
        Ok(found.is_some())
    }

    /// Returns the row numbers of lists that were deleted before a time and still have their items.
    pub async fn purgeable_lists(&self, before: Timestamp, limit: u32) -> Result<Vec<i64>> {
        Ok(sqlx::query_scalar(
            "SELECT pk FROM lists WHERE deleted_at >= 0 AND deleted_at < ? ORDER BY deleted_at LIMIT ?",
        )
        .bind(millis(before))
        .bind(limit)
        .fetch_all(&self.readers)
        .await?)
    }
}

impl Transaction<'_> {
    /// Returns a list with the id of its session, deleted or not, as this transaction has left it.
    pub async fn list(&mut self, list_id: &str) -> Result<Option<(ListRow, String)>> {
        let mut query = QueryBuilder::new("SELECT s.session_id, ");
        query.push(COLUMNS).push(" FROM lists AS l JOIN sessions AS s ON s.pk = l.session_pk WHERE l.list_id = ");
        let row = query.push_bind(list_id).build().fetch_optional(self.now().await?).await?;
        let Some(row) = row else { return Ok(None) };
        match list(&row)? {
            Some(list) => Ok(Some((list, row.try_get("session_id")?))),
            None => Ok(None),
        }
    }

    /// As [`Store::has_ended_lists`], as this transaction has left it.
    pub async fn has_ended_lists(&mut self, pk: i64) -> Result<bool> {
        has_ended_lists(self.now().await?, pk).await
    }

    /// Begins the list that a session's row names, and ends the one before: `None` where that had no item and so is none.
    pub async fn new_list(
        &mut self,
        row: &SessionRow,
        from_rev: u64,
        at: Timestamp,
        before: Option<&ListEnd>,
    ) -> Result<()> {
        let Some(end) = before else {
            self.put("UPDATE lists SET list_id = ?, created_at = ? WHERE session_pk = ? AND to_rev IS NULL")
                .await?
                .bind(&row.list.id)
                .bind(millis(at))
                .bind(row.pk);
            return Ok(());
        };
        let script = self.put("UPDATE lists SET ").await?;
        push_end(script, end).push(" WHERE session_pk = ? AND to_rev IS NULL").bind(row.pk);
        let list =
            ListRow { pk: 0, list_id: row.list.id.clone(), from_rev, created_at: at, end: None, deleted_at: None };
        self.add_list(row.pk, &list).await
    }

    /// Goes on with the list that ended with a revision, and forgets the present one, which began with it. Returns its id,
    /// or `None` where there is no such list.
    pub async fn go_back_to_list(&mut self, row: &SessionRow, ended: u64) -> Result<Option<String>> {
        let id: Option<String> = sqlx::query_scalar(
            "SELECT list_id FROM lists AS l WHERE session_pk = ?1 AND to_rev = ?2 AND deleted_at IS NULL AND EXISTS \
             (SELECT 1 FROM lists AS n WHERE n.session_pk = ?1 AND n.to_rev IS NULL AND n.from_rev = ?2)",
        )
        .bind(row.pk)
        .bind(ended.cast_signed())
        .fetch_optional(self.now().await?)
        .await?;
        if let Some(id) = &id {
            self.put("DELETE FROM lists WHERE session_pk = ? AND to_rev IS NULL").await?.bind(row.pk);
            self.put("UPDATE lists SET to_rev = NULL, archived_at = NULL WHERE list_id = ?").await?.bind(id);
        }
        Ok(id)
    }

    /// Notes that a list was deleted, or brought back.
    pub async fn mark_list_deleted(&mut self, list_id: &str, at: Option<Timestamp>) -> Result<()> {
        self.touch();
        self.put("UPDATE lists SET deleted_at = ? WHERE list_id = ?").await?.bind(at.map(millis)).bind(list_id);
        Ok(())
    }

    /// Saves a list of a session that has none of that revision yet.
    /// Returns whether a list is known.
    pub(crate) async fn has_list(&mut self, list_id: &str) -> Result<bool> {
        let known: Option<i64> = sqlx::query_scalar("SELECT 1 FROM lists WHERE list_id = ?")
            .bind(list_id)
            .fetch_optional(self.now().await?)
            .await?;
        Ok(known.is_some())
    }

    pub(crate) async fn add_list(&mut self, pk: i64, list: &ListRow) -> Result<()> {
        self.put("INSERT INTO lists (list_id, session_pk, from_rev, created_at, deleted_at) VALUES (?, ?, ?, ?, ?)")
            .await?
            .bind(&list.list_id)
            .bind(pk)
            .bind(list.from_rev.cast_signed())
            .bind(millis(list.created_at))
            .bind(list.deleted_at.map(millis));
        if let Some(end) = &list.end {
            let script = self.put("UPDATE lists SET ").await?;
            push_end(script, end).push(" WHERE list_id = ?").bind(&list.list_id);
        }
        Ok(())
    }
}

async fn has_ended_lists(executor: impl SqliteExecutor<'_>, pk: i64) -> Result<bool> {
    let found: Option<i64> = sqlx::query_scalar(
        "SELECT 1 FROM lists WHERE session_pk = ? AND to_rev IS NOT NULL AND deleted_at IS NULL LIMIT 1",
    )
    .bind(pk)
    .fetch_optional(executor)
    .await?;
    Ok(found.is_some())
}

fn push_end<'s>(script: &'s mut Script, end: &ListEnd) -> &'s mut Script {
    script
        .push("to_rev = ?, archived_at = ?, title = ?, completed = ?, total = ?, fraction = ?, unfinished = ?")
        .bind(end.to_rev.cast_signed())
        .bind(millis(end.at))
        .bind(&end.title)
        .bind(end.progress.completed)
        .bind(end.progress.total)
        .bind(end.progress.fraction)
        .bind(end.unfinished)
}

pub(crate) async fn all_lists(reader: impl SqliteExecutor<'_>, pk: i64) -> Result<Vec<ListRow>> {
    let mut query = QueryBuilder::new("SELECT ");
    query.push(COLUMNS).push(" FROM lists AS l WHERE l.session_pk = ").push_bind(pk);
    query.push(" ORDER BY l.from_rev, l.to_rev IS NULL, l.created_at");
    let rows = query.build().fetch_all(reader).await?;
    rows.iter().filter_map(|row| list(row).transpose()).collect()
}
