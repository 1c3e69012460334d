//! What the machine wants done.

use super::{Policy, RequestId, ToolCall};
use todo::{Draft, Status};
use uuid::Uuid;

/// Something to do. Those with an id are requests: exactly one is outstanding while a run goes on, and the machine
/// waits for its answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// The run has something to show from now on: `chat.stream.start`. Once in each run, and not where it ends in its
    /// preparation.
    Start,
    /// Call the model.
    Ask {
        /// The request's.
        id: RequestId,
        /// What for.
        purpose: Purpose,
        /// The list is otherwise than the model heard in its last turn: it has to hear it as it is, and what the user
        /// changed and noted (REQUIREMENTS T7, P11).
        reminder: bool,
        /// How many further calls of the model the answer may take: [`super::Reply::more_steps`].
        more: u32,
    },
    /// Call a tool. One of [`super::TODO_TOOLS`] goes through [`super::Machine::tame`] first, and what it made of the
    /// list is an [`super::Event::List`] before the answer.
    Call {
        /// The request's.
        id: RequestId,
        /// Which.
        call: ToolCall,
    },
    /// This call is not made, or was cancelled: the model reads this as its result.
    Reject {
        /// Which.
        call: ToolCall,
        /// Why, for the model.
        reason: String,
    },
    /// Ask the user whether this call may be made.
    Approve {
        /// The request's.
        id: RequestId,
        /// Which.
        call: ToolCall,
    },
    /// Show the user a plan before it is begun.
    Preflight {
        /// The request's.
        id: RequestId,
        /// Its steps.
        steps: Vec<Step>,
    },
    /// Change the list, through the hub, in the order of these effects.
    Change {
        /// The request's.
        id: RequestId,
        /// How.
        change: Change,
    },
    /// Nobody waits for this request any more: stop it, at once. Never a change of the list.
    Cancel {
        /// The request's.
        id: RequestId,
    },
    /// Tell the chat.
    Tell(Notice),
    /// The run is over: `chat.stream.end`, or an error. Nothing is outstanding and nothing in progress.
    End(super::Outcome),
}

impl Effect {
    /// The id of a request.
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

/// What the model is called for. [`crate::prompt::ask`] has the words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// Is the task complex? No tools.
    Classify,
    /// Which steps does it take? No tools.
    Plan(Grounds),
    /// A turn: answer the prompt, without a list of the machine's.
    Answer,
    /// A turn: do this item.
    Work {
        /// Which.
        item: Uuid,
    },
    /// The same turn goes on with the results of its tool calls; there is nothing to add to them.
    GoOn,
    /// A turn: the one before ended with work left (REQUIREMENTS P2).
    Continue {
        /// The item in progress, or the first that can start.
        item: Uuid,
    },
    /// A turn: this item is not done yet.
    Redo {
        /// Which.
        item: Uuid,
        /// Why not.
        reason: String,
    },
    /// A turn: there is nothing left that the model could do by what it knows, and the user has said something since
    /// (REQUIREMENTS P11).
    Heed,
    /// Is this item done (REQUIREMENTS T12)? No tools.
    Verify {
        /// Which.
        item: Uuid,
    },
    /// Is the whole task complete (REQUIREMENTS T11)? No tools.
    Validate,
}

impl Purpose {
    /// It is a turn, with tools, and its answer streams to the chat; the others are answered by JSON.
    #[must_use]
    pub fn is_turn(&self) -> bool {
        !matches!(self, Self::Classify | Self::Plan(_) | Self::Verify { .. } | Self::Validate)
    }
}

/// What a plan starts from, beside the task and the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grounds {
    /// Why there has to be another plan.
    pub reason: Option<String>,
    /// What it should do.
    pub suggestions: Vec<String>,
    /// The plan before had so many steps, which is too many.
    pub too_long: Option<usize>,
}

/// A change of the list. Each is made at once and outright: it decides, and is not merged with what the agent said
/// before.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// New items at the end of the list.
    Add(Vec<Draft>),
    /// Other statuses. An item that is gone meanwhile is left out.
    Set(Vec<Mark>),
    /// The list goes to the history.
    Archive,
}

/// An item's new status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Which item.
    pub uid: Uuid,
    /// What it becomes.
    pub status: Status,
    /// Why; it stays as it is where there is none.
    pub reason: Option<String>,
}

impl Mark {
    pub(super) fn new(uid: Uuid, status: Status) -> Self {
        Self { uid, status, reason: None }
    }

    pub(super) fn skipped(uid: Uuid, reason: &str) -> Self {
        Self { uid, status: Status::Skipped, reason: Some(reason.to_owned()) }
    }
}

/// A step of a plan that the user is to approve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Its words.
    pub content: String,
    /// The tool it means to use.
    pub tool: Option<String>,
    /// What has to happen before that is called.
    pub policy: Policy,
}

/// Something that people should see beside the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The turn is continued (REQUIREMENTS P2); an abort stops it.
    Continued {
        /// The words of the item that is named.
        item: String,
        /// Which continuation it is, from 1.
        nth: u8,
        /// How many there may be.
        of: u8,
    },
    /// The classification could not be read: the task is taken for a simple one.
    Unclassified,
    /// The validation could not be read: all items are done, and nobody has looked at the whole.
    Unvalidated,
    /// The plan has too many steps, and is asked for again.
    TooLong {
        /// So many.
        steps: usize,
    },
    /// The plan still has too many steps: these are planned when the others are done.
    Postponed {
        /// So many.
        steps: usize,
    },
    /// The task is not complete yet, and is planned once more.
    Replanned {
        /// Why.
        reason: String,
    },
    /// The user took an item away, did it, or began another one: the work on it has stopped.
    Dropped {
        /// Its words.
        item: String,
    },
}
