//! The work of the newest hour, which is in the row that every change writes.

use super::connect;
use crate::{Opened, Tally, open};
use jiff::Timestamp;
use std::path::Path;

/// The hour that the tests begin in, and a moment of it.
const HOUR: i64 = 472_222;

fn hour(number: i64) -> Timestamp {
    Timestamp::from_second((HOUR + number) * 3_600 + 1_234).expect("a time")
}

async fn opened(folder: &Path) -> Opened {
    open(&folder.join("sightline.db"), "new").await.expect("it opens")
}

/// Adds a finished item in each of these hours, in one transaction.
async fn finish(opened: &mut Opened, done: &[(i64, &str)]) {
    let mut transaction = opened.writer.begin().await.expect("begun");
    for (number, agent) in done {
        let done = Tally { finished: 1, worked_ms: 5, ..Tally::default() };
        transaction.add_to_hour(hour(*number), agent, &done).await.expect("added");
    }
    transaction.commit().await.expect("committed");
}

/// The finished items by hour and agent, and in how many rows of the table they are.
async fn finished(opened: &Opened, folder: &Path) -> (Vec<(i64, String, u32)>, i64) {
    let hours = opened.store.hours(None, None, 1_000).await.expect("hours");
    let hours = hours.into_iter().map(|(at, agent, done)| {
        assert_eq!(done.worked_ms, u64::from(done.finished) * 5);
        (at.as_second() / 3_600 - HOUR, agent, done.finished)
    });
    let hours = hours.collect();
    let mut connection = connect(&folder.join("sightline.db")).await;
    let rows = sqlx::query_scalar("SELECT count(*) FROM hours").fetch_one(&mut connection).await.expect("a count");
    (hours, rows)
}

fn of(hour: i64, agent: &str, finished: u32) -> (i64, String, u32) {
    (hour, agent.to_owned(), finished)
}

#[tokio::test]
async fn the_work_of_the_newest_hour_is_told_before_it_is_in_the_table_and_after_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut first = opened(folder.path()).await;
    finish(&mut first, &[(0, "codex"), (0, "claude"), (0, "codex")]).await;
    let expected = vec![of(0, "claude", 1), of(0, "codex", 2)];
    assert_eq!(finished(&first, folder.path()).await, (expected.clone(), 0));
    first.store.close().await;
    first.writer.close().await.expect("closed");

    let mut second = opened(folder.path()).await;
    assert_eq!(finished(&second, folder.path()).await, (expected, 0));
    finish(&mut second, &[(0, "codex"), (1, "codex"), (1, "codex")]).await;
    let expected = vec![of(0, "claude", 1), of(0, "codex", 3), of(1, "codex", 2)];
    assert_eq!(finished(&second, folder.path()).await, (expected, 2));
}

#[tokio::test]
async fn work_of_an_earlier_hour_is_added_to_its_row_and_of_no_transaction_that_was_abandoned() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut opened = opened(folder.path()).await;
    finish(&mut opened, &[(2, "codex"), (0, "codex"), (2, "codex"), (0, "codex")]).await;
    let mut abandoned = opened.writer.begin().await.expect("begun");
    let done = Tally { finished: 7, ..Tally::default() };
    abandoned.add_to_hour(hour(2), "codex", &done).await.expect("added");
    abandoned.add_to_hour(hour(3), "codex", &done).await.expect("added");
    abandoned.abandon().await.expect("abandoned");
    finish(&mut opened, &[(2, "codex")]).await;
    assert_eq!(finished(&opened, folder.path()).await, (vec![of(0, "codex", 2), of(2, "codex", 3)], 1));
}

#[tokio::test]
async fn many_agents_of_one_hour_do_not_make_the_row_long() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut opened = opened(folder.path()).await;
    let agents: Vec<String> = (0..40).map(|number| format!("agent {number:02}")).collect();
    for _ in 0..2 {
        let done: Vec<(i64, &str)> = agents.iter().map(|agent| (0, agent.as_str())).collect();
        finish(&mut opened, &done).await;
    }
    let expected: Vec<_> = agents.iter().map(|agent| of(0, agent, 2)).collect();
    assert_eq!(finished(&opened, folder.path()).await, (expected, 24));
}
