//! How a run ends, and what people read of it.

use super::Notice;
use std::fmt;

/// How a run ended. Whatever it was, the list is kept and nothing in it is in progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The task is complete, or the prompt answered.
    Completed,
    /// Left to the user: all continuations are used up (REQUIREMENTS P2).
    Continued,
    /// Left to the user: what is open is blocked, waits for what is, or was taken back by the user.
    Blocked,
    /// There is no list any more, or none to resume.
    Emptied,
    /// The user stopped it.
    Aborted,
    /// The user refused the plan.
    Refused,
    /// Nobody answered a request for approval.
    Unanswered {
        /// There is an item or a plan to go on with.
        can_resume: bool,
    },
    /// There was no plan (REQUIREMENTS T9).
    Unplanned,
    /// It took all the steps it may (REQUIREMENTS T11).
    StepLimit(u32),
    /// Something failed for good.
    Failed(String),
}

impl Outcome {
    /// An error for whoever sent the prompt; the others are ends as they should be.
    #[must_use]
    pub fn is_error(&self) -> bool {
        matches!(self, Self::Refused | Self::Unanswered { .. } | Self::Unplanned | Self::StepLimit(_) | Self::Failed(_))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Completed => "The task is complete.",
            Self::Continued => "The agent ended its turn with items open, and was told so as often as it may be.",
            Self::Blocked => "What is open cannot be started: it is blocked, waits for that, or the user took it back.",
            Self::Emptied => "The list is empty.",
            Self::Aborted => "The run was stopped.",
            Self::Refused => "The plan was refused.",
            Self::Unanswered { can_resume: true } => {
                "Nobody answered the request for approval; resume to be asked again."
            }
            Self::Unanswered { can_resume: false } => "Nobody answered the request for approval.",
            Self::Unplanned => "Planning failed. Could not generate next steps.",
            Self::StepLimit(steps) => {
                return write!(f, "Task did not complete within the maximum of {steps} steps.");
            }
            Self::Failed(why) => why,
        })
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Continued { item, nth, of } => {
                write!(f, "Continued, {nth} of {of}: the turn ended without a tool call while \"{item}\" is open.")
            }
            Self::Unclassified => {
                f.write_str("Whether the task is complex could not be read; it is answered without a plan.")
            }
            Self::Unvalidated => f.write_str("All items are done; whether the task is complete could not be read."),
            Self::TooLong { steps } => write!(f, "The plan has {steps} steps; a shorter one is asked for."),
            Self::Postponed { steps } => {
                write!(f, "The plan is too long; its last {steps} steps are planned when the others are done.")
            }
            Self::Replanned { reason } => write!(f, "The task is not complete yet: {reason}"),
            Self::Dropped { item } => write!(f, "The user changed \"{item}\"; the work on it has stopped."),
        }
    }
}
