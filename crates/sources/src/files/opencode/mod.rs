//! opencode 1: a database of SQLite's, `opencode.db`, beside which the newest stands in `opencode.db-wal`.
//!
//! Both the table `todo` and the calls of `todowrite` in the table `part` have the lists. The calls carry them: they have
//! the history and the times. What the table has is told where no call says it; while a call is under way it is waited
//! for, a few milliseconds.
//!
//! At each look only what is new is read: parts in the order in which they were added (`rowid`), and those that were not
//! at an end yet. The database is opened read-only and closed again, so that nothing of it is held. opencode 2 has no
//! such table, and nothing to tell.

mod rows;
mod runs;

use super::told::Told;
use jiff::Timestamp;
use rows::Rows;
use runs::{Runs, Step};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How many parts are read at once, and how many that are not at an end are looked at again.
const PARTS: i64 = 500;
const OPEN: usize = 200;
/// How long a call may take, in milliseconds: one that began before the time that is asked for may end after it.
const CALL: i64 = 3_600_000;
/// Rows of two writers may come later than their times say, by so many milliseconds.
const LATE: i64 = 10_000;
/// How long a writer is waited for; readers of a database with a log need not wait for one.
const PATIENCE: Duration = Duration::from_millis(500);

/// One database.
pub(super) struct Database {
    path: PathBuf,
    /// What was before, in milliseconds, nobody asks for.
    since: Option<i64>,
    /// The last part that was read.
    last_part: i64,
    /// Parts that were not at an end when they were read, and whether they write the list, of which session.
    open: BTreeMap<i64, Option<String>>,
    /// When the rows of a session's list were written that were told last.
    listed: BTreeMap<String, i64>,
    /// When the rows of a list were written whose call is under way.
    waits_since: Option<i64>,
    runs: Runs,
    passed_over: u64,
    unreadable: Option<String>,
}

impl Database {
    pub(super) fn open(path: &Path, since: Option<Timestamp>) -> Self {
        Self {
            path: path.to_owned(),
            since: since.map(Timestamp::as_millisecond),
            last_part: 0,
            open: BTreeMap::new(),
            listed: BTreeMap::new(),
            waits_since: None,
            runs: Runs::default(),
            passed_over: 0,
            unreadable: None,
        }
    }

    pub(super) fn unreadable(&self) -> Option<&str> {
        self.unreadable.as_deref()
    }

    pub(super) fn passed_over(&self) -> u64 {
        self.passed_over
    }

    /// What is new. A database that cannot be read just now has nothing new.
    pub(super) async fn look(&mut self) -> Vec<Told> {
        if !self.path.is_file() {
            return Vec::new();
        }
        let mut out = Vec::new();
        match self.read(&mut out).await {
            Ok(()) => self.unreadable = None,
            Err(problem) => {
                tracing::debug!(problem, "opencode's database is not read");
                self.unreadable = Some(problem);
            }
        }
        out
    }

    async fn read(&mut self, out: &mut Vec<Told>) -> Result<(), String> {
        let mut connection = connect(&self.path).await.map_err(|error| error.to_string())?;
        let told = self.read_with(&mut connection, out).await;
        let _ = connection.close().await;
        told
    }

    async fn read_with(&mut self, connection: &mut SqliteConnection, out: &mut Vec<Told>) -> Result<(), String> {
        let problem = |error: sqlx::Error| error.to_string();
        // All of it as it is at one time.
        let mut transaction = connection.begin().await.map_err(problem)?;
        let mut rows = Rows(&mut transaction);
        if !rows.has_lists().await.map_err(problem)? {
            return Err("it has no lists: only opencode 1 keeps them".to_owned());
        }
        if let Some(since) = self.since.filter(|_| self.last_part == 0) {
            self.last_part = rows.last_before(since.saturating_sub(CALL)).await.map_err(problem)?;
        }
        // Where the last were taken away, their numbers are used again.
        self.last_part = self.last_part.min(rows.newest_part().await.map_err(problem)?);
        loop {
            let parts = rows.parts(self.last_part, PARTS, &self.open).await.map_err(problem)?;
            let is_last = parts.iter().filter(|part| part.row > self.last_part).count()
                < usize::try_from(PARTS).unwrap_or_default();
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
                self.runs.note(rows.session(session).await.map_err(problem)?);
            }
            for (part, step) in steps {
                self.runs.tell(&part, step, out);
            }
            if is_last {
                self.lists(&mut rows, out).await.map_err(problem)?;
                return Ok(());
            }
            if !out.is_empty() {
                return Ok(());
            }
        }
    }

    /// What the table says of lists that were written since.
    async fn lists(&mut self, rows: &mut Rows<'_>, out: &mut Vec<Told>) -> sqlx::Result<()> {
        let newest = self.listed.values().copied().max().or(self.since).unwrap_or_default();
        let waited_for = self.waits_since.take().unwrap_or(newest);
        for (session, written) in rows.lists_since(newest.min(waited_for).saturating_sub(LATE)).await? {
            if self.listed.get(&session) == Some(&written) || self.since.is_some_and(|since| written < since) {
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

/// Opens it for reading. Without a log nobody writes, and then not even SQLite's own files are made beside it.
async fn connect(path: &Path) -> sqlx::Result<SqliteConnection> {
    let beside = |end: &str| {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(end);
        path.with_file_name(name).exists()
    };
    let is_still = !beside("-wal") && !beside("-journal");
    SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .immutable(is_still)
        .busy_timeout(PATIENCE)
        .disable_statement_logging()
        .connect()
        .await
}
