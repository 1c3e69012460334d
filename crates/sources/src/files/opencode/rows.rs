//! What is asked of the database.

use super::runs::Step;
use futures_util::TryStreamExt;
use futures_util::stream::BoxStream;
use serde_json::{Value, json};
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{AssertSqlSafe, Row};
use std::collections::BTreeMap;

/// The longest row that is read.
const ROW_BYTES: i64 = 8 * 1024 * 1024;

/// One look at it.
pub(super) struct Rows<'a>(pub(super) &'a mut SqliteConnection);

/// A part of a message.
pub(super) struct Part {
    pub(super) row: i64,
    pub(super) message: String,
    pub(super) session: String,
    pub(super) created: i64,
    /// When its message was written.
    pub(super) message_created: i64,
    /// What it says; nothing where that is of no account.
    pub(super) step: Option<Step>,
    /// It is too long or no JSON.
    pub(super) is_odd: bool,
}

/// What is known of a session.
pub(super) struct Session {
    pub(super) id: String,
    pub(super) parent: Option<String>,
    pub(super) folder: Option<String>,
    pub(super) title: Option<String>,
    pub(super) version: Option<String>,
}

impl Rows<'_> {
    /// Whether it has the tables that are read.
    pub(super) async fn has_lists(&mut self) -> sqlx::Result<bool> {
        let tables = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('session', 'message', 'part', 'todo')";
        let row = sqlx::query(tables).fetch_one(&mut *self.0).await?;
        Ok(row.try_get::<i64, _>(0)? == 4)
    }

    pub(super) async fn newest_part(&mut self) -> sqlx::Result<i64> {
        let row = sqlx::query("SELECT coalesce(max(rowid), 0) FROM part").fetch_one(&mut *self.0).await?;
        row.try_get(0)
    }

    /// About the last part that was added before that time. It is searched for by halves: times have no index, and grow
    /// with the numbers.
    pub(super) async fn last_before(&mut self, time: i64) -> sqlx::Result<i64> {
        let (mut before, mut end) = (0, self.newest_part().await?);
        while before < end {
            let middle = before + (end - before + 1) / 2;
            let query = "SELECT time_created FROM part WHERE rowid <= ?1 ORDER BY rowid DESC LIMIT 1";
            let row = sqlx::query(query).bind(middle).fetch_optional(&mut *self.0).await?;
            let created = row.map(|row| row.try_get_unchecked::<i64, _>(0)).transpose()?;
            if created.is_none_or(|created| created < time) {
                before = middle;
            } else {
                end = middle - 1;
            }
        }
        Ok(before)
    }

    /// The parts that were added since, and those that were not at an end. Of each only what counts is kept.
    pub(super) async fn parts<T>(&mut self, since: i64, most: i64, open: &BTreeMap<i64, T>) -> sqlx::Result<Vec<Part>> {
        const COLUMNS: &str = "SELECT p.rowid, p.message_id, p.session_id, p.time_created, \
             CASE WHEN octet_length(p.data) <= ?1 THEN p.data END, m.time_created, \
             CASE WHEN json_valid(m.data) THEN json_extract(m.data, '$.role') = 'user' END \
             FROM part p LEFT JOIN message m ON m.id = p.message_id";
        let ids = serde_json::to_string(&open.keys().collect::<Vec<_>>()).unwrap_or_default();
        let again = format!("{COLUMNS} WHERE p.rowid IN (SELECT value FROM json_each(?2)) ORDER BY p.rowid");
        let again = sqlx::query(AssertSqlSafe(again)).bind(ROW_BYTES).bind(ids);
        let mut parts = Vec::new();
        take(again.fetch(&mut *self.0), &mut parts).await?;
        let added = format!("{COLUMNS} WHERE p.rowid > ?2 ORDER BY p.rowid LIMIT ?3");
        let added = sqlx::query(AssertSqlSafe(added)).bind(ROW_BYTES).bind(since).bind(most);
        take(added.fetch(&mut *self.0), &mut parts).await?;
        Ok(parts)
    }

    pub(super) async fn session(&mut self, id: &str) -> sqlx::Result<Session> {
        let query = "SELECT parent_id, directory, title, version FROM session WHERE id = ?1";
        let row = sqlx::query(query).bind(id).fetch_optional(&mut *self.0).await?;
        let text = |column: usize| row.as_ref().and_then(|row| words(row, column));
        Ok(Session { id: id.to_owned(), parent: text(0), folder: text(1), title: text(2), version: text(3) })
    }

    /// The sessions whose lists were written since, with the time.
    pub(super) async fn lists_since(&mut self, since: i64) -> sqlx::Result<Vec<(String, i64)>> {
        let query = "SELECT session_id, max(time_updated) AS at FROM todo WHERE time_updated >= ?1 \
             GROUP BY session_id ORDER BY at, session_id";
        let rows = sqlx::query(query).bind(since).fetch_all(&mut *self.0).await?;
        rows.iter().map(|row| Ok((words(row, 0).unwrap_or_default(), row.try_get_unchecked(1)?))).collect()
    }

    /// The items of a session's list.
    pub(super) async fn list(&mut self, session: &str) -> sqlx::Result<Vec<Value>> {
        let query = "SELECT content, status, priority FROM todo WHERE session_id = ?1 ORDER BY position";
        let rows = sqlx::query(query).bind(session).fetch_all(&mut *self.0).await?;
        let item =
            |row: &SqliteRow| json!({ "content": words(row, 0), "status": words(row, 1), "priority": words(row, 2) });
        Ok(rows.iter().map(item).collect())
    }
}

/// Takes one row after the other, so that only what counts of them is held.
async fn take(mut rows: BoxStream<'_, sqlx::Result<SqliteRow>>, parts: &mut Vec<Part>) -> sqlx::Result<()> {
    while let Some(row) = rows.try_next().await? {
        parts.push(part(&row)?);
    }
    Ok(())
}

fn part(row: &SqliteRow) -> sqlx::Result<Part> {
    let data = row.try_get_unchecked::<Option<Vec<u8>>, _>(4)?;
    let data = data.and_then(|data| serde_json::from_slice::<Value>(&data).ok());
    let created = row.try_get_unchecked(3)?;
    let is_users = row.try_get_unchecked::<Option<i64>, _>(6)? == Some(1);
    Ok(Part {
        row: row.try_get_unchecked(0)?,
        message: words(row, 1).unwrap_or_default(),
        session: words(row, 2).unwrap_or_default(),
        created,
        message_created: row.try_get_unchecked::<Option<i64>, _>(5)?.unwrap_or(created),
        step: data.as_ref().and_then(|data| Step::of(data, is_users)),
        is_odd: data.is_none(),
    })
}

/// A text; what is not one, or is no Unicode, is read as far as it goes.
fn words(row: &SqliteRow, column: usize) -> Option<String> {
    let bytes = row.try_get_unchecked::<Option<Vec<u8>>, _>(column).ok()??;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
