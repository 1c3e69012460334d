//! The events of a session and the database beside them, as they were written.

use super::*;
use serde_json::json;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions};

const COPILOT: &dyn Agent = &agents::copilot::Copilot;
const SESSION: &str = "27844ee3-6403-4515-9cbf-7d28eb3d5fe3";
const TITLE: &str = "Prepare the release. Keep a list of the steps.";

/// A session's folder with its recorded events, and its database as Copilot opens it.
async fn session() -> (tempfile::TempDir, PathBuf, SqliteConnection) {
    let (folder, events) =
        placed(&format!("session-state/{SESSION}/events.jsonl"), recording("copilot/events.jsonl").as_bytes());
    let path = events.with_file_name("session.db");
    let options = SqliteConnectOptions::new().filename(&path).create_if_missing(true);
    let connection = options.connect().await.expect("a database");
    (folder, path, connection)
}

async fn run(connection: &mut SqliteConnection, sql: &str) {
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await.expect("it is written");
}

fn changes() -> Vec<String> {
    recording("copilot/session.sql").lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn the_list_is_told_as_the_model_writes_it() {
    let (_folder, path, mut connection) = session().await;
    let mut reader = Reader::open(COPILOT, &path);
    let mut told = Vec::new();
    for change in changes() {
        run(&mut connection, &change).await;
        told.extend(rest(&mut reader).await);
    }
    check(&told);
    assert_eq!(story(&told), ["sql 3", "sql 3", "sql 3", "sql 2"], "an empty table is no list");
    assert_eq!(
        lists(&told)[2],
        json!([
            {"id": "read-notes", "content": "Reading the release notes", "description": "Read CHANGES and what is open",
             "status": "done"},
            {"id": "bump-version", "content": "Bumping the version number", "description": "In package.json",
             "status": "in_progress"},
            {"id": "run-tests", "content": "Running the test suite", "status": "pending", "dependsOn": ["bump-version"]},
        ])
    );
    for told in &told {
        let known = [&told.run.title, &told.run.folder, &told.run.version].map(Option::as_deref);
        assert_eq!(known, [Some(TITLE), Some("/home/u/billing"), Some("1.0.102")]);
        assert_eq!((told.run.own_session.as_str(), &told.run.parent), (SESSION, &None));
    }
    assert_eq!(reader.unreadable(), None);
    let last = told.last().expect("there are some");
    let again = read(COPILOT, &path).await;
    assert_eq!((lists(&again), again[0].at), (lists(&told[3..]), last.at), "read anew it is the same");
    run(&mut connection, "UPDATE todos SET updated_at = datetime('now'); CREATE TABLE tests (name TEXT)").await;
    assert_eq!(rest(&mut reader).await, [], "nothing of the list has changed");
    run(&mut connection, "DELETE FROM todos").await;
    assert_eq!(story(&rest(&mut reader).await), ["sql 0"], "it is empty now");
}

#[tokio::test]
async fn a_database_for_something_else_has_no_list() {
    let (_folder, path, mut connection) = session().await;
    run(&mut connection, "CREATE TABLE tests (name TEXT); INSERT INTO tests VALUES ('one')").await;
    let mut reader = Reader::open(COPILOT, &path);
    assert_eq!((rest(&mut reader).await, reader.unreadable()), (Vec::new(), None));
    run(&mut connection, "CREATE TABLE todos (id TEXT PRIMARY KEY, note TEXT) WITHOUT ROWID").await;
    assert_eq!(rest(&mut reader).await, []);
    assert!(reader.unreadable().is_some(), "it is not the table that we know");
}

#[tokio::test]
async fn texts_that_are_too_long_are_left_out() {
    let (_folder, path, mut connection) = session().await;
    for change in &changes()[..3] {
        run(&mut connection, change).await;
    }
    run(&mut connection, "UPDATE todos SET title = printf('%.*c', 70000, 'x') WHERE id = 'bump-version'").await;
    let mut reader = Reader::open(COPILOT, &path);
    assert_eq!(story(&rest(&mut reader).await), ["sql 2"]);
    assert_eq!(reader.passed_over(), 1);
}

#[test]
fn each_session_has_a_folder_with_both() {
    let of = |path: &str| COPILOT.transcript_of(Path::new(path));
    let session = Path::new("/home/u/.copilot/session-state/ID");
    for name in ["session.db", "session.db-journal", "session.db-wal", "session.db-shm"] {
        assert_eq!(of(session.join(name).to_str().expect("text")), Some(session.join("session.db")));
    }
    assert_eq!(of("/home/u/.copilot/session-state/ID/events.jsonl"), Some(session.join("events.jsonl")));
    for other in ["ID/workspace.yaml", "ID/files/events.jsonl", "events.jsonl", ".session-operation-locks/ID.lock"] {
        assert_eq!(of(&format!("/home/u/.copilot/session-state/{other}")), None, "{other}");
    }
}
