//! Sweeping the archive: by the user's rules, and for good a day after a session was deleted. A few rows at a time, in
//! the queue of all other changes, so that nobody waits for it.

use crate::core::Core;
use crate::error::Result;
use crate::state::{self, Moment};
use crate::turn::Turn;
use crate::writer::{Queue, Work};
use jiff::{SignedDuration, Timestamp};
use protocol::Retention;
use std::sync::Arc;
use store::{Filter, SessionRow};
use tokio_util::sync::CancellationToken;

/// The time for which a deleted session can be brought back.
const UNDO: SignedDuration = SignedDuration::from_hours(24);

/// The time for which the memory of a caller is kept: after that a run that is resumed counts as one that said nothing yet.
const MEMORY: SignedDuration = SignedDuration::from_hours(24 * 30);

/// Sessions that one sweep takes of each kind.
const SESSIONS: u32 = 100;

/// Rows that one transaction takes.
const ROWS: u32 = 500;

/// Revisions of a session that one transaction takes.
const REVISIONS: u64 = 100;

/// A part of a sweep.
#[derive(Debug)]
enum Sweep {
    /// Sessions are deleted, if they are still neither pinned nor current.
    Retire(Vec<String>),
    /// Rows of a session that was deleted go.
    Purge(i64),
    /// Items of a list that was deleted go.
    PurgeList(i64),
    /// Some revisions of a session from before this one go.
    Trim { session: String, first: u64 },
    /// The memory of callers goes for some sessions that were not heard of since this time.
    Forget(Timestamp),
    /// Space goes back to the disk.
    GiveBack,
}

/// The pause between two looks at the rules.
const PACE: std::time::Duration = std::time::Duration::from_secs(60);

/// Sweeps the archive, one sweep after the other: two of them at once would each delete what is too much.
pub(crate) struct Sweeper {
    core: Arc<Core>,
    queue: Queue,
    alone: tokio::sync::Mutex<()>,
}

/// Sweeps now and then, and when there is something to sweep.
pub(crate) async fn keep_sweeping(sweeper: Arc<Sweeper>, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = sweeper.core.dirt.notified() => {}
            () = tokio::time::sleep(PACE) => {}
        }
        let swept = tokio::select! {
            () = stop.cancelled() => return,
            swept = sweeper.sweep() => swept,
        };
        if let Err(error) = swept {
            tracing::warn!(%error, "the archive could not be swept; it is tried again in a minute");
        }
    }
}

impl Sweeper {
    pub(crate) fn new(core: Arc<Core>, queue: Queue) -> Self {
        Self { core, queue, alone: tokio::sync::Mutex::default() }
    }

    /// Does what the rules ask for, until there is nothing left to do.
    ///
    /// # Errors
    /// When the database cannot be read or written.
    pub(crate) async fn sweep(&self) -> protocol::Result<()> {
        let _alone = self.alone.lock().await;
        self.core.read(self.sweep_all()).await
    }

    async fn sweep_all(&self) -> Result<()> {
        let kept = self.core.board.settings().retention();
        for filter in too_old(&kept, self.core.now()) {
            let old = self.core.store.oldest(&filter, SESSIONS).await?;
            self.retire_all(old).await?;
        }
        if kept.keep_revisions > 0 {
            self.trim_all(kept.keep_revisions.into()).await?;
        }
        self.purge_all().await?;
        let long_ago = self.core.now().saturating_sub(MEMORY).unwrap_or(Timestamp::UNIX_EPOCH);
        while self.core.store.has_old_callers(long_ago).await? {
            self.queue.submit(Sweep::Forget(long_ago)).await?;
        }
        let mut before = Vec::new();
        while self.is_too_large(&kept).await? {
            let oldest = self.core.store.oldest(&Filter::default(), 20).await?;
            let retired = self.retire_all(oldest).await?;
            // Sessions that cannot be deleted are not tried over and over.
            if retired.is_empty() || retired == before {
                break;
            }
            before = retired;
        }
        let free = |size: store::Size| size.free;
        let mut last = u64::MAX;
        loop {
            let left = self.core.store.size().await.map(free)?;
            // Space that cannot be given back stays.
            if left == 0 || left >= last {
                return Ok(());
            }
            last = left;
            self.queue.submit(Sweep::GiveBack).await?;
        }
    }

    async fn is_too_large(&self, kept: &Retention) -> Result<bool> {
        let most = u64::from(kept.keep_megabytes) * 1_000_000;
        if most == 0 {
            return Ok(false);
        }
        let size = self.core.store.size().await?;
        // A deleted session is still there for a day: its share is estimated by its revisions.
        let (stay, go) = self.core.store.revision_counts().await?;
        let used = u128::from(size.bytes - size.free) * u128::from(stay) / u128::from(stay + go).max(1);
        Ok(used > u128::from(most))
    }

    /// True if a session is pinned or current.
    fn stays(&self, row: &SessionRow, now: Moment) -> bool {
        state::is_shown(row, now) || self.core.board.connected(&row.session_id)
    }

    /// Deletes those of these sessions that are neither pinned nor current; gives which they are.
    async fn retire_all(&self, rows: Vec<SessionRow>) -> Result<Vec<String>> {
        let now = self.core.moment();
        let sessions: Vec<String> =
            rows.into_iter().filter(|row| !self.stays(row, now)).map(|row| row.session_id).collect();
        if !sessions.is_empty() {
            self.queue.submit(Sweep::Retire(sessions.clone())).await?;
        }
        Ok(sessions)
    }

    async fn trim_all(&self, revisions: u64) -> Result<()> {
        let now = self.core.moment();
        for row in self.core.store.longest(revisions, SESSIONS).await? {
            if self.stays(&row, now) {
                continue;
            }
            let first = row.list.revision - revisions + 1;
            for _ in 0..(first - row.list.first_revision).div_ceil(REVISIONS) {
                self.queue.submit(Sweep::Trim { session: row.session_id.clone(), first }).await?;
            }
        }
        Ok(())
    }

    async fn purge_all(&self) -> Result<()> {
        let before = self.core.now().saturating_sub(UNDO).unwrap_or(Timestamp::UNIX_EPOCH);
        loop {
            let sessions = self.core.store.purgeable(before, SESSIONS).await?.into_iter().map(Sweep::Purge);
            let lists = self.core.store.purgeable_lists(before, SESSIONS).await?.into_iter().map(Sweep::PurgeList);
            let due: Vec<Sweep> = sessions.chain(lists).collect();
            if due.is_empty() {
                return Ok(());
            }
            for sweep in due {
                self.queue.submit(sweep).await?;
            }
        }
    }
}

/// The sessions that are too old to be kept, by each rule.
pub(crate) fn too_old(kept: &Retention, now: Timestamp) -> Vec<Filter> {
    let before = |days: u32| now.saturating_sub(SignedDuration::from_hours(24 * i64::from(days))).ok();
    let of_project = |(project, days): (&String, &u32)| {
        let until = (*days > 0).then(|| before(*days)).flatten()?;
        Some(Filter { project: Some(project.clone()), until: Some(until), ..Filter::default() })
    };
    let mut filters: Vec<Filter> = kept.keep_projects.iter().filter_map(of_project).collect();
    if kept.keep_days > 0 {
        let except = kept.keep_projects.keys().cloned().collect();
        filters.push(Filter { except, until: before(kept.keep_days), ..Filter::default() });
    }
    filters
}

impl Work for Sweep {
    type Answer = ();

    async fn perform(&self, turn: &mut Turn<'_, '_>) -> Result<()> {
        match self {
            Sweep::Retire(sessions) => {
                let now = turn.core.moment();
                for id in sessions {
                    // It may be another one by now, or none.
                    let Ok(live) = turn.find(id).await else { continue };
                    if state::is_shown(&live.row, now) {
                        continue;
                    }
                    turn.retire(live, now.now).await?;
                }
            }
            Sweep::Purge(pk) => turn.transaction.purge(*pk, ROWS).await?,
            Sweep::PurgeList(pk) => turn.transaction.purge_list(*pk, ROWS).await?,
            Sweep::Trim { session, first } => {
                let Ok(mut live) = turn.find(session).await else { return Ok(()) };
                if !state::is_shown(&live.row, turn.core.moment()) && live.row.list.first_revision < *first {
                    live.row.list.first_revision = (*first).min(live.row.list.first_revision + REVISIONS);
                    live.row.cursor = turn.transaction.advance();
                    turn.transaction.trim(&mut live.row).await?;
                    if turn.core.board.head(session).is_some() {
                        turn.stage(&live);
                    }
                }
            }
            Sweep::Forget(before) => turn.transaction.forget_old_callers(*before, SESSIONS).await?,
            Sweep::GiveBack => turn.transaction.give_back().await?,
        }
        Ok(())
    }
}
