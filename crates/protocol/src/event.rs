//! What a gateway tells its subscribers.

use crate::{
    Actor, ChatStreamDelta, ChatStreamEnd, ChatStreamStart, ChatUpdated, Code, EditState, ImportProgress,
    PreflightChecklist, SessionTodos, Settings, TestStep, ToolApprovalRequest, ToolCalled, ToolFailed, ToolResulted,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use todo::Item;
use ts_rs::TS;

/// A list has a new revision. Always the full list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoUpdate {
    /// The id of the `todo.write` that caused it; for everything else the revision's own id.
    pub request_id: String,
    /// Where in the stream of all changes this is; opaque.
    pub cursor: String,
    /// Whose list.
    pub session_id: String,
    /// Which of its lists.
    pub list_id: String,
    /// The new revision.
    pub revision: u64,
    /// All items, in order.
    pub todos: Vec<Item>,
    /// Who did it.
    pub actor: Actor,
    /// The session after it, so that a client need not ask: its progress, state and edits. Its own `todos` is empty.
    pub session: Box<SessionTodos>,
}

/// A session came or changed (without a new revision).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionEvent {
    /// See [`TodoUpdate::cursor`].
    pub cursor: String,
    /// The session with its list.
    #[serde(flatten)]
    pub session: Box<SessionTodos>,
}

/// A session is gone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionDeleted {
    /// See [`TodoUpdate::cursor`].
    pub cursor: String,
    /// Which.
    pub session_id: String,
}

/// An edit has come further with the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EditStateEvent {
    /// See [`TodoUpdate::cursor`].
    pub cursor: String,
    /// Which edit.
    pub edit_id: String,
    /// Of which session.
    pub session_id: String,
    /// The item it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uid: Option<String>,
    /// How far it has come.
    pub state: EditState,
    /// Since when (RFC 3339, UTC).
    #[ts(type = "string")]
    pub at: Timestamp,
    /// The tool call whose result told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool_call: Option<String>,
}

/// The user has set something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SettingsEvent {
    /// See [`TodoUpdate::cursor`].
    pub cursor: String,
    /// All settings.
    #[serde(flatten)]
    pub settings: Settings,
}

/// What became of the way to the gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum GatewayState {
    /// It answers; what follows is whole.
    Connected,
    /// It does not answer; the client tries again by itself.
    Disconnected,
    /// The subscriber was too slow: events were left out, subscribe again for a fresh snapshot.
    Lagged,
    /// It is shutting down in good order.
    Closing,
}

/// The way to the gateway changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct GatewayStateEvent {
    /// To what.
    pub state: GatewayState,
    /// Why, or what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub message: Option<String>,
}

/// A test of an agent's connection took a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AgentsStepEvent {
    /// Which agent.
    pub agent: String,
    /// The step.
    #[serde(flatten)]
    pub step: TestStep,
}

/// A request could not be answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ErrorEvent {
    /// The request's id, where it had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub request_id: Option<String>,
    /// Where it ended a run of the built-in agent's: that one's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
    /// For programs.
    pub code: Code,
    /// For people.
    pub message: String,
}

/// Everything that a gateway says without being asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type")]
pub enum Event {
    /// See [`TodoUpdate`].
    #[serde(rename = "todo.update")]
    TodoUpdate(TodoUpdate),
    /// A session came.
    #[serde(rename = "session.created")]
    SessionCreated(SessionEvent),
    /// A session changed.
    #[serde(rename = "session.updated")]
    SessionUpdated(SessionEvent),
    /// A session is gone.
    #[serde(rename = "session.deleted")]
    SessionDeleted(SessionDeleted),
    /// See [`EditStateEvent`].
    #[serde(rename = "edit.state")]
    EditState(EditStateEvent),
    /// See [`GatewayStateEvent`].
    #[serde(rename = "gateway.state")]
    GatewayState(GatewayStateEvent),
    /// A test of an agent's connection took a step.
    #[serde(rename = "agents.step")]
    AgentsStep(AgentsStepEvent),
    /// An import came further.
    #[serde(rename = "import.progress")]
    ImportProgress(ImportProgress),
    /// See [`SettingsEvent`].
    #[serde(rename = "settings.updated")]
    SettingsUpdated(SettingsEvent),
    /// An answer of the built-in agent's begins.
    #[serde(rename = "chat.stream.start")]
    ChatStreamStart(ChatStreamStart),
    /// More of it.
    #[serde(rename = "chat.stream.delta")]
    ChatStreamDelta(ChatStreamDelta),
    /// More of what its model thinks.
    #[serde(rename = "chat.stream.reasoning")]
    ChatStreamReasoning(ChatStreamDelta),
    /// Its run is over.
    #[serde(rename = "chat.stream.end")]
    ChatStreamEnd(ChatStreamEnd),
    /// See [`ChatUpdated`].
    #[serde(rename = "chat.updated")]
    ChatUpdated(Box<ChatUpdated>),
    /// It calls a tool.
    #[serde(rename = "tool.call")]
    ToolCall(ToolCalled),
    /// What the tool gave.
    #[serde(rename = "tool.result")]
    ToolResult(ToolResulted),
    /// The tool failed.
    #[serde(rename = "tool.error")]
    ToolError(ToolFailed),
    /// A call waits for the user.
    #[serde(rename = "tool.approval.request")]
    ToolApprovalRequest(ToolApprovalRequest),
    /// A plan waits for the user.
    #[serde(rename = "preflight.checklist")]
    PreflightChecklist(PreflightChecklist),
    /// See [`ErrorEvent`].
    #[serde(rename = "error")]
    Error(ErrorEvent),
}

impl Event {
    /// The run of the built-in agent's that it is of: the run's `requestId` and its session.
    #[must_use]
    pub fn run(&self) -> Option<(&str, &str)> {
        let (request_id, session_id) = match self {
            Self::ChatStreamStart(event) => (&event.request_id, &event.session_id),
            Self::ChatStreamDelta(event) | Self::ChatStreamReasoning(event) => (&event.request_id, &event.session_id),
            Self::ChatStreamEnd(event) => (&event.request_id, &event.session_id),
            Self::ToolCall(event) => (&event.request_id, &event.session_id),
            Self::ToolResult(event) => (&event.request_id, &event.session_id),
            Self::ToolError(event) => (&event.request_id, &event.session_id),
            Self::ToolApprovalRequest(event) => (&event.request_id, &event.session_id),
            Self::PreflightChecklist(event) => (&event.request_id, &event.session_id),
            Self::Error(event) => (event.request_id.as_ref()?, event.session_id.as_ref()?),
            _ => return None,
        };
        Some((request_id, session_id))
    }
}
