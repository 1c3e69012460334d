//! Real files: of every earlier version, of a newer build, damaged; and what each access costs, counted.

use crate::{Append, Error, Filter, Opened, SessionRow, Store, open};
use jiff::Timestamp;
use rstest::rstest;
use session::{Actor, ActorKind, Identity, Life, ListState, ListSummary, Progress, ReportedState, Transport};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, Row, SqliteConnection};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use todo::list::flat;
use todo::{Change, Draft, List, Stamp};
use uuid::Uuid;

mod database_file;
mod hours;

/// A database as a build of that version left it.
async fn of_version(file: &Path, version: &str) -> SqliteConnection {
    let sql =
        std::fs::read_to_string(format!("{}/fixtures/{version}.sql", env!("CARGO_MANIFEST_DIR"))).expect("a fixture");
    let mut connection = connect(file).await;
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut connection).await.expect("it is loaded");
    connection
}

async fn connect(file: &Path) -> SqliteConnection {
    SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .foreign_keys(false)
        .connect()
        .await
        .expect("a file")
}

/// The first version that stores texts by themselves.
const OF_TEXTS: &str = "20261122000000";

/// Each item at each revision, in words, as the tables of that version say it.
async fn items_of(connection: &mut SqliteConnection, version: &str) -> Vec<String> {
    let rows = sqlx::query(if version >= OF_TEXTS {
        "SELECT r.session_pk, r.revision, t.content, i.status, t.id, t.created_at, \
         coalesce(t.active_form, '') AS active, coalesce(t.notes, '') AS notes \
         FROM revisions r JOIN items i ON i.session_pk = r.session_pk AND i.from_rev <= r.revision AND i.to_rev > r.revision \
         JOIN texts t ON t.pk = i.text_pk ORDER BY 1, 2, i.uid"
    } else {
        "SELECT r.session_pk, r.revision, i.content, i.status, i.id, i.created_at, i.rank, \
         coalesce(i.more ->> '$.a', '') AS active, coalesce(i.more ->> '$.n', '') AS notes \
         FROM revisions r JOIN items i ON i.session_pk = r.session_pk AND i.from_rev <= r.revision AND i.to_rev > r.revision \
         ORDER BY 1, 2, i.uid"
    })
    .fetch_all(connection)
    .await
    .expect("rows");
    rows.iter()
        .map(|row| {
            let word = |name: &str| row.get::<String, _>(name);
            let number = |name: &str| row.get::<i64, _>(name);
            format!(
                "{} {} {} {} {} {} {} {}",
                number("session_pk"),
                number("revision"),
                word("id"),
                word("status"),
                number("created_at"),
                word("content"),
                word("active"),
                word("notes")
            )
        })
        .collect()
}

/// Fails where the columns of indexes are not as their session is.
async fn is_indexed(store: &Store) {
    let wrong: Vec<String> = sqlx::query_scalar(
        "SELECT session_id FROM sessions WHERE active_minute <> last_activity_at / 60000 \
         OR is_unfinished <> (unfinished > 0) OR cursor_block <> cursor / 1024",
    )
    .fetch_all(&store.readers)
    .await
    .expect("read");
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[rstest]
#[case("20261121000000")]
#[case("20261121050000")]
#[case("20261121120000")]
#[case("20261121180000")]
#[case("20261122000000")]
#[case("20261122100000")]
#[tokio::test]
async fn a_database_of_an_earlier_version_keeps_everything(#[case] version: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sightline.db");
    let mut old = of_version(&file, version).await;
    let before = items_of(&mut old, version).await;
    assert!(before.len() > 100, "there is something to keep");
    let edits: i64 = sqlx::query_scalar("SELECT count(*) FROM edits").fetch_one(&mut old).await.expect("edits");
    old.close().await.expect("closed");

    let Opened { writer, store, mended } = open(&file, "new").await.expect("it opens");
    assert_eq!(mended, None);
    let sessions = store.sessions(&Filter::default(), None, 10).await.expect("sessions").sessions;
    assert_eq!(sessions.len(), 3);
    let mut after = Vec::new();
    let mut kept = 0;
    for session in sessions.iter().rev() {
        for revision in 1..=session.list.revision {
            let list = store.list_at(session.pk, revision).await.expect("a list");
            let mut items: Vec<_> = flat(&list).map(|(item, _)| item.clone()).collect();
            items.sort_by_key(|item| item.uid);
            after.extend(items.into_iter().map(|item| {
                let (active, notes) =
                    (item.active_form.as_deref().unwrap_or_default(), item.notes.as_deref().unwrap_or_default());
                let created = item.created_at.as_millisecond();
                format!(
                    "{} {revision} {} {} {created} {} {active} {notes}",
                    session.pk,
                    item.id,
                    item.status.name(),
                    item.content
                )
            }));
        }
        let (_, history) = store.history(session.pk).await.expect("a history").expect("it is there");
        kept += history.edits.len();
    }
    assert_eq!(after, before);
    assert_eq!(i64::try_from(kept).expect("a number"), edits);
    is_indexed(&store).await;
    let found = store.search("the", &Filter::default(), None, 10).await.expect("hits");
    // The first session of that version has several lists.
    let lists = if version == "20261122100000" { 6 } else { 3 };
    assert_eq!(found.hits.len(), lists, "what was there before is searched too");
    let backup = folder.path().join(format!("sightline.db.before-{version}"));
    assert_eq!(items_of(&mut connect(&backup).await, version).await, before, "the backup is as it was");
    writer.close().await.expect("closed");
    store.close().await;

    let again = open(&file, "new").await.expect("it opens once more");
    assert_eq!(again.store.db_id(), store.db_id());
}

/// The first session of that version had its lists emptied, loaded into and archived, and a clear undone at once.
#[tokio::test]
async fn the_lists_of_an_earlier_version_become_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sightline.db");
    of_version(&file, "20261122100000").await.close().await.expect("closed");
    let Opened { writer, store, .. } = open(&file, "new").await.expect("it opens");
    let entries = store.entries(&Filter::default(), None, 10).await.expect("lists").entries;
    let mut told = Vec::new();
    for entry in entries.iter().filter(|entry| entry.session.pk == 1) {
        let Some(list) = &entry.ended else { continue };
        let end = list.end.as_ref().expect("it has ended");
        let items = store.list_at(1, end.to_rev - 1).await.expect("a list");
        assert_eq!(items.first().map(|item| item.content.as_str()), Some(end.title.as_str()));
        let counted = todo::progress(&items);
        assert_eq!(usize::try_from(end.progress.completed).ok(), Some(counted.completed));
        assert_eq!(usize::try_from(end.progress.total).ok(), Some(counted.total));
        assert!(
            (end.progress.fraction - counted.fraction).abs() < 1e-9,
            "{} and {}",
            end.progress.fraction,
            counted.fraction
        );
        let unfinished = items.iter().filter(|item| !item.status.is_terminal()).count();
        assert_eq!(usize::try_from(end.unfinished).ok(), Some(unfinished));
        told.push((list.from_rev, end.to_rev));
    }
    assert_eq!(told, [(37, 38), (33, 37), (1, 33)]);
    assert_eq!(store.total_lists(false).await.expect("counted"), 6);
    let present = store.lists(1).await.expect("lists").pop().expect("the present one");
    let session = entries.iter().find(|entry| entry.session.pk == 1).expect("its session");
    assert_eq!((present.end, &present.list_id), (None, &session.session.list.id));
    writer.close().await.expect("closed");
    store.close().await;
}

#[cfg(unix)]
#[tokio::test]
async fn every_file_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sightline.db");
    of_version(&file, "20261121180000").await.close().await.expect("closed");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("set");
    // The rest of a backup that was broken off.
    std::fs::write(folder.path().join("sightline.db.backup-part"), "half").expect("written");
    let opened = open(&file, "new").await.expect("it opens");
    let mut modes: Vec<(String, u32)> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("a file"))
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, entry.metadata().expect("it is there").permissions().mode() & 0o777)
        })
        .collect();
    modes.sort();
    let own = |ending: &str| (format!("sightline.db{ending}"), 0o600);
    assert_eq!(modes, [own(""), own("-shm"), own("-wal"), own(".before-20261121180000")]);
    opened.store.close().await;
}

#[tokio::test]
async fn one_keys_mcp_sessions_make_no_others_forgotten() {
    let folder = tempfile::tempdir().expect("a folder");
    let Opened { mut writer, store, .. } = open(&folder.path().join("sightline.db"), "new").await.expect("it opens");
    let time = |second: i64| Timestamp::from_second(second).expect("a time");
    let mut transaction = writer.begin().await.expect("begun");
    for (second, key) in [(0, Some("theirs")), (1, None)] {
        let id = format!("{key:?}");
        transaction.save_mcp_session(&id, key, "{}", time(second), time(-1)).await.expect("saved");
    }
    for number in 0..5000 {
        let id = number.to_string();
        transaction.save_mcp_session(&id, Some("flood"), "{}", time(2 + number), time(-1)).await.expect("saved");
    }
    transaction.commit().await.expect("committed");
    for (id, is_there) in [("Some(\"theirs\")", true), ("None", true), ("4487", false), ("4488", true), ("4999", true)]
    {
        assert_eq!(store.mcp_session(id).await.expect("read").is_some(), is_there, "{id}");
    }
    store.close().await;
    writer.close().await.expect("closed");
}

#[tokio::test]
async fn a_newer_file_that_only_has_more_is_opened_and_another_says_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sightline.db");
    let Opened { writer, store, .. } = open(&file, "new").await.expect("it opens");
    writer.close().await.expect("closed");
    store.close().await;
    let mut later = connect(&file).await;
    for sql in [
        "ALTER TABLE sessions ADD COLUMN of_tomorrow TEXT",
        "CREATE TABLE tomorrow (pk INTEGER PRIMARY KEY) STRICT",
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (29990101000000, 'more', 1, x'00', 0)",
    ] {
        sqlx::query(sql).execute(&mut later).await.expect(sql);
    }
    let Opened { writer, store, .. } = open(&file, "new").await.expect("it opens");
    writer.close().await.expect("closed");
    store.close().await;
    sqlx::query("PRAGMA user_version = 99").execute(&mut later).await.expect("set");
    later.close().await.expect("closed");
    let before = std::fs::read(&file).expect("the file");
    let refused = open(&file, "new").await.expect_err("it is refused");
    assert!(matches!(refused, Error::Newer(None)), "{refused:?}");
    assert!(refused.to_string().contains("newer Sightline"), "{refused}");
    assert_eq!(std::fs::read(&file).expect("the file"), before, "and left as it is");
}

#[tokio::test]
async fn the_newest_session_of_a_host_is_found_without_looking_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sightline.db");
    let Opened { writer, store, .. } = open(&file, "new").await.expect("it opens");
    let plan = format!("EXPLAIN QUERY PLAN {}", crate::table::hosts::NEWEST);
    let rows = sqlx::query(sqlx::AssertSqlSafe(plan)).bind("box").fetch_all(&mut connect(&file).await).await;
    let steps: Vec<String> = rows.expect("a plan").iter().map(|row| row.get("detail")).collect();
    assert!(
        steps[0].contains("sessions_of_hosts") && !steps.iter().any(|step| step.contains("TEMP B-TREE")),
        "{steps:?}"
    );
    store.close().await;
    writer.close().await.expect("closed");
}

#[tokio::test]
async fn what_cannot_be_backed_up_is_not_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sightline.db");
    let mut old = of_version(&file, "20261121180000").await;
    let before = items_of(&mut old, "20261121180000").await;
    let in_the_way = folder.path().join("sightline.db.before-20261121180000");
    std::fs::create_dir(&in_the_way).expect("a folder");
    let error = open(&file, "new").await.expect_err("it is refused");
    assert!(error.to_string().contains("no backup can be written to"), "{error}");
    assert_eq!(items_of(&mut old, "20261121180000").await, before);
}

/// Overwrites bytes in the middle of a file.
fn damage(file: &Path, from: usize, bytes: usize) {
    let mut content = std::fs::read(file).expect("the file");
    let to = (from + bytes).min(content.len());
    content[from..to].fill(0xa5);
    std::fs::write(file, content).expect("written");
}

async fn migrated(file: &Path) {
    of_version(file, "20261121180000").await.close().await.expect("closed");
    let Opened { writer, store, .. } = open(file, "new").await.expect("it opens");
    writer.close().await.expect("closed");
    store.close().await;
}

/// Windows renames no file that is open, and a damaged one is moved aside.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_refused_database_is_closed_by_the_time_that_this_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sightline.db");
    let mut newer = connect(&file).await;
    sqlx::query("PRAGMA user_version = 1000").execute(&mut newer).await.expect("set");
    newer.close().await.expect("closed");
    let open_files = || -> Vec<_> {
        let all = std::fs::read_dir("/proc/self/fd").expect("a list").flatten();
        let targets = all.filter_map(|entry| std::fs::read_link(entry.path()).ok());
        targets.filter(|target| target.starts_with(folder.path())).collect()
    };
    for _ in 0..50 {
        open(&file, "new").await.expect_err("it is refused");
        assert_eq!(open_files(), Vec::<std::path::PathBuf>::new());
    }
}

#[tokio::test]
async fn a_file_that_is_no_database_is_moved_aside() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sightline.db");
    std::fs::write(&file, "this is no database, but it may be the only copy of something".repeat(200))
        .expect("written");
    let before = std::fs::read(&file).expect("the file");
    let opened = open(&file, "new").await.expect("it opens");
    let mended = opened.mended.expect("it was mended");
    assert_eq!((mended.sessions, std::fs::read(&mended.aside).expect("kept")), (0, before));
    assert_eq!(opened.store.total(false).await.expect("none"), 0);
}

/// Each page of a file in turn, whatever is on it.
#[tokio::test]
async fn whichever_page_is_damaged_the_others_are_taken_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = folder.path().join("whole.db");
    migrated(&whole).await;
    let pages = usize::try_from(std::fs::metadata(&whole).expect("the file").len()).expect("small") / 4096;
    let (mut most, mut mends) = (0, 0);
    for page in (1..pages).step_by(9) {
        let file = folder.path().join(format!("page-{page}.db"));
        std::fs::copy(&whole, &file).expect("copied");
        damage(&file, page * 4096, 4096);
        std::fs::write(folder.path().join(format!("page-{page}.db.suspect")), "").expect("suspected");
        let Opened { writer, store, mended } = open(&file, "new").await.expect("it opens all the same");
        let sessions = store.sessions(&Filter::default(), None, 10).await.expect("sessions").sessions;
        for session in &sessions {
            for revision in [1, session.list.revision] {
                store.list_at(session.pk, revision).await.expect("a list, with gaps");
            }
        }
        store.search("the", &Filter::default(), None, 10).await.expect("hits");
        if let Some(mended) = mended {
            mends += 1;
            assert_eq!(
                mended.sessions,
                store.total(false).await.expect("sessions") + store.total(true).await.expect("deleted")
            );
            most = most.max(mended.sessions);
        }
        writer.close().await.expect("closed");
        store.close().await;
    }
    assert!(mends > 3, "a page is damaged, and this is noticed");
    assert_eq!(most, 3);
}

#[tokio::test]
async fn a_text_that_is_none_is_made_readable() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sightline.db");
    let mut opened = open(&file, "db").await.expect("opened");
    let mut writing = Writing::new(0);
    writing.go_on(&mut opened).await;
    let Opened { writer, store, .. } = opened;
    store.close().await;
    writer.close().await.expect("closed");
    let mut connection = connect(&file).await;
    for sql in [
        "UPDATE sessions SET title = CAST(X'4669FF78' AS TEXT)",
        "UPDATE texts SET content = CAST(X'FF61' AS TEXT) WHERE pk = 1",
    ] {
        sqlx::query(sql).execute(&mut connection).await.expect("damaged");
    }
    connection.close().await.expect("closed");
    let opened = open(&file, "db").await.expect("opened");
    let unreadable = opened.store.sessions(&Filter::default(), None, 10).await.expect_err("it is no text");
    assert!(unreadable.is_damage(), "{unreadable}");
    opened.store.mark_suspect();
    opened.store.close().await;
    opened.writer.close().await.expect("closed");
    let opened = open(&file, "db").await.expect("opened");
    assert_eq!(opened.mended, None, "its pages are whole");
    let sessions = opened.store.sessions(&Filter::default(), None, 10).await.expect("read").sessions;
    assert_eq!(sessions[0].who.title, "Fi\u{fffd}x");
    let items = opened.store.list_at(sessions[0].pk, 1).await.expect("read");
    assert_eq!(items[0].content, "\u{fffd}a");
    let found = opened.store.search("a ", &Filter::default(), None, 10).await.expect("searched");
    assert_eq!(found.hits.len(), 1, "it is found under what it says now");
}

/// A session that is being written, by the rules of lists.
struct Writing {
    row: SessionRow,
    list: List,
}

impl Writing {
    fn new(number: u32) -> Self {
        let who = Identity {
            title: format!("Session {number}"),
            agent_name: ["codex", "gemini-cli"][number as usize % 2].to_owned(),
            folder: Some("/home/ada/code/api".to_owned()),
            project: Some(format!("project-{}", number % 5)),
            created_at: at(number.into()),
            ..Identity::default()
        };
        let life = Life { state: ReportedState::Finished, ..Life::beginning(at(number.into())) };
        let list = ListSummary {
            state: ListState::Active,
            progress: Progress { total: 10, ..Progress::default() },
            unfinished: 1,
            ..ListSummary::empty(format!("list-{number}"))
        };
        let mut row = SessionRow::new(format!("session-{number}"), who, life, list);
        row.cursor = u64::from(number) + 1;
        Self { row, list: List::default() }
    }

    /// Adds a revision: one of ten items goes on, and now and then says something else.
    async fn go_on(&mut self, opened: &mut Opened) {
        let next = self.list.revision + 1;
        let item = |place: u64| {
            let turn = (next + 9 - place) / 10;
            let status = ["pending", "in_progress", "completed"][usize::try_from(turn % 3).unwrap_or_default()];
            serde_json::json!({
                "id": format!("i{place}"),
                "content": format!("Fix the parser of {} {place} {}", self.row.session_id, turn / 5),
                "status": status,
            })
        };
        let drafts = Draft::list(&(0..10).map(item).collect()).expect("a list");
        let mut number = u128::from(self.row.cursor) << 64 | u128::from(next) << 32;
        let mut uid = || {
            number += 1;
            Uuid::from_u128(number)
        };
        let mut stamp = Stamp { now: at(i64::try_from(next).unwrap_or_default()), uid: &mut uid };
        let change = Change::Replace { caller: "agent".to_owned(), drafts };
        let applied = todo::apply(&self.list, change, &mut stamp).expect("it is applied");
        let mut transaction = opened.writer.begin().await.expect("begun");
        self.row.list.revision = applied.list.revision;
        transaction.save_session(&mut self.row).await.expect("stored");
        let actor = Actor { kind: ActorKind::Agent, name: "codex".to_owned(), transport: Transport::Mcp };
        let append = Append {
            before: &self.list.items,
            after: &applied.list.items,
            difference: &applied.difference,
            revision: applied.list.revision,
            at: at(0),
            actor: &actor,
            cause: "todo.write",
        };
        transaction.append(&self.row, &append).await.expect("appended");
        transaction.commit().await.expect("committed");
        self.list = applied.list;
    }
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + seconds).expect("a time")
}

/// Counts what SQLite does, in the instructions of its virtual machine: each row that is read or written costs some.
async fn counting(opened: &mut Opened) -> Arc<AtomicU64> {
    let count = Arc::new(AtomicU64::new(0));
    let counter = || {
        let count = Arc::clone(&count);
        move || {
            count.fetch_add(1, Ordering::Relaxed);
            true
        }
    };
    let mut readers = Vec::new();
    while let Some(mut reader) = opened.store.readers.try_acquire() {
        reader.lock_handle().await.expect("a connection").set_progress_handler(1, counter());
        readers.push(reader);
    }
    while readers.len() < 3 {
        let mut reader = opened.store.readers.acquire().await.expect("a reader");
        reader.lock_handle().await.expect("a connection").set_progress_handler(1, counter());
        readers.push(reader);
    }
    opened.writer.connection.lock_handle().await.expect("a connection").set_progress_handler(1, counter());
    count
}

/// The cost of each access in an archive of so many sessions. Their number has to be above the some fifty rows that the
/// driver reads ahead.
async fn costs(sessions: u32) -> Vec<(&'static str, u64)> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut opened = open(&folder.path().join("sightline.db"), "new").await.expect("it opens");
    let mut last = Writing::new(0);
    for number in 0..sessions {
        last = Writing::new(number);
        for _ in 0..5 {
            last.go_on(&mut opened).await;
        }
    }
    let count = counting(&mut opened).await;
    let mut costs = Vec::new();
    let mut told = |what| costs.push((what, count.swap(0, Ordering::Relaxed)));
    last.go_on(&mut opened).await;
    told("append");
    let store = &opened.store;
    let all = Filter::default();
    let page = store.sessions(&all, None, 5).await.expect("a page");
    told("first page");
    assert_eq!(page.sessions.len(), 5);
    store.sessions(&all, Some((at(90), 91)), 5).await.expect("a page");
    told("deep page");
    let page = store.entries(&all, None, 5).await.expect("a page");
    told("first page of lists");
    assert_eq!(page.entries.len(), 5);
    store.entries(&all, Some((at(90), 0, 91)), 5).await.expect("a page");
    told("deep page of lists");
    let one = Filter { project: Some("project-3".to_owned()), agent: Some("codex".to_owned()), ..Filter::default() };
    let page = store.sessions(&one, None, 2).await.expect("a page");
    told("filtered page");
    assert_eq!(page.sessions.len(), 2);
    store.list_at(last.row.pk, 3).await.expect("a list");
    told("revision");
    store.revisions(last.row.pk, u64::MAX, 5).await.expect("revisions");
    told("revisions");
    store.names().await.expect("names");
    told("names");
    let found = store.search("parser fix", &all, None, 5).await.expect("hits");
    told("search");
    assert_eq!(found.hits.len(), 5);
    costs
}

#[tokio::test]
async fn what_an_access_costs_does_not_depend_on_how_much_there_is() {
    let (small, large) = (costs(100).await, costs(500).await);
    for ((what, few), (_, many)) in small.iter().zip(&large) {
        assert!(*few > 10, "{what} is counted: {few}");
        // Keys of five times as many rows are a little deeper in their trees, which is no instruction.
        // The index of the search is in parts, whose number grows with the logarithm of what is in them.
        let more = if *what == "search" { few / 4 } else { few / 10 };
        assert!(*many <= few + more + 20, "{what}: {few} instructions with 100 sessions, {many} with 500");
    }
}

#[tokio::test]
async fn saving_a_session_writes_the_columns_that_changed_and_no_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let Opened { mut writer, store, .. } = open(&folder.path().join("sightline.db"), "new").await.expect("it opens");
    let mut row = Writing::new(1).row;
    let mut transaction = writer.begin().await.expect("begun");
    transaction.save_session(&mut row).await.expect("stored");
    transaction.commit().await.expect("committed");
    let mut stored = store.session("session-1").await.expect("read").expect("it is there");
    let groups = |row: &SessionRow| (row.who.clone(), row.life.clone(), row.list.clone(), row.marks.clone());
    assert_eq!((stored.pk, groups(&stored)), (row.pk, groups(&row)), "every column is read back");

    // Columns are changed behind the row's back: they stay where they are not written.
    sqlx::query("UPDATE sessions SET branch = 'kept', calls = 7, unfinished = 7, muted = 1")
        .execute(&mut writer.connection)
        .await
        .expect("updated");
    stored.life.state = ReportedState::Waiting;
    stored.marks.pinned = true;
    stored.cursor = 9;
    let mut transaction = writer.begin().await.expect("begun");
    transaction.save_session(&mut stored).await.expect("stored");
    transaction.commit().await.expect("committed");
    let now = store.session("session-1").await.expect("read").expect("it is there");
    assert_eq!((now.life.state, now.marks.pinned, now.cursor), (ReportedState::Waiting, true, 9), "written");
    assert_eq!((now.life.calls, now.marks.muted), (7, true), "left alone, though their groups have changed");
    assert_eq!((now.who.branch.as_deref(), now.list.unfinished), (Some("kept"), 7), "left alone with their groups");

    // The columns of its indexes follow.
    let mut row = now;
    row.life.last_activity_at += jiff::SignedDuration::from_mins(3);
    (row.list.unfinished, row.cursor) = (8, 5_000);
    let mut transaction = writer.begin().await.expect("begun");
    transaction.save_session(&mut row).await.expect("stored");
    transaction.commit().await.expect("committed");
    is_indexed(&store).await;
}
