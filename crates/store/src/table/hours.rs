//! The table `hours`: finished work, counted by the hour as it happens, so that no view counts items or revisions. That of
//! the newest hour is in the row `hub`, which every change writes anyway.

use super::{millis, time};
use crate::{Result, Store, Transaction};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::Row;
use std::cmp::Ordering;
use std::collections::BTreeMap;

const HOUR_MILLIS: i64 = 3_600_000;

/// Agents whose work is in the row `hub`; that of more is in the table at once.
const AGENTS: usize = 16;

/// The work of an agent in an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "[u64; 8]", from = "[u64; 8]")]
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

/// The work of the newest hour, by agents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct NewestHour {
    pub(crate) hour: i64,
    pub(crate) work: BTreeMap<String, Tally>,
}

impl Tally {
    fn add(&mut self, more: &Self) {
        let sum: [u64; 8] =
            std::array::from_fn(|at| <[u64; 8]>::from(*self)[at].saturating_add(<[u64; 8]>::from(*more)[at]));
        *self = sum.into();
    }
}

/// The columns of a row, after its hour and its agent.
impl From<Tally> for [u64; 8] {
    fn from(it: Tally) -> Self {
        let [lists, finished, skipped, reopened, estimated] =
            [it.lists, it.finished, it.skipped, it.reopened, it.estimated].map(u64::from);
        [lists, finished, skipped, reopened, it.worked_ms, estimated, it.estimated_ms, it.actual_ms]
    }
}

impl From<[u64; 8]> for Tally {
    fn from([lists, finished, skipped, reopened, worked_ms, estimated, estimated_ms, actual_ms]: [u64; 8]) -> Self {
        let [lists, finished, skipped, reopened, estimated] =
            [lists, finished, skipped, reopened, estimated].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        Self { lists, finished, skipped, reopened, worked_ms, estimated, estimated_ms, actual_ms }
    }
}

impl Transaction<'_> {
    /// Adds to the work of an agent in the hour of a time.
    pub async fn add_to_hour(&mut self, at: Timestamp, agent: &str, done: &Tally) -> Result<()> {
        self.touch();
        let hour = millis(at).div_euclid(HOUR_MILLIS);
        let mut newest = self.newest_hour.take().unwrap_or_else(|| self.committed_hour.clone());
        if hour > newest.hour {
            for (agent, done) in std::mem::take(&mut newest.work) {
                self.add_to_row(newest.hour, &agent, &done).await?;
            }
            newest.hour = hour;
        }
        let has_room = newest.work.len() < AGENTS || newest.work.contains_key(agent);
        match hour.cmp(&newest.hour) {
            Ordering::Equal if has_room => match newest.work.get_mut(agent) {
                Some(work) => work.add(done),
                None => drop(newest.work.insert(agent.to_owned(), *done)),
            },
            _ => self.add_to_row(hour, agent, done).await?,
        }
        self.newest_hour = Some(newest);
        Ok(())
    }

    async fn add_to_row(&mut self, hour: i64, agent: &str, done: &Tally) -> Result<()> {
        let script = self
            .put(
                "INSERT INTO hours (hour, agent_name, lists, finished, skipped, reopened, worked_ms, estimated, estimated_ms, \
                 actual_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (hour, agent_name) DO UPDATE SET \
                 lists = lists + excluded.lists, finished = finished + excluded.finished, \
                 skipped = skipped + excluded.skipped, reopened = reopened + excluded.reopened, \
                 worked_ms = worked_ms + excluded.worked_ms, estimated = estimated + excluded.estimated, \
                 estimated_ms = estimated_ms + excluded.estimated_ms, actual_ms = actual_ms + excluded.actual_ms",
            )
            .await?
            .bind(hour)
            .bind(agent);
        for value in <[u64; 8]>::from(*done) {
            script.bind(value.cast_signed());
        }
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
            "SELECT * FROM (SELECT * FROM work_by_hour WHERE hour >= ? AND hour * 3600000 < ? \
             ORDER BY hour DESC, agent_name LIMIT ?) \
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
