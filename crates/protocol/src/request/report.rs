//! Reports of adapters on agents, by their hooks and from their files.

use crate::EditView;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use session::Usage;
use todo::Item;
use ts_rs::TS;

/// Something that an agent's hook or file reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Happened {
    /// The agent works: a call of any tool has ended, or a session began.
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

/// Reports what a hook or a file says of an agent. The answer is what the agent has to be told of its list, and empty
/// where there is nothing to tell; [`TodoDelivered`] confirms that it was told.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionReport {
    /// The event.
    #[serde(default)]
    pub happened: Happened,
    /// Time of the event (RFC 3339); now when left out. A report that is not newer than what is known of the session
    /// changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub at: Option<Timestamp>,
    /// A call of a tool that is not about a list has ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub tool: bool,
    /// The call of a tool that has ended, where hooks tell of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub done: Option<Box<DoneCall>>,
    /// The run's model, context, tokens and cost so far, as far as they are known. Its time is that of the report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub usage: Option<Box<Usage>>,
    /// The user's prompt, what the agent waits for, or why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub text: Option<String>,
    /// The secret that the agent read in one of our results: proof that the agent's own session id means the session of
    /// that result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub proof: Option<String>,
    /// The agent reads what is added to this report's answer.
    #[serde(default)]
    pub listens: bool,
    /// The run is about to call one of our tools, and the call may not say whose it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub calls: Option<Box<AnnouncedCall>>,
    /// A subagent has begun or ended, where nothing else tells a subagent's events from its agent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub subagent: Option<SubagentEvent>,
    /// Makes a session where the run has none yet.
    #[serde(default)]
    pub begins: bool,
    /// Whoever reports gives the agent a message of the user's as a prompt at once, where it has nothing to do.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub prompts: bool,
}

/// A call of a tool that has ended.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct DoneCall {
    /// The tool, as the agent calls it.
    pub tool: String,
    /// The first 24 hexadecimal digits of the SHA-256 of the arguments' JSON text, by which a permission for them is known
    /// to be settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub input: Option<String>,
    /// Its subject, such as a command or a file: at most 300 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub text: Option<String>,
    /// Path of the file that it has changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub file: Option<String>,
}

/// The beginning or the end of a subagent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SubagentEvent {
    /// It has begun.
    Began,
    /// It has ended.
    Ended,
}

/// A call of one of our tools that an agent or a subagent is about to make.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct AnnouncedCall {
    /// Id of the subagent within its agent's session, where the call is a subagent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub subagent: Option<String>,
    /// The agent's own id of the call, where the call will name it, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub id: Option<String>,
    /// The call's arguments.
    #[ts(type = "unknown")]
    pub arguments: Value,
}

/// The answer to a report: the user's edits that the agent has to be told of.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionReported {
    /// Id of the session; absent where nothing is known of it yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
    /// The user's edits that this answer delivers.
    pub edits: Vec<EditView>,
    /// The list, without the steps of other agents of the session; empty where there are no such edits.
    pub todos: Vec<Item>,
    /// The agent's name among those of the session, where steps are shared out among several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub agent: Option<String>,
    /// The same for the agent's built-in list, where it has such edits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub own: Option<OwnReported>,
}

/// The user's edits of an agent's built-in list that the agent has to be told of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnReported {
    /// Id of the session that holds the built-in list.
    pub session_id: String,
    /// The agent's tool that writes it.
    pub tool: String,
    /// The user's edits that this answer delivers.
    pub edits: Vec<EditView>,
    /// The list.
    pub todos: Vec<Item>,
}

/// Reports an agent's built-in list, as the agent wrote it with its own tool. It is kept beside the list here, in a
/// session of its own below that of the run. Only for clients that name the agent's own session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoObserve {
    /// The agent's tool that wrote it, such as `update_plan`: 1 to 100 characters.
    pub tool: String,
    /// The items, in the form of [`TodoWrite`].
    #[ts(type = "Array<Record<string, unknown>>")]
    #[schemars(with = "Vec<serde_json::Map<String, Value>>")]
    pub todos: Value,
    /// Only changed and new items are sent, as in [`TodoWrite`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub merge: bool,
    /// Time at which it was written (RFC 3339); now when left out. A list that is not newer than the newest one
    /// reported is known already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub at: Option<Timestamp>,
    /// The first prompt of the run, which becomes its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub title: Option<String>,
}

/// The outcome of a report of a built-in list.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoObserved {
    /// Id of the session that holds the list.
    pub session_id: String,
    /// Its newest revision.
    pub revision: u64,
    /// The list was new.
    pub news: bool,
}
