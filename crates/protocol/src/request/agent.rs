//! What agents ask, and what they are told.

use crate::EditView;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use todo::Item;
use ts_rs::TS;

/// An agent's whole list.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoWrite {
    /// Which session; or `session`; or, for an agent that said who it is, neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
    /// A label: the session of that label, made when new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session: Option<String>,
    /// The items as the agent says them: `{id?, content, status?, activeForm?, …}`.
    #[ts(type = "Array<Record<string, unknown>>")]
    pub todos: Value,
    /// Only what has changed is sent: items named by `id` or `uid`, or new ones; everything else stays.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub merge: bool,
    /// For a subagent: the session of the agent that it works for. Counts when the session is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub parent_session_id: Option<String>,
    /// The message's id as the transport saw it; the `requestId` of the `todo.update`. Transports set it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub request_id: Option<String>,
}

/// An agent asks for its list.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoRead {
    /// See [`TodoWrite::session_id`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
    /// See [`TodoWrite::session`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session: Option<String>,
}

/// The merged list, and what the agent has to be told of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoWritten {
    /// Which session it was.
    pub session_id: String,
    /// Its label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session: Option<String>,
    /// The newest revision.
    pub revision: u64,
    /// The list after the merge.
    pub todos: Vec<Item>,
    /// How far it is.
    pub progress: crate::Progress,
    /// The user's edits that this answer tells; see [`TodoDelivered`].
    pub edits: Vec<EditView>,
    /// What else the sender should know, in sentences: several items in progress, an item that stays removed.
    pub remarks: Vec<String>,
}

/// One action of `todo_manager`, on the same list as `todo.write` (REQUIREMENTS T1 to T7).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoManage {
    /// See [`TodoWrite::session_id`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
    /// See [`TodoWrite::session`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session: Option<String>,
    /// `list`, `next`, `add_multiple`, `add_after_position`, `complete_multiple`, `skip` or `replace_all`.
    pub action: String,
    /// What each takes: `todos`, `ids`, `position`, `reason`.
    #[serde(flatten)]
    #[ts(skip)]
    pub fields: serde_json::Map<String, Value>,
}

/// What an action of `todo_manager` made of the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoManaged {
    /// `Added 2 TODOs`, the list, or the item that is next.
    pub output: Value,
    /// The action changes the list, whether or not anything was otherwise before.
    pub changes: bool,
    /// The list after it, and what the agent has to be told of it.
    #[serde(flatten)]
    pub written: TodoWritten,
}

/// The answer with these edits was sent: they count as delivered. Without it they are told again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoDelivered {
    /// Which session.
    pub session_id: String,
    /// The revision that was sent: what the caller now knows. None where only the edits were told, and not the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub revision: Option<u64>,
    /// The edits that were told.
    pub edits: Vec<String>,
    /// The call that told them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool_call: Option<String>,
}

/// Nothing to say but that it is done.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct Done {}

/// An agent has ended in good order; its sessions are finished. Only for callers that said who they are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct SessionLeave {}
