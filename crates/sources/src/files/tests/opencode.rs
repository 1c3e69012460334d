//! The database as it was written, one change after the other.

use super::*;
use serde_json::json;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};

const SESSION: &str = "ses_e045d84c5ffefL0H0bVPlo51s6";

/// A database as opencode opens it.
async fn writer(path: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(path).create_if_missing(true).foreign_keys(false);
    let options = options.journal_mode(SqliteJournalMode::Wal).pragma("wal_autocheckpoint", "0");
    options.connect().await.expect("a database")
}

async fn run(connection: &mut SqliteConnection, sql: &str) {
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await.expect("it is written");
}

fn changes() -> Vec<String> {
    recording("opencode/opencode.sql").lines().filter(|line| !line.starts_with("--")).map(str::to_owned).collect()
}

/// All of it, and nobody writes.
pub(super) async fn recorded() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("opencode.db");
    let mut connection = writer(&path).await;
    for change in changes() {
        run(&mut connection, &change).await;
    }
    connection.close().await.expect("it is closed");
    (folder, path)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").filter_map(Result::ok);
    let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect::<Vec<_>>();
    names.sort();
    names
}

#[tokio::test]
async fn live_beside_the_writer_it_tells_what_it_tells_at_once() {
    let (_folder, finished) = recorded().await;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("opencode.db");
    let mut connection = writer(&path).await;
    let mut reader = Reader::open(OPENCODE, &path);
    let mut told = Vec::new();
    for change in changes() {
        run(&mut connection, &change).await;
        told.extend(rest(&mut reader).await);
    }
    check(&told);
    let what = |told: &[Observation]| told.iter().map(|told| (told.at, told.observed.clone())).collect::<Vec<_>>();
    assert_eq!(what(&told), what(&read(OPENCODE, &finished).await));
    assert_eq!(rest(&mut reader).await, [], "nothing is new");
}

#[tokio::test]
async fn what_was_before_a_time_is_left_out() {
    let (_folder, path) = recorded().await;
    let all = read(OPENCODE, &path).await;
    for (i, from) in all.iter().enumerate() {
        let mut reader = Reader::open(OPENCODE, &path).since(from.at);
        assert_eq!(rest(&mut reader).await, all[i..]);
    }
    // All parts that were added long before are passed over.
    let later = all.last().expect("something is told").at + jiff::Span::new().hours(2);
    let mut connection = writer(&path).await;
    let mut reader = Reader::open(OPENCODE, &path).since(later);
    run(&mut connection, "UPDATE part SET data = '{';").await;
    assert_eq!(rest(&mut reader).await, []);
    assert_eq!(reader.passed_over(), 0);
    let (at, data) = (later.as_millisecond(), r#"{"type":"step-finish","reason":"stop"}"#);
    run(&mut connection, &format!("INSERT INTO part VALUES ('prt_x', 'm', '{SESSION}', {at}, {at}, '{data}');")).await;
    assert_eq!(story(&rest(&mut reader).await), ["Rests"]);
}

#[tokio::test]
async fn it_tells_the_tokens_of_its_sessions() {
    let (_folder, path) = recorded().await;
    let mut connection = writer(&path).await;
    let session = "UPDATE session SET cost = 0.42, tokens_input = 6000, tokens_output = 300, tokens_reasoning = 20, \
         tokens_cache_read = 40000, tokens_cache_write = 100, model = '{\"id\":\"opus\",\"providerID\":\"p\"}';";
    run(&mut connection, session).await;
    let (at, tokens) =
        (i64::MAX / 4_000_000, r#"{"input":500,"output":9,"reasoning":0,"cache":{"read":45000,"write":500}}"#);
    let data = format!(r#"{{"type":"step-finish","reason":"stop","tokens":{tokens},"cost":0}}"#);
    run(&mut connection, &format!("INSERT INTO part VALUES ('prt_x', 'm', '{SESSION}', {at}, {at}, '{data}');")).await;
    let told = read(OPENCODE, &path).await;
    let usage = told.last().and_then(|last| last.run.usage.clone()).expect("it is told");
    assert_eq!((usage.model.as_deref(), usage.micro_dollars), (Some("opus"), Some(420_000)));
    assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), (Some(46_100), Some(40_000), Some(320)));
    assert_eq!((usage.context_tokens, usage.context_window), (Some(46_000), None));
    // A version before it kept them.
    for column in ["cost", "tokens_input"] {
        run(&mut connection, &format!("ALTER TABLE session DROP COLUMN {column};")).await;
    }
    let told = read(OPENCODE, &path).await;
    let usage = told.last().and_then(|last| last.run.usage.clone()).expect("it is told");
    assert_eq!((usage.context_tokens, usage.input_tokens, usage.model), (Some(46_000), None, None));
}

#[tokio::test]
async fn without_its_log_there_is_nothing_and_nothing_is_made() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("opencode.db");
    let mut connection = writer(&path).await;
    for change in changes() {
        run(&mut connection, &change).await;
    }
    assert_eq!(lists(&read(OPENCODE, &path).await).len(), 6, "with it");
    let alone = tempfile::tempdir().expect("a folder");
    let copy = alone.path().join("opencode.db");
    fs::copy(&path, &copy).expect("it is copied");
    assert_eq!(read(OPENCODE, &copy).await, []);
    assert_eq!(names(alone.path()), ["opencode.db"]);
    connection.close().await.expect("it is closed");
    assert_eq!(names(folder.path()), ["opencode.db"], "the writer could clean up");
    assert_eq!(lists(&read(OPENCODE, &path).await).len(), 6, "all is in it now");
    assert_eq!(names(folder.path()), ["opencode.db"]);
}

#[tokio::test]
async fn a_list_that_no_call_says_is_told_from_the_table() {
    let (_folder, path) = recorded().await;
    let mut connection = writer(&path).await;
    let mut reader = Reader::open(OPENCODE, &path);
    rest(&mut reader).await;
    let item = |status: &str, at: i64| {
        format!("DELETE FROM todo; INSERT INTO todo VALUES ('{SESSION}', 'Sweep', '{status}', 'low', 0, {at}, {at});")
    };
    run(&mut connection, &item("pending", 1_795_223_200_000)).await;
    let told = rest(&mut reader).await;
    check(&told);
    assert_eq!(lists(&told), [json!([{"content": "Sweep", "status": "pending", "priority": "low"}])]);
    assert_eq!(told[0].at.as_millisecond(), 1_795_223_200_000);
    run(&mut connection, &item("pending", 1_795_223_201_000)).await;
    assert_eq!(rest(&mut reader).await, [], "the same once more");
    // While a call is under way its end tells.
    let call = |status: &str| {
        let data = json!({"type": "tool", "tool": "todowrite", "state": {"status": status, "time": {"end": 1_795_223_202_009_i64},
            "input": {"todos": [{"content": "Sweep", "status": "completed", "priority": "low"}]}, "output": "[]"}});
        format!(
            "INSERT INTO part VALUES ('prt_x', 'msg_x', '{SESSION}', 1, 1, '{data}') ON CONFLICT (id) DO UPDATE SET data = excluded.data;"
        )
    };
    run(&mut connection, &call("running")).await;
    run(&mut connection, &item("completed", 1_795_223_202_000)).await;
    assert_eq!(rest(&mut reader).await, []);
    run(&mut connection, &call("completed")).await;
    let told = rest(&mut reader).await;
    assert_eq!(story(&told), ["todowrite 1"]);
    assert_eq!(told[0].at.as_millisecond(), 1_795_223_202_009);
}

#[tokio::test]
async fn a_call_that_came_to_nothing_leaves_the_list_to_the_table() {
    let (_folder, path) = recorded().await;
    let mut connection = writer(&path).await;
    let mut reader = Reader::open(OPENCODE, &path);
    rest(&mut reader).await;
    let part = |status: &str| {
        let data = json!({"type": "tool", "tool": "todowrite", "state": {"status": status, "input": {}, "error": "aborted", "time": {"end": 1_795_223_400_000_i64}}});
        format!(
            "INSERT INTO part VALUES ('prt_x', 'm', '{SESSION}', 1, 1, '{data}') ON CONFLICT (id) DO UPDATE SET data = excluded.data;"
        )
    };
    let item = |session: &str, at: i64| {
        format!("INSERT INTO todo VALUES ('{session}', 'Sweep', 'pending', 'low', 9, {at}, {at});")
    };
    run(&mut connection, &part("running")).await;
    run(&mut connection, &item(SESSION, 1_795_223_300_000)).await;
    run(&mut connection, &item("ses_other", 1_795_223_390_000)).await;
    let told = rest(&mut reader).await;
    assert_eq!((story(&told), told[0].run.own_session.as_str()), (vec!["todowrite 1".to_owned()], "ses_other"));
    run(&mut connection, &part("error")).await;
    assert_eq!(story(&rest(&mut reader).await), ["Worked", "todowrite 5"]);
}

#[tokio::test]
async fn subagents_results_of_ours_and_failed_calls() {
    let (_folder, path) = recorded().await;
    let mut connection = writer(&path).await;
    let mut reader = Reader::open(OPENCODE, &path);
    rest(&mut reader).await;
    let session = "INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, time_created, time_updated) \
        SELECT 'ses_sub', project_id, id, 's', directory, 'Child session - 1', version, 1, 1 FROM session;";
    run(&mut connection, session).await;
    run(&mut connection, r#"INSERT INTO message VALUES ('msg_sub', 'ses_sub', 10, 10, '{"role":"user"}');"#).await;
    let named = format!("Updated.\n{LINE}");
    let parts = [
        json!({"type": "text", "text": "Look at the tests."}),
        json!({"type": "text", "text": "and this", "synthetic": true}),
        json!({"type": "tool", "tool": "sightline_todo_write", "state": {"status": "completed", "input": {}, "output": named}}),
        json!({"type": "tool", "tool": "read", "state": {"status": "completed", "input": {}, "output": named}}),
        json!({"type": "tool", "tool": "todowrite", "state": {"status": "error", "input": {"todos": [{"content": "x"}]}, "error": "no"}}),
        json!({"type": "tool", "tool": "bash", "state": {"status": "error", "error": "no"}}),
        json!({"type": "step-finish", "reason": "tool-calls"}),
        json!({"type": "step-finish", "reason": "length"}),
        json!(["odd"]),
    ];
    for (i, part) in parts.iter().enumerate() {
        let insert = "INSERT INTO part VALUES (?1, 'msg_sub', 'ses_sub', 20, 20, ?2)";
        sqlx::query(insert).bind(i.to_string()).bind(part.to_string()).execute(&mut connection).await.expect("a part");
    }
    let told = rest(&mut reader).await;
    check(&told);
    assert_eq!(story(&told), ["Worked", &format!("read {SECRET}"), "tool", "Worked", "tool", "Rests"]);
    assert_eq!(told[0].run.parent.as_deref(), Some(SESSION));
    assert_eq!(told[0].run.title.as_deref(), Some("Look at the tests."));
}

#[tokio::test]
async fn parts_whose_numbers_are_used_again_are_told() {
    let (_folder, path) = recorded().await;
    let mut connection = writer(&path).await;
    let mut reader = Reader::open(OPENCODE, &path);
    rest(&mut reader).await;
    run(&mut connection, "DELETE FROM part WHERE rowid > 5;").await;
    assert_eq!(rest(&mut reader).await, []);
    let part = json!({"type": "tool", "tool": "bash", "state": {"status": "completed", "time": {"end": 1_795_223_300_000_i64}}});
    run(&mut connection, &format!("INSERT INTO part VALUES ('prt_y', 'm', '{SESSION}', 1, 1, '{part}');")).await;
    assert_eq!(story(&rest(&mut reader).await), ["tool"]);
}

#[tokio::test]
async fn what_is_no_database_of_opencode_1_says_why() {
    let (folder, path) =
        placed("opencode.db", b"this is no database, but long enough to be asked whether it is one, is it not");
    let mut reader = Reader::open(OPENCODE, &path);
    assert_eq!(reader.look().await.expect("that is no error"), []);
    assert!(reader.unreadable().expect("it is said").contains("not a database"));
    let second = folder.path().join("second.db");
    let mut connection = writer(&second).await;
    run(&mut connection, "CREATE TABLE session (id text);").await;
    let mut reader = Reader::open(OPENCODE, &second);
    assert_eq!(reader.look().await.expect("that is no error"), []);
    assert_eq!(reader.unreadable().as_deref(), Some("it has no lists: only opencode 1 keeps them"));
    run(&mut connection, "DROP TABLE session;").await;
    for change in changes() {
        run(&mut connection, &change).await;
    }
    assert_eq!(lists(&rest(&mut reader).await).len(), 6, "once it has them they are read");
    assert_eq!(reader.unreadable(), None);
}

#[tokio::test]
async fn a_writer_that_holds_it_stops_nobody() {
    let (_folder, path) = recorded().await;
    let mut connection = writer(&path).await;
    run(&mut connection, "BEGIN IMMEDIATE; DELETE FROM todo; DELETE FROM part;").await;
    assert_eq!(lists(&read(OPENCODE, &path).await).len(), 6, "as it was before");
    run(&mut connection, "ROLLBACK;").await;
}

#[tokio::test]
async fn odd_rows_are_passed_over() {
    let (_folder, path) = recorded().await;
    let mut connection = writer(&path).await;
    let insert = "INSERT INTO part VALUES (?1, 'm', 'ses_odd', 1795223300000, 1, ?2)";
    for (i, data) in ["{", "\u{0}", "null", &"x".repeat(9_000_000), &"[".repeat(5_000)].iter().enumerate() {
        sqlx::query(insert).bind(format!("odd{i}")).bind(*data).execute(&mut connection).await.expect("a part");
    }
    run(&mut connection, "INSERT INTO message VALUES ('m', 'ses_odd', 'soon', x'ff', '{');").await;
    run(&mut connection, "INSERT INTO todo VALUES ('ses_odd', x'ff00', 'x', '', 0, 'then', 'now');").await;
    let part = json!({"type": "tool", "tool": "bash", "state": {"status": "completed"}});
    sqlx::query(insert).bind("good").bind(part.to_string()).execute(&mut connection).await.expect("a part");
    let mut reader = Reader::open(OPENCODE, &path);
    let told = rest(&mut reader).await;
    check(&told);
    let recorded = told.iter().filter(|told| told.run.own_session == SESSION).cloned().collect::<Vec<_>>();
    assert_eq!(lists(&recorded).len(), 6);
    assert!(told.iter().any(
        |told| told.run.own_session == "ses_odd" && matches!(told.observed, Observed::Happened { tool: true, .. })
    ));
    assert_eq!(reader.passed_over(), 4);
    assert_eq!(reader.unreadable(), None);
}
