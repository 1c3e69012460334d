//! What goes from the archive: by the user's rules, and for good a day after it was deleted. A few rows at a time, in the
//! queue of all other changes, so that nobody waits for it.

use crate::report::Outcome;
use crate::view::Moment;
use crate::writer::{Batch, Task};
use crate::{Hub, storage, view};
use jiff::{SignedDuration, Timestamp};
use protocol::{Done, Result, Retention};
use store::{Filter, SessionRow, Transaction};
use tokio_util::sync::CancellationToken;

/// How long what was deleted can be brought back.
const UNDO: SignedDuration = SignedDuration::from_hours(24);

/// How long what an agent was told and said last is kept: after that a run that is resumed counts as one that said
/// nothing yet.
const MEMORY: SignedDuration = SignedDuration::from_hours(24 * 30);

/// Sessions that one sweep takes of each kind.
const SESSIONS: u32 = 100;

/// Rows that one transaction takes.
const ROWS: u32 = 500;

/// Revisions of a session that one transaction takes.
const REVISIONS: u64 = 100;

/// A part of a sweep.
#[derive(Debug, Clone)]
pub(crate) enum Sweep {
    /// Sessions are deleted, if they are still neither pinned nor current.
    Retire(Vec<String>),
    /// Rows of a session that was deleted go.
    Purge(i64),
    /// Some revisions of a session from before this one go.
    Trim { session: String, first: u64 },
    /// What callers of some sessions know goes, which were not heard of since this time.
    Forget(Timestamp),
    /// Space goes back to the disk.
    GiveBack,
}

/// How often the rules are looked at.
const PACE: std::time::Duration = std::time::Duration::from_secs(60);

/// Sweeps now and then, and when there is something to sweep.
pub(crate) async fn keep_sweeping(hub: Hub, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = hub.inner.dirt.notified() => {}
            () = tokio::time::sleep(PACE) => {}
        }
        let swept = tokio::select! {
            () = stop.cancelled() => return,
            swept = hub.sweep() => swept,
        };
        if let Err(error) = swept {
            tracing::warn!(%error, "the archive could not be swept; it is tried again in a minute");
        }
    }
}

impl Hub {
    /// The rules are looked at now.
    pub(crate) fn sweep_soon(&self) {
        self.inner.dirt.notify_one();
    }

    /// Does what the rules ask for, until there is nothing left to do.
    ///
    /// # Errors
    /// When the database cannot be read or written.
    pub async fn sweep(&self) -> Result<()> {
        let _alone = self.inner.sweeping.lock().await;
        let kept = self.settings().retention();
        for filter in self.too_old(&kept) {
            let old = self.inner.store.oldest(&filter, SESSIONS).await.map_err(storage)?;
            self.retire_all(old).await?;
        }
        if kept.keep_revisions > 0 {
            self.trim_all(kept.keep_revisions.into()).await?;
        }
        self.purge_all().await?;
        let long_ago = self.now().saturating_sub(MEMORY).unwrap_or(Timestamp::UNIX_EPOCH);
        while self.inner.store.has_old_callers(long_ago).await.map_err(storage)? {
            self.submit(Task::Sweep(Sweep::Forget(long_ago))).await?;
        }
        let mut before = Vec::new();
        while self.is_too_large(&kept).await? {
            let oldest = self.inner.store.oldest(&Filter::default(), 20).await.map_err(storage)?;
            let retired = self.retire_all(oldest).await?;
            // What cannot be deleted is not tried over and over.
            if retired.is_empty() || retired == before {
                break;
            }
            before = retired;
        }
        let free = |size: store::Size| size.free;
        let mut last = u64::MAX;
        loop {
            let left = self.inner.store.size().await.map(free).map_err(storage)?;
            // What cannot be given back stays.
            if left == 0 || left >= last {
                return Ok(());
            }
            last = left;
            self.submit(Task::Sweep(Sweep::GiveBack)).await?;
        }
    }

    /// The sessions that are too old to be kept, by each rule.
    pub(crate) fn too_old(&self, kept: &Retention) -> Vec<Filter> {
        let now = self.now();
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

    async fn is_too_large(&self, kept: &Retention) -> Result<bool> {
        let most = u64::from(kept.keep_megabytes) * 1_000_000;
        if most == 0 {
            return Ok(false);
        }
        let size = self.inner.store.size().await.map_err(storage)?;
        // What was deleted is still there for a day: its part is known by its revisions.
        let (stay, go) = self.inner.store.revisions_that_stay().await.map_err(storage)?;
        let used = u128::from(size.bytes - size.free) * u128::from(stay) / u128::from(stay + go).max(1);
        Ok(used > u128::from(most))
    }

    /// Whether a session is pinned or current.
    fn stays(&self, row: &SessionRow, now: Moment) -> bool {
        view::is_shown(row, now) || self.inner.board.connected(&row.session_id)
    }

    /// Deletes those of these sessions that are neither pinned nor current; gives which they are.
    async fn retire_all(&self, rows: Vec<SessionRow>) -> Result<Vec<String>> {
        let now = self.moment();
        let sessions: Vec<String> =
            rows.into_iter().filter(|row| !self.stays(row, now)).map(|row| row.session_id).collect();
        if !sessions.is_empty() {
            self.submit(Task::Sweep(Sweep::Retire(sessions.clone()))).await?;
        }
        Ok(sessions)
    }

    async fn trim_all(&self, revisions: u64) -> Result<()> {
        let now = self.moment();
        for row in self.inner.store.longest(revisions, SESSIONS).await.map_err(storage)? {
            if self.stays(&row, now) {
                continue;
            }
            let first = row.revision - revisions + 1;
            for _ in 0..(first - row.first_revision).div_ceil(REVISIONS) {
                self.submit(Task::Sweep(Sweep::Trim { session: row.session_id.clone(), first })).await?;
            }
        }
        Ok(())
    }

    async fn purge_all(&self) -> Result<()> {
        let before = self.now().saturating_sub(UNDO).unwrap_or(Timestamp::UNIX_EPOCH);
        loop {
            let due = self.inner.store.purgeable(before, SESSIONS).await.map_err(storage)?;
            if due.is_empty() {
                return Ok(());
            }
            for pk in due {
                self.submit(Task::Sweep(Sweep::Purge(pk))).await?;
            }
        }
    }

    pub(crate) async fn perform_sweep(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        sweep: &Sweep,
    ) -> Outcome<Done> {
        match sweep {
            Sweep::Retire(sessions) => {
                let now = self.moment();
                for id in sessions {
                    // It may be another one by now, or none.
                    let Ok(live) = self.named(&batch.pending, id).await else { continue };
                    if view::is_shown(&live.row, now) {
                        continue;
                    }
                    self.retire(transaction, batch, live, now.now).await?;
                }
            }
            Sweep::Purge(pk) => transaction.purge(*pk, ROWS).await?,
            Sweep::Trim { session, first } => {
                let Ok(mut live) = self.named(&batch.pending, session).await else { return Ok(Done {}) };
                if !view::is_shown(&live.row, self.moment()) && live.row.first_revision < *first {
                    live.row.first_revision = (*first).min(live.row.first_revision + REVISIONS);
                    live.row.cursor = transaction.advance();
                    transaction.trim(&mut live.row).await?;
                    if self.inner.board.head(session).is_some() {
                        batch.pending.lives.insert(session.clone(), live);
                    }
                }
            }
            Sweep::Forget(before) => transaction.forget_old_callers(*before, SESSIONS).await?,
            Sweep::GiveBack => transaction.give_back().await?,
        }
        Ok(Done {})
    }
}
