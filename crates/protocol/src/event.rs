//! Events that a gateway sends its subscribers.

use crate::{
    Actor, ChatStreamDelta, ChatStreamEnd, ChatStreamStart, ChatUpdated, Code, EditState, Host, ImportProgress,
    PreflightChecklist, SessionTodos, Settings, TestStep, ToolApprovalRequest, ToolCalled, ToolFailed, ToolResulted,
};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use texts::TextRef;
use todo::Item;
use ts_rs::TS;

/// A list has a new revision. Always holds the full list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoUpdate {
    /// Id of the `todo.write` that made the revision; otherwise an id of the revision itself.
    pub request_id: String,
    /// Place in the stream of all changes; opaque.
    pub cursor: String,
    /// Id of the session.
    pub session_id: String,
    /// Id of the list; changes when the list is archived or another one is loaded.
    pub list_id: String,
    /// The new revision.
    pub revision: u64,
    /// All items, in order.
    pub todos: Vec<Item>,
    /// The maker of the revision.
    pub actor: Actor,
    /// The session after it, so that a client need not ask: its progress, state and edits. Its own `todos` is empty.
    pub session: Box<SessionTodos>,
}

/// A session began or changed, without a new revision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionEvent {
    /// Place in the stream of all changes; opaque.
    pub cursor: String,
    /// The session with its list.
    #[serde(flatten)]
    pub session: Box<SessionTodos>,
}

/// A session was deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionDeleted {
    /// Place in the stream of all changes; opaque.
    pub cursor: String,
    /// Id of the session.
    pub session_id: String,
}

/// One list of a session was deleted, or brought back; its session goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListEvent {
    /// Place in the stream of all changes; opaque.
    pub cursor: String,
    /// Id of the session.
    pub session_id: String,
    /// Id of the list.
    pub list_id: String,
}

/// An edit has come further on its way to the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditStateEvent {
    /// Place in the stream of all changes; opaque.
    pub cursor: String,
    /// Id of the edit.
    pub edit_id: String,
    /// Id of its session.
    pub session_id: String,
    /// Uid of the item that it is about; absent where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uid: Option<String>,
    /// Its new state.
    pub state: EditState,
    /// Time of the change of state (RFC 3339, UTC).
    #[ts(type = "string")]
    pub at: Timestamp,
    /// Id of the tool call whose result delivered it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool_call: Option<String>,
}

/// The user changed settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettingsEvent {
    /// Place in the stream of all changes; opaque.
    pub cursor: String,
    /// All settings.
    #[serde(flatten)]
    pub settings: Settings,
}

/// Keys were made, ended or decided about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeysEvent {
    /// Keys that wait for rights.
    pub waiting: u32,
}

/// A host came or went, or its state has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostsEvent {
    /// All hosts, by their names.
    pub hosts: Vec<Host>,
}

/// A change of the steps and messages that are kept for later: one was added, changed, deleted or handed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LaterEvent {
    /// Place in the stream of all changes; opaque.
    pub cursor: String,
    /// The session whose queue it is; absent where it is a folder's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
    /// The folder whose queue it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub folder: Option<String>,
}

/// State of the way to the gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GatewayState {
    /// The gateway answers; the events that follow are complete.
    Connected,
    /// The gateway does not answer; the client tries again by itself. Clients that are processes of ours say it, a
    /// gateway never does.
    Disconnected,
    /// The subscriber was too slow and events were dropped; subscribe again for a fresh snapshot.
    Lagged,
    /// The gateway is shutting down in good order.
    Closing,
}

/// The way to the gateway changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayStateEvent {
    /// Its state.
    pub state: GatewayState,
    /// The reason, or what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub message: Option<String>,
    /// The same in the catalogue, for clients that show it to people in their own language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub text: Option<TextRef>,
}

/// A test of an agent's connection took a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsStepEvent {
    /// Name of the agent.
    pub agent: String,
    /// The step.
    #[serde(flatten)]
    pub step: TestStep,
    /// Its number, from 1.
    #[serde(default)]
    pub at: u32,
    /// The number of steps that the test has where all succeed.
    #[serde(default)]
    pub of: u32,
}

/// A request failed, or a run of the built-in agent ended in an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorEvent {
    /// Id of the request, where it had one; for a run, the run's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub request_id: Option<String>,
    /// For a run: id of its session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
    /// The error, for programs.
    pub code: Code,
    /// The error in English: what happened and what to do.
    pub message: String,
    /// The error in the catalogue, for clients that show it to people in their own language. The catalogue may say less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub text: Option<TextRef>,
}

/// Everything that a gateway sends without being asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "type")]
pub enum Event {
    /// A list has a new revision.
    #[serde(rename = "todo.update")]
    TodoUpdate(TodoUpdate),
    /// A session began.
    #[serde(rename = "session.created")]
    SessionCreated(SessionEvent),
    /// A session changed, without a new revision.
    #[serde(rename = "session.updated")]
    SessionUpdated(SessionEvent),
    /// A session was deleted.
    #[serde(rename = "session.deleted")]
    SessionDeleted(SessionDeleted),
    /// A list was deleted, and its session was not.
    #[serde(rename = "list.deleted")]
    ListDeleted(ListEvent),
    /// A deleted list was brought back.
    #[serde(rename = "list.undeleted")]
    ListUndeleted(ListEvent),
    /// An edit has come further on its way to the agent.
    #[serde(rename = "edit.state")]
    EditState(EditStateEvent),
    /// The way to the gateway changed; it has no cursor.
    #[serde(rename = "gateway.state")]
    GatewayState(GatewayStateEvent),
    /// A test of an agent's connection took a step.
    #[serde(rename = "agents.step")]
    AgentsStep(AgentsStepEvent),
    /// An import made progress.
    #[serde(rename = "import.progress")]
    ImportProgress(ImportProgress),
    /// The user changed settings.
    #[serde(rename = "settings.updated")]
    SettingsUpdated(SettingsEvent),
    /// Keys were made, ended or decided about; it has no cursor.
    #[serde(rename = "keys.updated")]
    KeysUpdated(KeysEvent),
    /// A host came or went, or its state has changed; it has no cursor.
    #[serde(rename = "hosts.updated")]
    HostsUpdated(HostsEvent),
    /// The steps and messages that are kept for later have changed.
    #[serde(rename = "later.updated")]
    LaterUpdated(LaterEvent),
    /// An answer of the built-in agent begins.
    #[serde(rename = "chat.stream.start")]
    ChatStreamStart(ChatStreamStart),
    /// More of the answer.
    #[serde(rename = "chat.stream.delta")]
    ChatStreamDelta(ChatStreamDelta),
    /// More of the model's reasoning.
    #[serde(rename = "chat.stream.reasoning")]
    ChatStreamReasoning(ChatStreamDelta),
    /// A run of the built-in agent is over.
    #[serde(rename = "chat.stream.end")]
    ChatStreamEnd(ChatStreamEnd),
    /// A message was added to a conversation, or something that waited for the user was answered or expired.
    #[serde(rename = "chat.updated")]
    ChatUpdated(Box<ChatUpdated>),
    /// The built-in agent calls a tool.
    #[serde(rename = "tool.call")]
    ToolCall(ToolCalled),
    /// The tool's result.
    #[serde(rename = "tool.result")]
    ToolResult(ToolResulted),
    /// The tool failed.
    #[serde(rename = "tool.error")]
    ToolError(ToolFailed),
    /// A call of a tool waits for the user.
    #[serde(rename = "tool.approval.request")]
    ToolApprovalRequest(ToolApprovalRequest),
    /// A plan waits for the user.
    #[serde(rename = "preflight.checklist")]
    PreflightChecklist(PreflightChecklist),
    /// A request failed, or a run of the built-in agent ended in an error.
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
