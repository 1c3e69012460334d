//! Files that go away while they are open.

use super::Writing;
use crate::{Filter, Opened, Store, open};
use std::path::Path;
use todo::Item;
#[cfg(unix)]
use {
    crate::Error,
    crate::database_file::{DatabaseFile, PutBackAt},
    rstest::rstest,
    sqlx::SqliteConnection,
};

async fn contents(store: &Store, pk: i64, revisions: u64) -> Vec<Vec<Item>> {
    let mut lists = Vec::new();
    for revision in 1..=revisions {
        lists.push(store.list_at(pk, revision).await.expect("read"));
    }
    lists
}

async fn all_is_there(file: &Path, written: &Writing) {
    let Opened { writer, store, mended } = open(file, "another").await.expect("opened");
    assert_eq!(mended, None);
    let sessions = store.sessions(&Filter::default(), None, 10).await.expect("read").sessions;
    assert_eq!(sessions.iter().map(|row| row.list.revision).collect::<Vec<_>>(), [written.row.list.revision]);
    assert_eq!(contents(&store, sessions[0].pk, written.row.list.revision).await.last(), Some(&written.list.items));
    store.close().await;
    writer.close().await.expect("closed");
}

#[rstest]
#[case::all(&["", "-wal", "-shm"])]
#[case::the_database(&[""])]
#[case::its_log(&["-wal"])]
#[case::its_memory(&["-shm"])]
#[case::what_is_beside(&["-wal", "-shm"])]
#[tokio::test]
#[cfg(unix)]
async fn what_is_deleted_is_put_back(#[case] gone: &[&str], #[values(true, false)] goes_on: bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sightline.db");
    let mut opened = open(&file, "db").await.expect("opened");
    let mut writing = Writing::new(0);
    for _ in 0..3 {
        writing.go_on(&mut opened).await;
    }
    for ending in gone {
        std::fs::remove_file(crate::open::with(&file, ending)).expect("deleted");
    }
    let before = contents(&opened.store, writing.row.pk, 3).await;
    if goes_on {
        for _ in 0..3 {
            writing.go_on(&mut opened).await;
        }
        assert_eq!(contents(&opened.store, writing.row.pk, 3).await, before, "what was there before");
        let now = opened.store.list_at(writing.row.pk, 6).await.expect("read");
        assert_eq!(now, writing.list.items, "readers see what is written now");
    }
    // The last one to go leaves no log behind that is not the file's.
    let Opened { writer, store, .. } = opened;
    store.close().await;
    writer.close().await.expect("closed");
    let left: Vec<String> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(left, ["sightline.db"]);
    all_is_there(&file, &writing).await;
}

#[tokio::test]
#[cfg(unix)]
async fn a_connection_that_is_not_yet_one_to_what_was_put_back_becomes_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sightline.db");
    let mut opened = open(&file, "db").await.expect("opened");
    Writing::new(0).go_on(&mut opened).await;
    opened.store.close().await;
    opened.writer.close().await.expect("closed");
    let mut connection = super::connect(&file).await;
    let cursor = async |connection: &mut SqliteConnection| -> i64 {
        sqlx::query_scalar("SELECT cursor FROM hub").fetch_one(connection).await.expect("read")
    };
    let known = cursor(&mut connection).await;
    let mut database = DatabaseFile::new(&file, PutBackAt::default());
    std::fs::remove_file(&file).expect("deleted");
    database.put_back(&mut connection).await.expect("put back");
    // Somebody reads it before it could be opened anew.
    let mut reader = super::connect(&file).await;
    assert_eq!(cursor(&mut reader).await, known);
    database.put_back_if_deleted(&mut connection).await.expect("it is the same file");
    sqlx::query("UPDATE hub SET cursor = 99").execute(&mut connection).await.expect("written");
    assert_eq!(cursor(&mut reader).await, 99);
    assert!(database.is_in_place().expect("the same file"));
}

#[tokio::test]
#[cfg(unix)]
async fn what_is_in_its_place_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sightline.db");
    let mut opened = open(&file, "db").await.expect("opened");
    let mut writing = Writing::new(0);
    writing.go_on(&mut opened).await;
    let aside = folder.path().join("aside");
    std::fs::rename(&file, &aside).expect("moved");
    std::fs::write(&file, "somebody's own").expect("written");
    let refused = opened.writer.begin().await.expect_err("another file");
    assert!(matches!(refused, Error::Replaced(_)), "{refused}");
    assert!(refused.to_string().contains("another file was put in the place"), "{refused}");
    assert_eq!(std::fs::read_to_string(&file).expect("read"), "somebody's own");
    // Back in its place it is gone on with.
    std::fs::rename(&aside, &file).expect("moved back");
    writing.go_on(&mut opened).await;
    let Opened { writer, store, .. } = opened;
    store.close().await;
    writer.close().await.expect("closed");
    all_is_there(&file, &writing).await;
}

#[tokio::test]
#[cfg(unix)]
async fn what_was_acknowledged_goes_where_its_file_went() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sightline.db");
    let mut opened = open(&file, "db").await.expect("opened");
    let mut writing = Writing::new(0);
    writing.go_on(&mut opened).await;
    let aside = folder.path().join("aside.db");
    std::fs::rename(&file, &aside).expect("moved");
    std::fs::write(&file, "somebody's own").expect("written");
    let Opened { writer, store, .. } = opened;
    store.close().await;
    let refused = writer.close().await.expect_err("another file");
    assert!(matches!(refused, Error::Replaced(_)), "{refused}");
    assert_eq!(std::fs::read_to_string(&file).expect("read"), "somebody's own");
    assert!(!crate::open::with(&file, "-wal").exists(), "a log would be read into the other file");
    all_is_there(&aside, &writing).await;
}

#[tokio::test]
async fn a_transaction_that_sqlite_ended_by_itself_spoils_nothing_after_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sightline.db");
    let mut opened = open(&file, "db").await.expect("opened");
    let mut writing = Writing::new(0);
    writing.go_on(&mut opened).await;
    for _ in 0..3 {
        let mut transaction = opened.writer.begin().await.expect("begun");
        // As it does itself where the disk is full.
        sqlx::query("ROLLBACK").execute(&mut *transaction.now().await.expect("a connection")).await.expect("ended");
        transaction.commit().await.expect_err("there is nothing to commit");
    }
    let transaction = opened.writer.begin().await.expect("begun");
    transaction.abandon().await.expect("abandoned");
    writing.go_on(&mut opened).await;
    // Another program sees it at once: it is committed, and not only in a transaction that is open still.
    let mut other = super::connect(&file).await;
    let newest: i64 =
        sqlx::query_scalar("SELECT max(revision) FROM revisions").fetch_one(&mut other).await.expect("read");
    assert_eq!(newest, 2);
    drop(other);
    let Opened { writer, store, .. } = opened;
    store.close().await;
    writer.close().await.expect("closed");
    all_is_there(&file, &writing).await;
}
