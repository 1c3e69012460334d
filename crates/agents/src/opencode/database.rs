//! The database `opencode.db`, beside which the newest is in `opencode.db-wal`.
//!
//! Both the table `todo` and the calls of `todowrite` in the table `part` have the lists. The calls tell them: they have
//! the history and the times. The table tells what no call does; while a call is under way it is waited for, a few
//! milliseconds.
//!
//! Each time only what is new is read: parts in the order in which they were added (`rowid`), and those that were not at
//! an end yet. opencode 2 has no such table, and nothing to tell.

use super::rows::Rows;
use super::runs::{Runs, Step};
use crate::transcript::Observation;
use crate::{Database, Queries};
use futures_util::future::BoxFuture;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// The most parts that are read at once, and the most that are not at an end and are looked at again.
const PARTS: i64 = 500;
const OPEN: usize = 200;
/// The longest duration of a call, in milliseconds: one that began before the time that is asked for may end after it.
const CALL: i64 = 3_600_000;
/// The milliseconds by which rows of two writers may be added later than their times say.
const LATE: i64 = 10_000;

/// The runs in one database, as far as they were read.
#[derive(Default)]
pub(super) struct History {
    /// The last part that was read.
    last_part: i64,
    /// The parts that were not at an end when they were read, with the session whose list they write.
    open: BTreeMap<i64, Option<String>>,
    /// The times at which the rows of each session's last list were written.
    listed: BTreeMap<String, i64>,
    /// The time at which the rows of a list were written whose call is under way.
    waits_since: Option<i64>,
    runs: Runs,
    passed_over: u64,
}

impl Database for History {
    fn read<'a>(
        &'a mut self,
        queries: &'a mut dyn Queries,
        since: Option<Timestamp>,
        out: &'a mut Vec<Observation>,
    ) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(self.read_rows(Rows(queries), since.map(Timestamp::as_millisecond), out))
    }

    fn passed_over(&self) -> u64 {
        self.passed_over
    }
}

impl History {
    async fn read_rows(
        &mut self,
        mut rows: Rows<'_>,
        since: Option<i64>,
        out: &mut Vec<Observation>,
    ) -> Result<(), String> {
        if !rows.has_lists().await? {
            return Err("it has no lists: only opencode 1 keeps them".to_owned());
        }
        if let Some(since) = since.filter(|_| self.last_part == 0) {
            self.last_part = rows.last_before(since.saturating_sub(CALL)).await?;
        }
        // Where the last were deleted, their numbers are used again.
        self.last_part = self.last_part.min(rows.newest_part().await?);
        loop {
            if self.parts(&mut rows, out).await? {
                return self.lists(&mut rows, since, out).await;
            }
            if !out.is_empty() {
                return Ok(());
            }
        }
    }

    /// Reads the next parts. Returns whether there are no more.
    async fn parts(&mut self, rows: &mut Rows<'_>, out: &mut Vec<Observation>) -> Result<bool, String> {
        let parts = rows.parts(self.last_part, PARTS, &self.open).await?;
        let added = parts.iter().filter(|part| part.row > self.last_part).count();
        let mut steps = Vec::new();
        for mut part in parts {
            self.last_part = self.last_part.max(part.row);
            self.passed_over += u64::from(part.is_odd);
            match part.step.take() {
                Some(Step::Open { writes_list }) => {
                    self.open.insert(part.row, writes_list.then_some(part.session));
                }
                Some(step) => steps.push((part, step)),
                None => {}
            }
        }
        for (part, _) in &steps {
            self.open.remove(&part.row);
        }
        while self.open.len() > OPEN {
            self.open.pop_first();
        }
        steps.sort_by_key(|(part, step)| (step.at(part), part.row));
        let sessions: BTreeSet<&str> = steps.iter().map(|(part, _)| part.session.as_str()).collect();
        for session in sessions {
            self.runs.note(rows.session(session).await?);
        }
        for (part, step) in steps {
            self.runs.add(&part, step, out);
        }
        Ok(added < usize::try_from(PARTS).unwrap_or_default())
    }

    /// Reads the rows of lists that were written since.
    async fn lists(
        &mut self,
        rows: &mut Rows<'_>,
        since: Option<i64>,
        out: &mut Vec<Observation>,
    ) -> Result<(), String> {
        let newest = self.listed.values().copied().max().or(since).unwrap_or_default();
        let waited_for = self.waits_since.take().unwrap_or(newest);
        for (session, written) in rows.lists_since(newest.min(waited_for).saturating_sub(LATE)).await? {
            if self.listed.get(&session) == Some(&written) || since.is_some_and(|since| written < since) {
                continue;
            }
            if self.open.values().flatten().any(|open| *open == session) {
                self.waits_since = self.waits_since.or(Some(written));
                continue;
            }
            let items = rows.list(&session).await?;
            self.runs.note(rows.session(&session).await?);
            self.runs.list(&session, written, &items, out);
            self.listed.insert(session, written);
        }
        Ok(())
    }
}
