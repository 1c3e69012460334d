//! Effects: what the driver is to do for the machine.

use super::event::{RequestId, ToolCall};
use super::run_end::RunEnd;
use super::settings::Policy;
use protocol::{Text, say};
use std::fmt;
use todo::{Draft, Status};
use uuid::Uuid;

/// Something to do for the driver. Effects with an id are requests: exactly one is outstanding while a run is under way,
/// and the machine waits for its answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// The run has something to show from now on: `chat.stream.start`. Once in each run, and not at all if it ends during
    /// its preparation.
    Start,
    /// Call the model.
    Ask {
        id: RequestId,
        purpose: Purpose,
        /// The list has changed since the model's last turn: remind it of the current list, and of the user's changes and
        /// notes (requirements T7, P11).
        reminder: bool,
        /// Further calls of the model that the answer may take: [`super::ModelReply::more_steps`].
        more: u32,
    },
    /// Call a tool. A call of one of [`super::TODO_TOOLS`] goes through [`super::AgentMachine::tame`] first, and the
    /// changed list is sent as an [`super::Event::List`] before the answer.
    Call { id: RequestId, call: ToolCall },
    /// This call is not made, or was cancelled. The model reads `reason` as its result.
    Reject { call: ToolCall, reason: String },
    /// Ask the user whether this call may be made.
    Approve { id: RequestId, call: ToolCall },
    /// Show the user a plan before it is begun.
    Preflight { id: RequestId, steps: Vec<PlanStep> },
    /// Change the list through the hub, in the order of these effects.
    Change { id: RequestId, change: Change },
    /// Stop this request at once; its answer is not needed any more. Never a change of the list.
    Cancel { id: RequestId },
    /// Show a line in the chat.
    Tell(Notice),
    /// The run is over: `chat.stream.end`, or an error. Nothing is outstanding, and no item is in progress.
    End(RunEnd),
}

impl Effect {
    /// The request's id, if this is one.
    #[must_use]
    pub fn request(&self) -> Option<RequestId> {
        match self {
            Self::Ask { id, .. }
            | Self::Call { id, .. }
            | Self::Approve { id, .. }
            | Self::Preflight { id, .. }
            | Self::Change { id, .. } => Some(*id),
            Self::Start | Self::Reject { .. } | Self::Cancel { .. } | Self::Tell(_) | Self::End(_) => None,
        }
    }
}

/// The purpose of a call of the model. [`crate::prompt::ask`] has its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// A question: is the task complex? No tools.
    Classify,
    /// A question: which steps does it take? No tools.
    Plan(Grounds),
    /// A turn: answer the prompt, without a list made by the machine.
    Answer,
    /// A turn: do this item.
    Work { item: Uuid },
    /// The same turn goes on with the results of its tool calls; there is nothing to add to them.
    GoOn,
    /// A turn: the one before ended with work left (requirement P2). `item` is in progress, or else the first that can
    /// start.
    Continue { item: Uuid },
    /// A turn: this item is not done yet.
    Redo { item: Uuid, reason: String },
    /// A turn: there is nothing left that the model could do by what it knows, and the user has said something since
    /// (requirement P11).
    Heed,
    /// Is this item done (requirement T12)? No tools.
    Verify { item: Uuid },
    /// Is the whole task complete (requirement T11)? No tools.
    Validate,
}

impl Purpose {
    /// A turn has tools, and its answer streams to the chat. The other purposes are answered by JSON.
    #[must_use]
    pub fn is_turn(&self) -> bool {
        !matches!(self, Self::Classify | Self::Plan(_) | Self::Verify { .. } | Self::Validate)
    }
}

/// The information for a plan beside the task and the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grounds {
    /// The reason for another plan.
    pub reason: Option<String>,
    /// Suggestions for that plan.
    pub suggestions: Vec<String>,
    /// The number of steps of the plan before, if those were too many.
    pub too_long: Option<usize>,
}

/// A change of the list. It is made at once and outright: it decides, and is not merged with what the agent sent before.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// New items at the end of the list.
    Add(Vec<Draft>),
    /// New statuses. An item that is gone meanwhile is left out.
    Set(Vec<StatusChange>),
    /// The list is archived.
    Archive,
}

/// A new status for an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusChange {
    pub uid: Uuid,
    pub status: Status,
    /// The item keeps its reason if there is none.
    pub reason: Option<String>,
}

impl StatusChange {
    pub(super) fn new(uid: Uuid, status: Status) -> Self {
        Self { uid, status, reason: None }
    }

    pub(super) fn skipped(uid: Uuid, reason: &str) -> Self {
        Self { uid, status: Status::Skipped, reason: Some(reason.to_owned()) }
    }
}

/// A step of a plan that the user is to approve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanStep {
    pub content: String,
    /// The tool that the step means to use.
    pub tool: Option<String>,
    /// The policy of that tool.
    pub policy: Policy,
}

/// A line for people beside the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The turn is continued (requirement P2), for the `nth` time of at most `of`; an abort stops it. `item` is the
    /// content of the item that is named.
    Continued { item: String, nth: u8, of: u8 },
    /// The classification could not be read: the task is taken for a simple one.
    Unclassified,
    /// The validation could not be read: all items are done, and the task as a whole was not checked.
    Unvalidated,
    /// The plan has too many steps, and is asked for again.
    TooLong { steps: usize },
    /// The plan still has too many steps: this many are planned when the others are done.
    Postponed { steps: usize },
    /// The task is not complete yet, and is planned once more.
    Replanned { reason: String },
    /// The user removed or completed this item, or began another one: the work on it has stopped.
    Dropped { item: String },
}

impl Notice {
    #[must_use]
    pub fn text(&self) -> Text {
        match self {
            Self::Continued { item, nth, of } => say::notice_continued(nth, of, item),
            Self::Unclassified => say::notice_unclassified(),
            Self::Unvalidated => say::notice_unvalidated(),
            Self::TooLong { steps } => say::notice_too_long(steps),
            Self::Postponed { steps } => say::notice_postponed(steps),
            Self::Replanned { reason } => say::notice_replanned(reason),
            Self::Dropped { item } => say::notice_dropped(item),
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text().english)
    }
}
