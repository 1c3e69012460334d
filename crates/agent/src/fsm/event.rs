//! What happens to the machine.

use super::Snapshot;
use todo::Draft;
use uuid::Uuid;

/// Names a request of the machine's: an effect carries it, and its answer carries it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RequestId(pub u64);

/// Something that happens. What does not fit (an answer that nobody waits for, a prompt during a run) changes nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The user asks for something; a run begins. Not during a run: see [`super::Machine::is_running`].
    Prompt {
        /// The user's words.
        text: String,
    },
    /// The user wants the list to be worked on, without a new prompt; a run begins (REQUIREMENTS T14).
    Resume,
    /// The user stops the run, or a continuation. Without a run: what is still in progress, since the process was
    /// killed, goes back to pending.
    Abort,
    /// The list is otherwise than before, or the user left a note. Never what a [`super::Effect::Change`] made of it:
    /// that is its answer.
    List {
        /// As it is now.
        list: Snapshot,
        /// Who did it.
        by: By,
    },
    /// What came of a request. One that was cancelled, or answered before, changes nothing.
    Answer {
        /// The request's.
        id: RequestId,
        /// What came of it.
        answer: Answer,
    },
}

/// Who changed the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The user, or anybody but this agent's model.
    User,
    /// This agent's model, by a todo tool or by a `<todo>` block.
    Model {
        /// The item that it called completed and that was held back: what [`super::Machine::tame`] gave.
        claims: Option<Uuid>,
    },
}

/// What came of a request, by its kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// To [`super::Purpose::Classify`]: whether the task is complex (REQUIREMENTS T8).
    Classified {
        /// It gets a list.
        complex: bool,
    },
    /// To [`super::Purpose::Plan`]: its steps, as [`Draft::list`] reads them. Their statuses, ids and uids mean
    /// nothing; the keys [`super::NEEDS_VERIFICATION`] and [`super::TOOL`] of their `extra` do. A number in
    /// `depends_on` is an earlier step's, 1-based.
    Planned(Vec<Draft>),
    /// To the purposes of a turn: the model's answer.
    Turned(Reply),
    /// To [`super::Purpose::Verify`] and [`super::Purpose::Validate`].
    Judged(Verdict),
    /// To any purpose: the model has answered, and it cannot be read as what was asked for.
    Unreadable,
    /// To [`super::Effect::Call`]: the tool was called.
    Called {
        /// What went wrong; the model reads it with the call's result.
        error: Option<String>,
    },
    /// To [`super::Effect::Approve`].
    Approved(Approval),
    /// To [`super::Effect::Preflight`].
    Checked(Preflight),
    /// To [`super::Effect::Change`]: the list after it, also where the hub has changed nothing.
    Changed(Snapshot),
    /// To any request: it failed for good, after as many tries as the driver makes. For people.
    Failed(String),
}

/// A model's answer in a turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    /// The tool calls in it, in order; none where it is text only.
    pub calls: Vec<ToolCall>,
    /// It says that the whole task is complete (REQUIREMENTS T10), by [`crate::prompt::DONE_TOOL`].
    pub done: bool,
    /// Calls of the model that it took beside the one that was asked for; they are steps as well.
    pub more_steps: u32,
}

/// A tool call, as far as the machine cares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The model's or the driver's name for it, new in each reply.
    pub id: String,
    /// The tool's name.
    pub tool: String,
}

/// Whether an item, or the whole task, is done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verdict {
    /// It is.
    pub done: bool,
    /// Why.
    pub reason: String,
    /// What is still to be done; for a whole task only.
    pub suggestions: Vec<String>,
}

/// The user's answer to a request for approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// This call may be made.
    Once,
    /// And all later calls of this tool in this session.
    Session,
    /// It may not.
    Refused,
    /// Nobody answered in time.
    Expired,
}

/// The user's answer to a preflight checklist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preflight {
    /// As it is.
    Approved,
    /// With these steps in its place. Of as many as there were each is the one at its place; otherwise one with the
    /// same words is the same, and others are new.
    Edited(Vec<EditedStep>),
    /// The whole of it is refused.
    Refused,
    /// Nobody answered in time.
    Expired,
}

/// A step as the user wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedStep {
    /// Its words; what is empty stays as it was.
    pub content: String,
    /// The tool it is to use.
    pub tool: Option<String>,
    /// It is left out, and stays in the list as skipped.
    pub skip: bool,
}
