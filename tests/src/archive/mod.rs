//! A generated archive as after years of use, written through a real hub with a clock of its own.
//!
//! Its content depends on the numbers and the seed alone. The order of its rows also depends on timing, where several
//! runs are played at once.

mod copies;
mod run;
mod words;

pub use copies::copy;

use futures_util::future::join_all;
use hub::{Config, Running};
use jiff::{SignedDuration, Timestamp};
use rand::rngs::StdRng;
use rand::{Rng, RngCore, SeedableRng};
use run::Run;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use uuid::Uuid;

/// Number of days that an archive covers.
const DAYS: i64 = 730;

/// The size of an archive.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Number of sessions.
    pub sessions: u32,
    /// Number of revisions in all sessions together; each session has at least one.
    pub revisions: u32,
    /// Number of runs that are played at a time, in step. More is faster, as one transaction holds a step of each.
    pub at_once: usize,
    /// Seed of the randomness.
    pub seed: u64,
    /// Approximate end of the newest session.
    pub until: Timestamp,
}

/// Makes an archive in a new database file; `told` is called now and then with the number of revisions made so far.
///
/// # Errors
/// When the file cannot be written, or the hub refuses what is asked of it.
pub async fn make(plan: Plan, database: &Path, mut told: impl FnMut(u32)) -> anyhow::Result<()> {
    let mut random = StdRng::seed_from_u64(plan.seed);
    let clock = Arc::new(AtomicI64::new(0));
    let running = start(database, &clock, plan.seed).await?;
    let begin = plan.until - SignedDuration::from_hours(24 * DAYS);
    let mut starts: Vec<Timestamp> = (0..plan.sessions).map(|_| working_time(&mut random, begin)).collect();
    starts.sort_unstable();
    let mut left = plan.revisions;
    let mut waiting = starts.iter().zip(shares(&mut random, plan)).enumerate();
    loop {
        let runs: Vec<_> = waiting.by_ref().take(plan.at_once).collect();
        let Some((_, (start, _))) = runs.first() else { break };
        clock.store(start.as_millisecond(), Ordering::Relaxed);
        let mut runs: Vec<Run> = runs
            .into_iter()
            .map(|(number, (_, revisions))| {
                Run::new(StdRng::seed_from_u64(random.random()), running.hub.clone(), number, revisions)
            })
            .collect();
        while !runs.is_empty() {
            let steps = join_all(runs.iter_mut().map(Run::step)).await;
            let mut made = 0;
            for step in steps {
                made += step?;
            }
            left = left.saturating_sub(made);
            runs.retain(|run| !run.is_over());
            clock.fetch_add(random.random_range(5_000..240_000), Ordering::Relaxed);
        }
        told(plan.revisions - left);
    }
    clock.store(plan.until.as_millisecond(), Ordering::Relaxed);
    running.hub.sweep().await?;
    running.stop().await;
    Ok(())
}

async fn start(database: &Path, clock: &Arc<AtomicI64>, seed: u64) -> anyhow::Result<Running> {
    let now = {
        let clock = Arc::clone(clock);
        move || Timestamp::from_millisecond(clock.load(Ordering::Relaxed)).unwrap_or(Timestamp::UNIX_EPOCH)
    };
    let numbers = Mutex::new(StdRng::seed_from_u64(!seed));
    let uid = {
        let now = now.clone();
        move || {
            let mut bytes = [0; 10];
            numbers.lock().unwrap_or_else(PoisonError::into_inner).fill_bytes(&mut bytes);
            let millis = now().as_millisecond().unsigned_abs();
            uuid::Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
        }
    };
    let config = Config {
        database: database.to_owned(),
        now: Arc::new(now),
        elapsed: Arc::new(std::time::Duration::default),
        uid: Arc::new(uid) as Arc<dyn Fn() -> Uuid + Send + Sync>,
        secret: Arc::new(String::new),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    Ok(hub::start(config).await?)
}

/// A random time in the period, most often on a working day.
fn working_time(random: &mut StdRng, begin: Timestamp) -> Timestamp {
    let mut day = random.random_range(0..DAYS);
    if day % 7 >= 5 && random.random_bool(0.7) {
        day -= 3;
    }
    let hour = if random.random_bool(0.9) { random.random_range(8..19) } else { random.random_range(0..24) };
    begin
        + SignedDuration::from_hours(24 * day.max(0) + hour)
        + SignedDuration::from_millis(random.random_range(0..3_600_000))
}

/// The number of revisions of each session: few for most, very many for some.
fn shares(random: &mut StdRng, plan: Plan) -> Vec<u32> {
    let weights: Vec<f64> = (0..plan.sessions).map(|_| (-random.random::<f64>().max(1e-9).ln()).powf(1.4)).collect();
    let sum: f64 = weights.iter().sum();
    let spare = f64::from(plan.revisions.saturating_sub(plan.sessions));
    let mut given = 0.0;
    let mut before = 0_u32;
    weights
        .iter()
        .map(|weight| {
            // The rounded-off part is added to the next.
            given += spare * weight / sum;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a part of a u32, not negative"
            )]
            let until = given.round() as u32;
            let share = until.saturating_sub(before);
            before = until;
            share + 1
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Plan, make};
    use anyhow::Result;
    use jiff::Timestamp;

    fn plan(seed: u64, at_once: usize) -> Result<Plan> {
        let until: Timestamp = "2026-11-21T18:00:00Z".parse()?;
        Ok(Plan { sessions: 5, revisions: 100, at_once, seed, until })
    }

    #[tokio::test]
    async fn an_archive_has_what_was_asked_for_and_is_the_same_by_its_seed() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let mut archives = Vec::new();
        for (name, seed, at_once) in
            [("one", 1, 1), ("again", 1, 1), ("other", 2, 1), ("three", 1, 3), ("three again", 1, 3)]
        {
            let file = folder.path().join(name);
            let mut last = 0;
            make(plan(seed, at_once)?, &file, |revisions| last = revisions).await?;
            let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&file);
            let mut database = sqlx::ConnectOptions::connect(&options).await?;
            let (sessions, revisions): (i64, i64) =
                sqlx::query_as("SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM revisions)")
                    .fetch_one(&mut database)
                    .await?;
            assert_eq!((sessions, revisions, last), (5, 100, 100));
            let mut items: Vec<(i64, i64, String, String)> =
                sqlx::query_as("SELECT i.from_rev, i.to_rev, status, content FROM items i JOIN texts t ON t.pk = text_pk ORDER BY i.pk")
                    .fetch_all(&mut database)
                    .await?;
            if at_once > 1 {
                items.sort();
            }
            archives.push(items);
        }
        assert_eq!(archives[0], archives[1]);
        assert_ne!(archives[0], archives[2]);
        assert_eq!(archives[3], archives[4]);
        Ok(())
    }
}
