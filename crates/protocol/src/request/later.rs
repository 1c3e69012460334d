//! Steps and messages that are kept until an agent is idle, and runs that are begun or gone on with.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks for the steps and messages that are kept for later, in the order in which they are handed over; and for the last
/// ones that were.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LaterList {
    /// The session whose are asked for, with those of its folder; all when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
}

/// Steps and messages that are kept for later.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct LaterItems {
    /// Each queue in its order; those of a session before those of a folder.
    pub items: Vec<LaterItem>,
}

/// A step or a message that is kept until an agent is idle. It becomes an edit when it is handed over: at the end of a turn
/// that can be put off for it, or with the next prompt, and once.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LaterItem {
    /// Its id.
    pub later_id: String,
    /// The session that it is for; absent where it is for a folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
    /// The folder: the next session that works there gets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub folder: Option<String>,
    /// It is a step, and not a message.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub step: bool,
    /// The step or the message.
    pub text: String,
    /// Time at which the user made it (RFC 3339, UTC).
    #[ts(type = "string")]
    pub created_at: Timestamp,
    /// Its edit; absent while it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub handed_over: Option<HandedOver>,
}

/// The edit that was made of a step or message that had been kept for later.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HandedOver {
    /// The session that has the edit.
    pub session_id: String,
    /// Id of the edit.
    pub edit_id: String,
    /// Time at which it was made (RFC 3339, UTC).
    #[ts(type = "string")]
    pub at: Timestamp,
}

/// Keeps a step or a message until an agent is idle: that of a session, or the next one in a folder.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LaterAdd {
    /// The session; left out where `folder` says where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
    /// The folder, from the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub folder: Option<String>,
    /// It is a step, and not a message.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub step: bool,
    /// The step or the message, 1 to 2,000 characters.
    pub text: String,
}

/// Changes a step or message that waits: `text`, `step` and `to` as far as they are sent.
///
/// Errors: `ITEM_NOT_FOUND` where it was handed over or deleted meanwhile.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LaterEdit {
    /// Its id.
    pub later_id: String,
    /// The step or the message, 1 to 2,000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub text: Option<String>,
    /// It is a step, and not a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub step: Option<bool>,
    /// The place among those that wait for the same session or folder that it moves to, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub to: Option<u32>,
}

/// Deletes a step or message that waits.
///
/// Errors: `ITEM_NOT_FOUND` where it was handed over meanwhile.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LaterDelete {
    /// Its id.
    pub later_id: String,
}

/// Lets an agent that has nothing to do go on: with its open steps, and with what is kept for later, which is handed over.
/// One that a message reaches at once is sent one; any other is resumed in a terminal, with all of it as its prompt.
///
/// Errors: `UNAVAILABLE` where it is at work, or how it goes on is not known.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionContinue {
    /// The session.
    pub session_id: String,
}

/// Starts an agent in a terminal on the gateway's computer, with a task as its first prompt.
///
/// Errors: `UNAVAILABLE` where how it is started with a task is not known, or the folder is not there.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsStart {
    /// Name of the agent.
    pub agent: String,
    /// The folder that it works in, from the root.
    pub folder: String,
    /// The task, 1 to 16,000 characters.
    pub task: String,
}

/// The way in which an agent was started or goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentStarted {
    /// Where it runs.
    pub by: StartedBy,
}

/// Ways in which an agent is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum StartedBy {
    /// In a new terminal.
    Terminal,
    /// It was there, and was sent a prompt.
    Prompt,
}
