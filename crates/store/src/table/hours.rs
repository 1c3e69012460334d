//! The table `hours`: finished work, counted by the hour as it happens, so that no view counts items or revisions.

use super::{millis, time};
use crate::{Result, Store, Transaction};
use jiff::Timestamp;
use sqlx::Row;

const HOUR_MILLIS: i64 = 3_600_000;

/// The work of an agent in an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Sessions that wrote their first list.
    pub lists: u32,
    /// Items that were completed.
    pub finished: u32,
    /// Items that were skipped or cancelled.
    pub skipped: u32,
    /// Items that were taken up again.
    pub reopened: u32,
    /// The time for which the finished items were in progress, in milliseconds.
    pub worked_ms: u64,
    /// Finished items that had an estimate.
    pub estimated: u32,
    /// The sum of these estimates, in milliseconds.
    pub estimated_ms: u64,
    /// The time for which those items were in progress, in milliseconds.
    pub actual_ms: u64,
}

impl Transaction<'_> {
    /// Adds to the work of an agent in the hour of a time.
    pub async fn add_to_hour(&mut self, at: Timestamp, agent: &str, done: &Tally) -> Result<()> {
        self.touch();
        self.put("INSERT INTO hours (hour, agent_name, lists, finished, skipped, reopened, worked_ms, estimated, estimated_ms, \
             actual_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (hour, agent_name) DO UPDATE SET \
             lists = lists + excluded.lists, finished = finished + excluded.finished, \
             skipped = skipped + excluded.skipped, reopened = reopened + excluded.reopened, \
             worked_ms = worked_ms + excluded.worked_ms, estimated = estimated + excluded.estimated, \
             estimated_ms = estimated_ms + excluded.estimated_ms, actual_ms = actual_ms + excluded.actual_ms").await?
        .bind(millis(at).div_euclid(HOUR_MILLIS))
        .bind(agent)
        .bind(done.lists)
        .bind(done.finished)
        .bind(done.skipped)
        .bind(done.reopened)
        .bind(done.worked_ms.cast_signed())
        .bind(done.estimated)
        .bind(done.estimated_ms.cast_signed())
        .bind(done.actual_ms.cast_signed());
        Ok(())
    }
}

impl Store {
    /// Returns the work by hour and agent, from the hour of `since` and before `until`: the newest `limit` rows, oldest first.
    pub async fn hours(
        &self,
        since: Option<Timestamp>,
        until: Option<Timestamp>,
        limit: u32,
    ) -> Result<Vec<(Timestamp, String, Tally)>> {
        let rows = sqlx::query(
            "SELECT * FROM (SELECT * FROM hours WHERE hour >= ? AND hour * 3600000 < ? ORDER BY hour DESC, agent_name LIMIT ?) \
             ORDER BY hour, agent_name",
        )
        .bind(since.map_or(0, |at| millis(at).div_euclid(HOUR_MILLIS)))
        .bind(until.map_or(i64::MAX, millis))
        .bind(limit)
        .fetch_all(&self.readers)
        .await?;
        let hour = |row: &sqlx::sqlite::SqliteRow| -> Result<_> {
            let count =
                |name: &str| -> Result<u32> { Ok(u32::try_from(row.try_get::<i64, _>(name)?).unwrap_or(u32::MAX)) };
            let long = |name: &str| -> Result<u64> { Ok(row.try_get::<i64, _>(name)?.unsigned_abs()) };
            let done = Tally {
                lists: count("lists")?,
                finished: count("finished")?,
                skipped: count("skipped")?,
                reopened: count("reopened")?,
                worked_ms: long("worked_ms")?,
                estimated: count("estimated")?,
                estimated_ms: long("estimated_ms")?,
                actual_ms: long("actual_ms")?,
            };
            Ok((time(row.try_get::<i64, _>("hour")?.saturating_mul(HOUR_MILLIS)), row.try_get("agent_name")?, done))
        };
        rows.iter().map(hour).collect()
    }
}
