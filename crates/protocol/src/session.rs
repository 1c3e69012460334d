//! Sessions, revisions and edits as clients see them.

use crate::Transport;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use todo::Item;
use ts_rs::TS;

/// An agent's name and version, as it says them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AgentInfo {
    /// `codex`, `opencode`, `gemini`, … or whatever the client calls itself.
    pub name: String,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub version: Option<String>,
}

/// What a session's agent is doing, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum SessionState {
    /// Heard of lately, with work left in its list, or at work without one.
    Running,
    /// It waits for the user.
    Waiting,
    /// Heard of lately, and either nothing is left in its list or its turn is over.
    Idle,
    /// Its agent has gone, in good order.
    Finished,
    /// Its agent said that it failed.
    Failed,
    /// Not known to be gone, but nothing was heard for a while (15 minutes; see `Settings::stale_minutes`).
    Stale,
}

/// Why a session's list is as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum ListState {
    /// There are items.
    Active,
    /// It is empty because somebody emptied it.
    KnownEmpty,
    /// The agent is connected and has not used the tool yet.
    NeverCalled,
    /// The agent's own todo tool is switched off.
    ToolOff,
    /// Nothing is known.
    Unknown,
}

/// How far a list is, in top-level items: completed or skipped, over all but cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// Completed or skipped.
    pub completed: u32,
    /// All but cancelled.
    pub total: u32,
    /// For the bar, 0 to 1: the fractions of subtasks included.
    #[serde(default)]
    pub fraction: f64,
}

/// What a session may need of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum NeedKind {
    /// Its agent waits for an approval or an answer.
    Waiting,
    /// An item is blocked.
    Blocked,
    /// The agent decided against an edit of the user's.
    Overridden,
    /// The agent goes on as if it had not heard of an edit.
    Ignored,
    /// The agent works while its list stands still.
    Drift,
    /// The agent has no list to show, since its tool is switched off.
    ToolOff,
}

/// One thing that a session needs of the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Need {
    /// Names it in its session, for `need.dismiss`; the same for as long as it is there.
    pub id: String,
    /// What it is.
    pub kind: NeedKind,
    /// Since when (RFC 3339, UTC).
    #[ts(type = "string")]
    pub since: Timestamp,
    /// What it is about, in the agent's or the user's words: what it waits for, the item, the edit. At most 300
    /// characters; empty where nothing is known.
    pub text: String,
    /// The item it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uid: Option<String>,
    /// The edit it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub edit_id: Option<String>,
}

/// One run of one agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// Ours.
    pub session_id: String,
    /// The name it was opened under, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub label: Option<String>,
    /// The session whose subagent this is, or, of an agent's own list, that of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub parent_session_id: Option<String>,
    /// The list is the agent's own, written with this tool of its (`update_plan`), and shown under the session of the
    /// run (`parentSessionId`); none where it is ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub own_tool: Option<String>,
    /// The agent cannot be told of edits, so there are none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub read_only: bool,
    /// What it is about.
    pub title: String,
    /// Who runs it.
    pub agent: AgentInfo,
    /// Where it works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub folder: Option<String>,
    /// The folder's short name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub project: Option<String>,
    /// The git branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub branch: Option<String>,
    /// What its agent is doing.
    pub state: SessionState,
    /// What it waits for, or why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub state_reason: Option<String>,
    /// Why its list is as it is.
    pub list_state: ListState,
    /// How far it is.
    pub progress: Progress,
    /// The newest revision; 0 before the first.
    pub revision: u64,
    /// When it began (RFC 3339, UTC).
    #[ts(type = "string")]
    pub created_at: Timestamp,
    /// When its agent was last heard of (RFC 3339, UTC).
    #[ts(type = "string")]
    pub last_activity_at: Timestamp,
    /// Its agent is connected, was heard within the time that makes a session stale, or waits for the user (for a day
    /// at most).
    pub current: bool,
    /// Its agent is connected. One that is not may come back.
    #[serde(default)]
    pub connected: bool,
    /// Calls of tools that are not about a list since its lists changed last, where hooks or files tell of them.
    #[serde(default)]
    pub calls_since_list: u32,
    /// Those are [`crate::DRIFT_CALLS`] or more, and its list is not finished.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub drifts: bool,
    /// What it needs of the user and was not dismissed, longest first; of current sessions only.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "known")]
    #[ts(as = "Option<Vec<Need>>", optional)]
    pub needs: Vec<Need>,
    /// Since when its agent has been in its state (RFC 3339, UTC).
    #[serde(default)]
    #[ts(type = "string")]
    pub state_at: Timestamp,
    /// The user keeps it on the board, whether it is current or not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub pinned: bool,
    /// The user does not want to be told of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub muted: bool,
    /// The user took it off the board, and nothing was heard of it since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub dismissed: bool,
    /// When the user deleted it (RFC 3339, UTC); only in the list of those that can be brought back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub deleted_at: Option<Timestamp>,
    /// Tek's name for it: `agent:{agent}:{sessionId}`.
    pub session_key: String,
    /// The model, where it is known; otherwise empty (Tek's field).
    pub model: String,
    /// How many revisions there are (Tek's field).
    pub message_count: u64,
}

/// Those that this build knows: a later one may have other kinds.
fn known<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Need>, D::Error> {
    let needs = Vec::<serde_json::Value>::deserialize(deserializer)?;
    Ok(needs.into_iter().filter_map(|need| serde_json::from_value(need).ok()).collect())
}

/// A session with its active list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionTodos {
    /// The session.
    #[serde(flatten)]
    pub session: Session,
    /// The active list.
    pub list_id: String,
    /// Its items, in order.
    pub todos: Vec<Item>,
    /// The user's edits that are not settled yet, and the newest that are.
    pub edits: Vec<EditView>,
}

/// What kind of change an edit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum EditKind {
    /// An item was added (or brought back).
    Add,
    /// An item was removed.
    Delete,
    /// All items were removed.
    Clear,
    /// The status or other fields of items were set.
    Set,
    /// An item was put elsewhere.
    Move,
    /// Another list took the place of the one there was.
    Load,
    /// A line was left for the agent.
    Note,
}

/// How far an edit has come with the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum EditState {
    /// The agent has not heard of it.
    Queued,
    /// It was in the result of one of the agent's calls.
    Delivered,
    /// The agent's list follows it.
    Reflected,
    /// The agent decided otherwise.
    Overridden,
    /// The agent goes on as if it had not heard.
    Ignored,
    /// A later edit or an undo took its place.
    Superseded,
}

/// One edit of the user's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EditView {
    /// Names it, for `todo.undo`.
    pub edit_id: String,
    /// What was done.
    pub kind: EditKind,
    /// The item it is about; none where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uid: Option<String>,
    /// What was added, removed or changed, in short.
    pub text: String,
    /// What was made of it: `status completed`, `to 2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub detail: Option<String>,
    /// How far it has come.
    pub state: EditState,
    /// Since when (RFC 3339, UTC).
    #[ts(type = "string")]
    pub at: Timestamp,
    /// When the agent was told (RFC 3339, UTC).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub delivered_at: Option<Timestamp>,
    /// The tool call whose result told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool_call: Option<String>,
    /// The user insists on it, after the agent overrode or ignored it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub insisted: bool,
    /// The client that made it; each window undoes its own.
    pub client: String,
}

/// What kind of actor made a revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum ActorKind {
    /// An agent.
    Agent,
    /// An agent that works for another one.
    Subagent,
    /// A person.
    User,
}

/// Who made a revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Actor {
    /// Agent, subagent or user.
    pub kind: ActorKind,
    /// The agent's name, or the client's.
    pub name: String,
    /// The way in.
    pub transport: Transport,
}

/// One revision: what changed, when and by whom.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RevisionView {
    /// Its number, from 1, without gaps.
    pub revision: u64,
    /// When (RFC 3339, UTC).
    #[ts(type = "string")]
    pub at: Timestamp,
    /// Who.
    pub actor: Actor,
    /// The type of the request that made it: `todo.write`, `todo.add`, `session.load`, …
    #[serde(default)]
    pub cause: String,
    /// The uids of items that came.
    pub added: Vec<String>,
    /// The uids of items that changed.
    pub changed: Vec<String>,
    /// The uids of items that went.
    pub removed: Vec<String>,
}
