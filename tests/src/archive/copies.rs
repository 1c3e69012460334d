//! Copies of what was played, with other ids: ten million revisions would take hours to play.

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, SqliteConnection};
use std::path::Path;

/// The tables of an archive that grow with it, each after those that it refers to.
const TABLES: [&str; 8] = ["sessions", "lists", "texts", "items", "revisions", "edits", "callers", "bindings"];

/// Copies all sessions of a database until each is there so many times. They have the texts and times of the first and
/// are found by searches like it.
///
/// # Errors
/// When the file cannot be written.
pub async fn copy(database: &Path, times: u32, mut told: impl FnMut(u32)) -> anyhow::Result<()> {
    let options = SqliteConnectOptions::new()
        .filename(database)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Off)
        .pragma("cache_size", "-1000000")
        .disable_statement_logging();
    let mut connection = options.connect().await?;
    let highest = HighestNumbers::of(&mut connection).await?;
    let mut statements = Vec::new();
    for table in TABLES {
        statements.push(highest.statement(&mut connection, table).await?);
    }
    for copy in 1..times {
        let mut transaction = connection.begin().await?;
        for statement in &statements {
            sqlx::query(AssertSqlSafe(statement.as_str())).bind(copy).execute(&mut *transaction).await?;
        }
        sqlx::query("UPDATE hub SET cursor = cursor + ?").bind(highest.cursor).execute(&mut *transaction).await?;
        transaction.commit().await?;
        told(copy + 1);
    }
    connection.close().await?;
    Ok(())
}

/// The highest numbers in what was played.
struct HighestNumbers {
    cursor: i64,
    session: i64,
    text: i64,
}

impl HighestNumbers {
    async fn of(connection: &mut SqliteConnection) -> anyhow::Result<Self> {
        let highest = "SELECT (SELECT cursor FROM hub), (SELECT max(pk) FROM sessions), (SELECT max(pk) FROM texts)";
        let (cursor, session, text) = sqlx::query_as(highest).fetch_one(connection).await?;
        Ok(Self { cursor, session, text })
    }

    /// The statement that copies the rows of a table. Its parameter is the number of the copy.
    async fn statement(&self, connection: &mut SqliteConnection, table: &str) -> anyhow::Result<String> {
        let columns = format!("SELECT name FROM pragma_table_info('{table}')");
        let columns: Vec<String> = sqlx::query_scalar(AssertSqlSafe(columns)).fetch_all(&mut *connection).await?;
        let own = if columns.iter().any(|column| column == "pk") {
            let highest = format!("SELECT coalesce(max(pk), 0) FROM {table}");
            sqlx::query_scalar(AssertSqlSafe(highest)).fetch_one(connection).await?
        } else {
            0
        };
        // Rows of earlier copies are not copied again.
        let of = if table == "sessions" { "pk" } else { "session_pk" };
        let copied: Vec<String> = columns.iter().map(|column| self.copied(column, own)).collect();
        let (columns, copied) = (columns.join(", "), copied.join(", "));
        Ok(format!("INSERT INTO {table} ({columns}) SELECT {copied} FROM {table} WHERE {of} <= {}", self.session))
    }

    /// The value of a column in a copy; `own` is the highest number in its table.
    fn copied(&self, column: &str, own: i64) -> String {
        let Self { cursor, session, text } = self;
        let other = |id: &str| format!("printf('%08x', ?1) || substr({id}, 9)");
        match column {
            "pk" => format!("pk + ?1 * {own}"),
            "session_pk" => format!("session_pk + ?1 * {session}"),
            "text_pk" => format!("text_pk + ?1 * {text}"),
            "session_id" | "parent_session_id" | "list_id" | "edit_id" => other(column),
            "body" => format!("replace(body, edit_id, {})", other("edit_id")),
            "key" => "key || '~' || ?1".to_owned(),
            "cursor" => format!("cursor + ?1 * {cursor}"),
            "cursor_block" => format!("(cursor + ?1 * {cursor}) / 1024"),
            column => column.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::copy;
    use crate::archive::{Plan, make};
    use anyhow::Result;
    use sqlx::ConnectOptions;
    use sqlx::sqlite::SqliteConnectOptions;

    #[tokio::test]
    async fn copies_are_what_was_played_under_other_ids() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("archive");
        let plan = Plan { sessions: 5, revisions: 100, at_once: 1, seed: 1, until: "2026-11-21T18:00:00Z".parse()? };
        make(plan, &file, |_| {}).await?;
        let mut made = 1;
        copy(&file, 3, |copies| made = copies).await?;
        assert_eq!(made, 3);
        let mut database = SqliteConnectOptions::new().filename(&file).connect().await?;
        let broken: Vec<(String,)> =
            sqlx::query_as("SELECT \"table\" FROM pragma_foreign_key_check").fetch_all(&mut database).await?;
        assert_eq!(broken, []);
        for (what, count) in [
            ("count(DISTINCT session_id) FROM sessions", 15),
            ("count(DISTINCT list_id) FROM sessions", 15),
            ("count(*) FROM revisions", 300),
            ("max(cursor) <= (SELECT cursor FROM hub) FROM sessions", 1),
            // Each step has a text, which is of its own session.
            (
                "count(*) FROM items i LEFT JOIN texts t \
                 ON t.pk = text_pk AND t.uid = i.uid AND t.session_pk = i.session_pk WHERE t.pk IS NULL",
                0,
            ),
            ("count(DISTINCT c) FROM (SELECT count(*) AS c FROM items GROUP BY uid, from_rev HAVING c <> 3)", 0),
        ] {
            let found: i64 =
                sqlx::query_scalar(sqlx::AssertSqlSafe(format!("SELECT {what}"))).fetch_one(&mut database).await?;
            assert_eq!(found, count, "{what}");
        }
        for table in ["text_search", "session_search"] {
            let check = format!("INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)");
            sqlx::query(sqlx::AssertSqlSafe(check)).execute(&mut database).await?;
        }
        Ok(())
    }
}
