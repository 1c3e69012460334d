//! Events: what happens to the machine.

use super::Snapshot;
use todo::Draft;
use uuid::Uuid;

/// The id of a request: an effect carries it, and its answer carries it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RequestId(pub u64);

/// Something that happens. An event that does not fit (an answer to no request, a prompt during a run) changes nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The user sends a prompt; a run begins. Not during a run: see [`super::AgentMachine::is_running`].
    Prompt { text: String },
    /// The user wants the list to be worked on without a new prompt; a run begins (requirement T14).
    Resume,
    /// The user stops the run, or a continuation. Without a run, items that a killed process left in progress go back to
    /// pending.
    Abort,
    /// The list has changed, or the user left a note. Never the result of a [`super::Effect::Change`]: that is its answer.
    List { list: Snapshot, by: ChangedBy },
    /// The answer to a request. If the request was cancelled or answered before, it changes nothing.
    Answer { id: RequestId, answer: Answer },
}

/// The author of a change of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangedBy {
    /// The user, or anybody but this agent's model.
    User,
    /// This agent's model, by a todo tool or by a `<todo>` block.
    Model {
        /// The item that the model called completed although it has to be verified first: the result of
        /// [`super::AgentMachine::tame`].
        claims: Option<Uuid>,
    },
}

/// The answer to a request, by the kind of the request.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// To [`super::Purpose::Classify`]: a complex task gets a list (requirement T8).
    Classified { complex: bool },
    /// To [`super::Purpose::Plan`]: its steps, as [`Draft::list`] reads them. Of their statuses, ids and uids nothing is
    /// used; of their `extra` the keys [`super::NEEDS_VERIFICATION`] and [`super::TOOL`]. A number in `depends_on` is an
    /// earlier step's, 1-based.
    Planned(Vec<Draft>),
    /// To the purposes of a turn: the model's answer.
    Turned(ModelReply),
    /// To [`super::Purpose::Verify`] and [`super::Purpose::Validate`].
    Judged(Verdict),
    /// To any purpose: the model's answer cannot be read as what was asked for.
    Unreadable,
    /// To [`super::Effect::Call`]: the tool was called. The model reads `error` with the call's result.
    Called { error: Option<String> },
    /// To [`super::Effect::Approve`].
    Approved(Approval),
    /// To [`super::Effect::Preflight`].
    Checked(Preflight),
    /// To [`super::Effect::Change`]: the list after it, also if the hub has changed nothing.
    Changed(Snapshot),
    /// To any request: it failed for good, after all of the driver's tries. The text is for people.
    Failed(String),
}

/// A model's answer in a turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelReply {
    /// The tool calls in it, in order; none if it is text only.
    pub calls: Vec<ToolCall>,
    /// The model says by [`crate::prompt::DONE_TOOL`] that the whole task is complete (requirement T10).
    pub done: bool,
    /// Further calls of the model that the answer took; they are steps as well.
    pub more_steps: u32,
}

/// A tool call, as far as the machine needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The driver's id for the call, unique in the conversation.
    pub id: String,
    pub tool: String,
}

/// The model's judgement whether an item, or the whole task, is done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verdict {
    pub done: bool,
    pub reason: String,
    /// The work that is left; for a whole task only.
    pub suggestions: Vec<String>,
}

/// The user's answer to a request for approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// This call may be made.
    Once,
    /// This call, and all later calls of this tool in this session.
    Session,
    /// It may not be made.
    Refused,
    /// The user has not answered in time.
    Expired,
}

/// The user's answer to a preflight checklist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preflight {
    /// The plan may be begun as it is.
    Approved,
    /// With these steps in its place. If there are as many as before, each one replaces the step at its place; otherwise a
    /// step with the same words is the same, and the others are new.
    Edited(Vec<EditedStep>),
    /// The whole plan is refused.
    Refused,
    /// The user has not answered in time.
    Expired,
}

/// A step as the user wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedStep {
    /// An empty text leaves the step's words as they were.
    pub content: String,
    pub tool: Option<String>,
    /// The step is left out, and stays in the list as skipped.
    pub skip: bool,
}
