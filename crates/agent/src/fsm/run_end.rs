//! The ends of a run, and their words for people.

use std::fmt;

/// The end of a run. The list stays in any case, and no item in it is in progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEnd {
    /// The task is complete, or the prompt is answered.
    Completed,
    /// Left to the user: all continuations are used up (requirement P2).
    Continued,
    /// Left to the user: the open items are blocked, wait for blocked ones, or were taken back by the user.
    Blocked,
    /// The list is empty.
    Emptied,
    /// The user stopped the run.
    Aborted,
    /// The user refused the plan.
    Refused,
    /// The user did not answer a request for approval in time.
    Unanswered { can_resume: bool },
    /// The model made no plan (requirement T9).
    Unplanned,
    /// The run took all its steps (requirement T11).
    StepLimit(u32),
    /// A request failed for good; the text says why.
    Failed(String),
}

impl RunEnd {
    /// The end is an error for the sender of the prompt.
    #[must_use]
    pub fn is_error(&self) -> bool {
        matches!(self, Self::Refused | Self::Unanswered { .. } | Self::Unplanned | Self::StepLimit(_) | Self::Failed(_))
    }
}

impl fmt::Display for RunEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Completed => "The task is complete.",
            Self::Continued => "The agent ended its turn with open steps, and was reminded as often as it may be.",
            Self::Blocked => {
                "No open step can be started: each is blocked, waits for a blocked one, or was taken back by the user."
            }
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
