//! What adapters report of agents, by their hooks and from their files.

use crate::EditView;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use todo::Item;
use ts_rs::TS;

/// What an agent's hook or file reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum Happened {
    /// It is at work: a call of any tool has ended, a session began.
    #[default]
    Worked,
    /// The user gave it a prompt.
    Prompted,
    /// It waits for the user.
    Waits,
    /// Its turn is over.
    Rests,
    /// Its turn ended in an error.
    Failed,
    /// Its session has ended.
    Ended,
}

/// Something happened to an agent, says a hook or a file of its. The answer is what it has to be told of its list, and
/// nothing where it has none; see [`TodoDelivered`](crate::TodoDelivered).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionReport {
    /// What.
    #[serde(default)]
    pub happened: Happened,
    /// When (RFC 3339, UTC); now when left out. What is not newer than what is known of the session changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub at: Option<Timestamp>,
    /// A call of a tool that is not about a list has ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub tool: bool,
    /// What the user asked, what it waits for, or why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub text: Option<String>,
    /// The session's id as the agent read it in a result of ours: proof that the caller's own id means this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
    /// What is added can be heard.
    #[serde(default)]
    pub listens: bool,
    /// A subagent is about to call a tool of ours, which will not say whose call it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub calls: Option<SubagentCall>,
    /// A run that nobody knows yet is a session from now on.
    #[serde(default)]
    pub begins: bool,
}

/// A call of a tool of ours that a subagent is about to make.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct SubagentCall {
    /// The subagent's id within its agent's session.
    pub subagent: String,
    /// The call's arguments.
    #[ts(type = "unknown")]
    pub arguments: Value,
}

/// The answer to [`SessionReport`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionReported {
    /// Which session it is; none where nothing is known of it yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
    /// The user's edits that this answer tells.
    pub edits: Vec<EditView>,
    /// The list, where there are such.
    pub todos: Vec<Item>,
    /// The same of the agent's own list, where there are such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub own: Option<OwnReported>,
}

/// What an agent has to be told of its own list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct OwnReported {
    /// The session that holds it.
    pub session_id: String,
    /// The agent's tool that writes it.
    pub tool: String,
    /// The user's edits that this answer tells.
    pub edits: Vec<EditView>,
    /// The list.
    pub todos: Vec<Item>,
}

/// An agent's own list, as it wrote it with a tool of its own: kept beside the one of ours, in a session of its own
/// under that of the run. Only for callers that say the agent's own session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoObserve {
    /// The agent's tool that wrote it: `update_plan`.
    pub tool: String,
    /// The items in the form of `todo.write`.
    #[ts(type = "Array<Record<string, unknown>>")]
    pub todos: Value,
    /// Only what has changed is sent; see `todo.write`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub merge: bool,
    /// When it was written (RFC 3339, UTC); now when left out. What is not newer than the newest that was observed is
    /// known already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub at: Option<Timestamp>,
    /// What the user asked first in this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub title: Option<String>,
}

/// The answer to [`TodoObserve`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoObserved {
    /// The session that holds the list.
    pub session_id: String,
    /// Its newest revision.
    pub revision: u64,
    /// It was news.
    pub news: bool,
}
