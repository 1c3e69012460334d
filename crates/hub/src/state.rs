//! A session's state as it is derived from what is stored and from the time: never stored itself.

use jiff::Timestamp;
use protocol::{DRIFT_CALLS, SELF_TEST_LABEL, SessionState};
use session::ReportedState;
use store::SessionRow;

/// Seconds that a session which waits for the user stays current; its agent may have gone without a word.
const WAITING_SECONDS: i64 = 24 * 60 * 60;

/// The time, and how many seconds an agent may be silent before that means something.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    pub(crate) now: Timestamp,
    pub(crate) stale_after: i64,
    /// For one with nothing left on its list.
    pub(crate) settle_after: i64,
}

impl Moment {
    fn is_settled(self, at: Timestamp) -> bool {
        self.now.as_millisecond() - at.as_millisecond() >= self.settle_after * 1_000
    }

    pub(crate) fn is_long_ago(self, at: Timestamp) -> bool {
        self.now.as_second() - at.as_second() >= self.stale_after
    }

    /// The oldest that a session can have begun to wait, and be current.
    pub(crate) fn waiting_since(self) -> Timestamp {
        let span = jiff::SignedDuration::from_secs(WAITING_SECONDS);
        self.now.saturating_sub(span).unwrap_or(Timestamp::MIN)
    }
}

/// True if an agent was heard of lately, or is known to wait or to have failed, or if there are items for one that is to come.
fn is_there(row: &SessionRow, now: Moment) -> bool {
    let waits = match row.life.state {
        ReportedState::Waiting | ReportedState::Failed => row.life.last_activity_at > now.waiting_since(),
        ReportedState::Unclaimed => row.list.unfinished > 0,
        _ => false,
    };
    waits || !now.is_long_ago(row.life.last_activity_at)
}

pub(crate) fn is_current(row: &SessionRow, connected: bool, now: Moment) -> bool {
    let is_test = row.who.label.as_deref().is_some_and(|label| label.starts_with(SELF_TEST_LABEL));
    !is_test && (connected || is_there(row, now))
}

/// True if a session is on the board without its agent being connected.
pub(crate) fn is_shown(row: &SessionRow, now: Moment) -> bool {
    row.marks.pinned || is_there(row, now)
}

/// The state of a session's agent, as far as it is known; silence makes it stale and nothing else.
pub(crate) fn state(row: &SessionRow, now: Moment) -> SessionState {
    match row.life.state {
        ReportedState::Finished => SessionState::Finished,
        ReportedState::Failed => SessionState::Failed,
        ReportedState::Waiting => SessionState::Waiting,
        // Nothing is known of it now.
        _ if row.who.host.is_some() && !row.host_answers => SessionState::Stale,
        ReportedState::Unclaimed if row.list.unfinished > 0 => SessionState::Idle,
        _ if now.is_long_ago(row.life.last_activity_at) => SessionState::Stale,
        ReportedState::Resting | ReportedState::Unclaimed => SessionState::Idle,
        // A list that is complete for a moment is often the beginning of a longer one. Of one that has no list yet only
        // hooks and files tell, and they said that it works.
        ReportedState::Open
            if row.list.unfinished == 0 && !is_silent(row) && now.is_settled(row.life.last_activity_at) =>
        {
            SessionState::Idle
        }
        ReportedState::Open => SessionState::Running,
    }
}

/// The time since when a session is in its state.
pub(crate) fn state_at(row: &SessionRow, state: SessionState) -> Timestamp {
    match state {
        SessionState::Stale => row.life.last_activity_at,
        SessionState::Idle if row.life.state == ReportedState::Open => row.life.last_activity_at,
        _ => row.life.state_at,
    }
}

/// Nothing was heard of its list, neither that there are items nor that there are none.
pub(crate) fn is_silent(row: &SessionRow) -> bool {
    !row.list.state.is_known()
}

/// A list was written to it: the user's messages alone are revisions, too.
pub(crate) fn has_list(row: &SessionRow) -> bool {
    row.list.revision > 0 && !is_silent(row)
}

/// True if an agent goes on while its unfinished list stands still.
pub(crate) fn drifts(row: &SessionRow, now: Moment) -> bool {
    row.life.calls >= DRIFT_CALLS
        && (row.list.unfinished > 0 || is_silent(row))
        && matches!(state(row, now), SessionState::Running | SessionState::Waiting)
}

/// True if the user took it off the board, and nothing was heard of it since.
pub(crate) fn is_dismissed(row: &SessionRow) -> bool {
    row.marks.dismissed_at.is_some_and(|at| at >= row.life.last_activity_at)
}
