//! Copying what can be read of a damaged database into a new one.
//!
//! Rows are copied in ranges; a range that cannot be read is halved until only one row, or one session's part of a table,
//! is lost.

use crate::{Error, Result};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};
use std::collections::HashSet;
use std::path::Path;

/// The tables that are copied, each with the column whose ranges are halved; none where the table is copied at once.
const TABLES: [(&str, Option<&str>); 21] = [
    ("sessions", Some("pk")),
    ("lists", Some("session_pk")),
    ("revisions", Some("session_pk")),
    ("texts", Some("pk")),
    ("items", Some("pk")),
    ("edits", Some("session_pk")),
    ("callers", Some("session_pk")),
    ("bindings", Some("session_pk")),
    ("chats", Some("session_pk")),
    ("chat_messages", Some("session_pk")),
    ("permissions", Some("session_pk")),
    ("changed_files", Some("session_pk")),
    ("rules", None),
    ("later", None),
    ("settings", None),
    ("forgotten", None),
    ("hours", None),
    ("deleted_sessions", None),
    ("mcp_sessions", None),
    ("keys", None),
    ("audit", None),
];

/// The tables whose texts are checked for being UTF-8; `pk` numbers their rows.
const WITH_TEXTS: [&str; 3] = ["sessions", "texts", "items"];

/// Rows that are checked together.
const ROWS: u32 = 1_000;

/// The most ranges that are tried for one table, so that a table that is all damage comes to an end.
const TRIES: u32 = 100_000;

/// Copies what can be read, and returns the number of sessions copied.
pub(crate) async fn copy_readable(new: &mut SqliteConnection, damaged: &Path) -> Result<u64> {
    sqlx::query("PRAGMA foreign_keys = OFF").execute(&mut *new).await?;
    let mut attach = QueryBuilder::<Sqlite>::new("ATTACH ");
    attach.push_bind(damaged.to_string_lossy().into_owned()).push(" AS damaged");
    if let Err(error) = attach.build().execute(&mut *new).await {
        // The file is no database at all.
        tracing::warn!(%error, "nothing of the damaged database can be read");
        return Ok(0);
    }
    for (table, key) in TABLES {
        if let Err(error) = copy(new, table, key).await {
            tracing::warn!(table, %error, "a part of the damaged database cannot be read");
        }
    }
    let _ = sqlx::query(
        "UPDATE main.hub SET (db_id, cursor) = (SELECT db_id, cursor + 1 FROM damaged.hub) \
                         WHERE EXISTS (SELECT 1 FROM damaged.hub)",
    )
    .execute(&mut *new)
    .await;
    // A file of an earlier version has these in the table.
    let _ = sqlx::query(
        "UPDATE main.hub SET (hour, work) = (SELECT hour, work FROM damaged.hub WHERE json_valid(work)) \
                         WHERE EXISTS (SELECT 1 FROM damaged.hub WHERE json_valid(work))",
    )
    .execute(&mut *new)
    .await;
    // Rows of lost items and sessions go too, and no session's cursor is ahead of the newest. A file of an earlier version
    // says of a list only that it has ended, and has no columns for indexes.
    for sql in [
        "UPDATE main.lists SET to_rev = (SELECT min(n.from_rev) FROM main.lists AS n WHERE n.session_pk = lists.session_pk \
         AND n.from_rev > lists.from_rev) WHERE to_rev IS NULL AND archived_at IS NOT NULL",
        "DELETE FROM main.lists WHERE to_rev IS NULL AND archived_at IS NOT NULL",
        "DELETE FROM main.items WHERE text_pk NOT IN (SELECT pk FROM main.texts)",
        "UPDATE main.sessions SET deleted_at = NULL WHERE typeof(deleted_at) NOT IN ('integer', 'null')",
        "UPDATE main.sessions SET active_minute = last_activity_at / 60000, is_unfinished = unfinished > 0, \
         cursor_block = cursor / 1024",
        "UPDATE main.hub SET cursor = max(cursor, (SELECT coalesce(max(cursor), 0) FROM main.sessions))",
    ] {
        sqlx::query(sql).execute(&mut *new).await?;
    }
    for (table, key) in TABLES {
        if key.is_some() && table != "sessions" {
            let mut query = QueryBuilder::<Sqlite>::new("DELETE FROM main.");
            query.push(table).push(" WHERE session_pk NOT IN (SELECT pk FROM main.sessions)");
            query.build().execute(&mut *new).await?;
        }
    }
    make_readable(new).await?;
    let sessions: i64 = sqlx::query_scalar("SELECT count(*) FROM main.sessions").fetch_one(&mut *new).await?;
    Ok(sessions.unsigned_abs())
}

/// Replaces what is no UTF-8 in texts by U+FFFD: SQLite accepts such texts, but reading them as strings fails.
pub(crate) async fn make_readable(connection: &mut SqliteConnection) -> Result<()> {
    let mut replaced = 0;
    for table in WITH_TEXTS {
        for column in text_columns(connection, table).await? {
            let mut after = i64::MIN;
            loop {
                let mut query = QueryBuilder::<Sqlite>::new("SELECT pk, CAST(");
                query.push(&column).push(" AS BLOB) FROM main.").push(table).push(" WHERE pk > ").push_bind(after);
                query.push(" AND ").push(&column).push(" IS NOT NULL ORDER BY pk LIMIT ").push_bind(ROWS);
                let rows: Vec<(i64, Vec<u8>)> = query.build_query_as().fetch_all(&mut *connection).await?;
                let Some((last, _)) = rows.last() else { break };
                after = *last;
                for (row, bytes) in &rows {
                    if let Err(error) = std::str::from_utf8(bytes) {
                        tracing::warn!(table, column, row, %error, "a text of the database cannot be read");
                        let mut query = QueryBuilder::<Sqlite>::new("UPDATE main.");
                        query.push(table).push(" SET ").push(&column).push(" = ");
                        query.push_bind(String::from_utf8_lossy(bytes).into_owned());
                        query.push(" WHERE pk = ").push_bind(row);
                        query.build().execute(&mut *connection).await?;
                        replaced += 1;
                    }
                }
            }
        }
    }
    if replaced > 0 {
        // The search indexes have the old texts; a database of an earlier version has no such index.
        let indexes: Vec<String> =
            sqlx::query_scalar("SELECT name FROM main.sqlite_schema WHERE name IN ('text_search', 'session_search')")
                .fetch_all(&mut *connection)
                .await?;
        for index in indexes {
            let mut query = QueryBuilder::<Sqlite>::new("INSERT INTO ");
            query.push(&index).push(" (").push(&index).push(") VALUES ('rebuild')");
            query.build().execute(&mut *connection).await?;
        }
    }
    Ok(())
}

/// Returns the columns of a table that hold text.
async fn text_columns(connection: &mut SqliteConnection, table: &'static str) -> Result<Vec<String>> {
    let mut query = QueryBuilder::<Sqlite>::new("SELECT name FROM pragma_table_info(");
    query.push_bind(table).push(") WHERE type = 'TEXT'");
    Ok(query.build_query_scalar().fetch_all(connection).await?)
}

async fn copy(new: &mut SqliteConnection, table: &'static str, key: Option<&'static str>) -> Result<()> {
    let columns = columns(new, "main", table).await?;
    let damaged: HashSet<String> = self::columns(new, "damaged", table).await?.into_iter().collect();
    let columns: Vec<String> = columns.into_iter().filter(|name| damaged.contains(name)).collect();
    if columns.is_empty() {
        return Ok(());
    }
    let columns = columns.join(", ");
    let Some(key) = key else { return insert(new, table, &columns, None).await };
    let last = last(new, table, key).await;
    let mut ranges = vec![(1, last)];
    let mut tries = 0;
    while let Some((from, to)) = ranges.pop() {
        tries += 1;
        match insert(new, table, &columns, Some((key, from, to))).await {
            Ok(()) => {}
            Err(error) if !error.is_damage() => return Err(error),
            Err(_) if from == to || tries > TRIES => {}
            Err(_) => {
                let middle = from + (to - from) / 2;
                ranges.push((middle + 1, to));
                ranges.push((from, middle));
            }
        }
    }
    Ok(())
}

/// Returns the largest value of a key, or one that is surely larger if that cannot be read.
async fn last(new: &mut SqliteConnection, table: &'static str, key: &'static str) -> i64 {
    let mut query = QueryBuilder::<Sqlite>::new("SELECT coalesce(max(");
    query.push(key).push("), 0) FROM damaged.").push(table);
    query.build_query_scalar().fetch_one(new).await.unwrap_or(1 << 32)
}

async fn columns(new: &mut SqliteConnection, schema: &'static str, table: &'static str) -> Result<Vec<String>> {
    let mut query = QueryBuilder::<Sqlite>::new("SELECT name FROM pragma_table_info(");
    query.push_bind(table).push(", ").push_bind(schema).push(")");
    Ok(query.build_query_scalar().fetch_all(new).await?)
}

async fn insert(
    new: &mut SqliteConnection,
    table: &'static str,
    columns: &str,
    range: Option<(&'static str, i64, i64)>,
) -> Result<()> {
    let mut query = QueryBuilder::<Sqlite>::new("INSERT OR REPLACE INTO main.");
    query.push(table).push(" (").push(columns).push(") SELECT ").push(columns).push(" FROM damaged.").push(table);
    if let Some((key, from, to)) = range {
        query.push(" WHERE ").push(key).push(" BETWEEN ").push_bind(from).push(" AND ").push_bind(to);
    }
    query.build().execute(new).await.map_err(Error::from)?;
    Ok(())
}
