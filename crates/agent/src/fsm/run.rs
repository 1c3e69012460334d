//! A run: its state, and how much of its limits it has used up.

use super::{Grounds, RequestId, RunEnd, ToolCall};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use todo::Draft;
use uuid::Uuid;

/// The answer that the machine waits for. Every state but the first has one request outstanding.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) enum State {
    /// No run.
    #[default]
    Idle,
    Classifying,
    Planning,
    /// The user looks at the plan of the checkpoint.
    Checking,
    /// The model's answer in a turn.
    Turning,
    /// The user's approval of the current call.
    Approving,
    /// The current call's result.
    Calling,
    Verifying,
    Validating,
    /// The answer to a change of the list, and what comes after it.
    Changing(After),
}

/// The next thing after a change of the list.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum After {
    Classify,
    Add(Vec<Draft>),
    Next,
    /// The turn goes on.
    Turn,
    /// The model works on this item, which the change has put in progress.
    Work(Uuid),
    /// The run ends; with the tries so far to have nothing in progress.
    End(RunEnd, u8),
}

impl State {
    /// The request can be cancelled. A change of the list cannot, since it may have been made.
    pub(super) fn is_cancellable(&self) -> bool {
        !matches!(self, Self::Idle | Self::Changing(_))
    }

    /// The model works on something, or judges its work.
    pub(super) fn is_work(&self) -> bool {
        matches!(self, Self::Turning | Self::Approving | Self::Calling | Self::Verifying)
    }
}

/// One run, from a prompt or a resumption to its end.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Run {
    pub(super) state: State,
    /// The request that is outstanding.
    pub(super) id: RequestId,
    /// Calls of the model.
    pub(super) steps: u32,
    /// Changes of the list since the last call of the model.
    pub(super) changes: u8,
    /// The stream in the chat has started.
    pub(super) has_started: bool,
    pub(super) grounds: Grounds,
    /// Requests for a shorter plan so far.
    pub(super) shortened: u8,
    /// The outstanding change puts the plan into the list.
    pub(super) adds_plan: bool,
    /// Tools of a plan that the user has approved.
    pub(super) granted: BTreeSet<String>,
    /// The run works through the list, one item after the other.
    pub(super) is_over_list: bool,
    /// Items that do not belong to the task: they were there before its prompt, no plan was made on top of them, and
    /// neither the model nor the run has taken them up.
    pub(super) older: BTreeSet<Uuid>,
    /// The model has written a list by itself.
    pub(super) has_own_list: bool,
    /// The user has changed the list, or left a note, since the model was last told of it.
    pub(super) is_unheard: bool,
    /// The item of the turn; none if the prompt is answered without a plan.
    pub(super) item: Option<Uuid>,
    pub(super) turn: Turn,
    pub(super) efforts: BTreeMap<Uuid, Effort>,
    /// Items that this run does not take up again, unless the user says so.
    pub(super) aside: BTreeSet<Uuid>,
}

/// A turn: the model's answers and tool calls, from a message to it to an answer without tool calls.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Turn {
    /// The call that is being approved or made.
    pub(super) current: Option<ToolCall>,
    /// The calls after it.
    pub(super) calls: VecDeque<ToolCall>,
    /// The user has approved the first of `calls`.
    pub(super) is_approved: bool,
    /// The model's last answer has tool calls.
    pub(super) has_called: bool,
    /// An answer of this turn has tool calls.
    pub(super) has_acted: bool,
    /// Calls that were denied or refused in a turn without an item.
    pub(super) not_allowed: u8,
    /// The model's last answer calls nothing but todo tools.
    pub(super) is_listing: bool,
    /// The number of such answers in a row, and of those since the list has changed.
    pub(super) listings: u8,
    pub(super) idle_listings: u8,
    /// The model says that the whole task is complete.
    pub(super) is_done: bool,
    /// The item that the model calls completed, and that has to be verified.
    pub(super) claims: Option<Uuid>,
}

/// The effort spent on an item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Effort {
    /// Tool calls, without those of todo tools.
    pub(super) calls: u8,
    /// Verifications that the item did not pass.
    pub(super) failed_checks: u8,
    /// The last error of a call.
    pub(super) error: Option<String>,
}
