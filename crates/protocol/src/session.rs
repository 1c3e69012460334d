//! Sessions, revisions and edits as clients see them.

use crate::{OpenWith, SendingEdit};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use session::{Actor, ListState, Progress, Usage};
use texts::TextRef;
use todo::Item;
use ts_rs::TS;

/// An agent's name and version, as it says them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentInfo {
    /// `codex`, `opencode`, `gemini`, … or whatever the client calls itself.
    pub name: String,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub version: Option<String>,
}

/// State of a session's agent, as far as it is known.
// Derived from the time and from the state that the agent last reported, which is stored (`session::ReportedState`); this
// one never is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SessionState {
    /// Active lately, with open items in its list, or at work without a list.
    Running,
    /// Waits for the user.
    Waiting,
    /// Active lately; nothing in its list is open, or its turn is over.
    Idle,
    /// Ended in good order.
    Finished,
    /// Ended with an error.
    Failed,
    /// Nothing was heard of it for a while (`staleMinutes` of the settings, 15 at first), and it is not known to have
    /// ended.
    Stale,
}

/// Reasons why a session needs the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum NeedKind {
    /// The agent asks for a permission that can be given here.
    Permission,
    /// The agent waits for an approval or an answer.
    Waiting,
    /// The agent's run has failed.
    Failed,
    /// The agent has ended, and a step that the user added is not done.
    Unfinished,
    /// An item is blocked, and not by the user.
    Blocked,
    /// The agent changed an edit of the user's back.
    Overridden,
    /// The agent does not follow an edit that it was told of.
    Ignored,
    /// Another session changes the same file.
    Overlap,
    /// The agent works while its list does not change.
    Drift,
    /// There is no list, since the agent's todo tool is switched off.
    ToolOff,
}

impl NeedKind {
    /// Its word, as on the wire.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Permission => "permission",
            Self::Waiting => "waiting",
            Self::Failed => "failed",
            Self::Unfinished => "unfinished",
            Self::Blocked => "blocked",
            Self::Overridden => "overridden",
            Self::Ignored => "ignored",
            Self::Overlap => "overlap",
            Self::Drift => "drift",
            Self::ToolOff => "toolOff",
        }
    }
}

/// A reason why a session needs the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Need {
    /// Id of the need within its session, for [`NeedDismiss`](crate::NeedDismiss); the same for as long as the need
    /// lasts.
    pub id: String,
    /// The reason.
    pub kind: NeedKind,
    /// Since when (RFC 3339, UTC).
    #[ts(type = "string")]
    pub since: Timestamp,
    /// Its subject, in the agent's or the user's words: what the agent waits for, the item, the edit. At most 300
    /// characters; empty where nothing is known.
    pub text: String,
    /// The same in the catalogue, where the words are ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub words: Option<TextRef>,
    /// Uid of the item that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uid: Option<String>,
    /// Id of the edit that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub edit_id: Option<String>,
    /// Id of the permission that is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub permission_id: Option<String>,
    /// Id of the other session that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub other_session_id: Option<String>,
}

/// One run of one agent, or the built-in list of such a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// Id of the session, given by the gateway.
    pub session_id: String,
    /// Label under which it was opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub label: Option<String>,
    /// For a subagent: the session of the agent that it works for. For a built-in list: the session of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub parent_session_id: Option<String>,
    /// For a built-in list: the agent's tool that writes it, such as `update_plan`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub own_tool: Option<String>,
    /// For a run: the session of its built-in list, while that list stands for the run. It does until a list was written
    /// to the run itself; left out from then on, also when that list is cleared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub list_session_id: Option<String>,
    /// The list cannot be edited, since the agent cannot be told of edits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub read_only: bool,
    /// Its subject, in a few words.
    pub title: String,
    /// The agent.
    pub agent: AgentInfo,
    /// Path of the folder that it works in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub folder: Option<String>,
    /// Short name of the folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub project: Option<String>,
    /// Git branch that is checked out there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub branch: Option<String>,
    /// State of the agent.
    pub state: SessionState,
    /// The reason: what the agent waits for, or why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub state_reason: Option<String>,
    /// The same in the catalogue, where the words are ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub state_reason_text: Option<TextRef>,
    /// State of the list.
    pub list_state: ListState,
    /// Progress of the list.
    pub progress: Progress,
    /// The newest revision; 0 before the first.
    pub revision: u64,
    /// Time at which it began (RFC 3339, UTC).
    #[ts(type = "string")]
    pub created_at: Timestamp,
    /// Time at which its agent was last heard of (RFC 3339, UTC).
    #[ts(type = "string")]
    pub last_activity_at: Timestamp,
    /// The agent is connected, was heard of within the time that makes a session stale, or waits for the user, for a
    /// day at most.
    pub current: bool,
    /// The agent is connected. One that is not may come back.
    #[serde(default)]
    pub connected: bool,
    /// Calls of other tools since its lists changed last, where hooks or files tell of them.
    #[serde(default)]
    pub calls_since_list: u32,
    /// The last call of another tool that has ended, where hooks tell of it. Not kept when the gateway ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub last_call: Option<LastCall>,
    /// Its model, context, tokens and cost, as far as its agent tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub usage: Option<Usage>,
    /// There were 15 such calls or more, and the list is not finished.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub drifts: bool,
    /// Reasons why it needs the user, longest first; dismissed ones are left out. Only current sessions have any.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "known")]
    #[ts(as = "Option<Vec<Need>>", optional)]
    pub needs: Vec<Need>,
    /// Time since which the agent has been in its state (RFC 3339, UTC).
    #[serde(default)]
    #[ts(type = "string")]
    pub state_at: Timestamp,
    /// Names of the agents that share its list, where there are several: `codex`, `codex 2`. A step whose owner is one of
    /// them is given to that one only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub agents: Vec<String>,
    /// The user keeps it on the board, current or not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub pinned: bool,
    /// The user wants no notifications about it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub muted: bool,
    /// Agents of every key may open it by its label; without that only those with the key of the agent that chose it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub shared: bool,
    /// The user took it off the board, and it was not active since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub dismissed: bool,
    /// A message is given to its agent as a prompt at once, where it has nothing to do.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub prompts: bool,
    /// Tags that the user gave it, oldest first: single words in lower case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub tags: Vec<String>,
    /// For a session that is mirrored: the host that it lives on. Its folder and its agent's terminal are there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub host: Option<String>,
    /// For a session that is mirrored: edits that its host has not got yet or has refused, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<SendingEdit>>", optional)]
    pub sending: Vec<SendingEdit>,
    /// For a session that is mirrored: what opens its folder there, over ssh; nothing for one that is reached otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<OpenWith>>", optional)]
    pub opens: Vec<OpenWith>,
    /// Time at which the user deleted it (RFC 3339, UTC); only among deleted sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub deleted_at: Option<Timestamp>,
}

impl Session {
    /// True if a list was written to it: the user's messages alone are revisions, too.
    #[must_use]
    pub fn has_list(&self) -> bool {
        self.revision > 0 && self.list_state.is_known()
    }
}

/// A call of a tool that has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct LastCall {
    /// The tool, as the agent calls it.
    pub tool: String,
    /// Its subject, such as a command or a file: at most 300 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub text: Option<String>,
    /// Time at which it ended (RFC 3339, UTC).
    #[ts(type = "string")]
    pub at: Timestamp,
}

/// Reads the needs that this build knows; a later one may have other kinds.
fn known<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Need>, D::Error> {
    let needs = Vec::<serde_json::Value>::deserialize(deserializer)?;
    Ok(needs.into_iter().filter_map(|need| serde_json::from_value(need).ok()).collect())
}

/// A session and its list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionTodos {
    /// The session.
    #[serde(flatten)]
    pub session: Session,
    /// Id of the list; changes when the list is archived or another one is loaded.
    pub list_id: String,
    /// The items, in order.
    pub todos: Vec<Item>,
    /// The user's edits that are not settled yet, and the newest that are.
    pub edits: Vec<EditView>,
}

/// Kinds of edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum EditKind {
    /// An item was added or brought back.
    Add,
    /// An item was removed.
    Delete,
    /// All items were removed.
    Clear,
    /// The status or other fields of items were set.
    Set,
    /// An item was moved.
    Move,
    /// Another list was put in the place of the present one.
    Load,
    /// A message was sent to the agent.
    Note,
}

/// Progress of an edit on its way to the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EditState {
    /// Pending: the agent has not seen it.
    Queued,
    /// It was in something that the agent received.
    Delivered,
    /// Applied: the agent's list follows it.
    Reflected,
    /// The agent set it otherwise after it was delivered.
    Overridden,
    /// Not followed: it was delivered, and two lists later the agent still goes on as before.
    Ignored,
    /// A later edit or an undo took its place.
    Superseded,
}

/// One of the user's edits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditView {
    /// Id of the edit, for [`TodoUndo`](crate::TodoUndo) and [`EditInsist`](crate::EditInsist).
    pub edit_id: String,
    /// The kind of edit.
    pub kind: EditKind,
    /// Uid of the item that it is about; absent where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uid: Option<String>,
    /// Short text of what was added, removed or changed.
    pub text: String,
    /// The change: `status completed`, `to 2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub detail: Option<String>,
    /// The same in the catalogue, where it is a status or a place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub detail_text: Option<TextRef>,
    /// Progress on its way to the agent.
    pub state: EditState,
    /// Time since which it has been in that state (RFC 3339, UTC).
    #[ts(type = "string")]
    pub at: Timestamp,
    /// Time at which it was delivered (RFC 3339, UTC).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub delivered_at: Option<Timestamp>,
    /// Id of the tool call whose result delivered it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool_call: Option<String>,
    /// The user sent it again, after the agent overrode or did not follow it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub insisted: bool,
    /// The client that made it; each window undoes its own edits.
    pub client: String,
}

/// One revision of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RevisionView {
    /// Its number, from 1, without gaps.
    pub revision: u64,
    /// Time of the change (RFC 3339, UTC).
    #[ts(type = "string")]
    pub at: Timestamp,
    /// Its maker.
    pub actor: Actor,
    /// Type of the request that made it: `todo.write`, `todo.add`, `session.load`, …
    #[serde(default)]
    pub cause: String,
    /// Uids of the items that were added.
    pub added: Vec<String>,
    /// Uids of the items that changed.
    pub changed: Vec<String>,
    /// Uids of the items that were removed.
    pub removed: Vec<String>,
}
