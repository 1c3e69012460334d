//! Runs of the built-in agent: a prompt that begins one, its continuation and its end, and the run that is under way.

use super::{PreflightChecklist, ToolApprovalRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use texts::TextRef;
use ts_rs::TS;

/// Gives the built-in agent a task, in a session or in a new one. It is answered as soon as the run has begun; the run
/// is told by events with the `requestId` of the answer. A session has one run at a time.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatSend {
    /// A session of the built-in agent; a new one when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
    /// The task, 1 to 100,000 characters.
    pub content: String,
    /// The model, `provider:model`, for this session from now on; when left out the session's, else that of the
    /// settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub model: Option<String>,
    /// Path of the folder in which a new session's tools work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub folder: Option<String>,
    /// The user allows that the model reads this conversation, which came from elsewhere ([`Chat`](super::Chat)
    /// `imported`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub allow_imported: bool,
    /// Set by transports to the message's id, which becomes the run's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub request_id: Option<String>,
}

/// A run has begun.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatStarted {
    /// Id of the session.
    pub session_id: String,
    /// Id of the run in its events.
    pub request_id: String,
    /// The model, `provider:model`.
    pub model: String,
    /// The session is new.
    pub created: bool,
}

/// Stops the run of a session at once. Items in progress become pending. Nothing happens where nothing runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatAbort {
    /// The session.
    pub session_id: String,
}

/// Continues where a session's last run ended, without a new prompt: with its list, a plan that waits, or the prompt
/// where that came to nothing. Completed items are not done again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatResume {
    /// The session.
    pub session_id: String,
    /// The model, `provider:model`, for this session from now on; when left out the session's, else that of the
    /// settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub model: Option<String>,
    /// The user allows that the model reads this conversation, which came from elsewhere ([`Chat`](super::Chat)
    /// `imported`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub allow_imported: bool,
    /// Set by transports to the message's id, which becomes the run's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub request_id: Option<String>,
}

/// A run that is under way.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatRun {
    /// Id of the run in its events.
    pub request_id: String,
    /// The answer under way, so far.
    pub content: String,
    /// The model's reasoning before it, so far.
    pub reasoning: String,
    /// Activity for people: `Planning`.
    pub doing: String,
    /// The same in the catalogue, for clients that show it to people in their own language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub doing_text: Option<TextRef>,
    /// The call that waits for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub approval: Option<ToolApprovalRequest>,
    /// The plan that waits for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub preflight: Option<PreflightChecklist>,
}

/// Ends of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChatOutcome {
    /// The task is done or answered.
    #[default]
    Completed,
    /// Nothing more can be done without the user: items wait or are blocked, continuations are used up, or an approval
    /// was refused or not given.
    Waiting,
    /// The user stopped it.
    Aborted,
    /// An error ended it.
    Failed,
    /// Sightline ended in the middle of it.
    Interrupted,
}

/// Tokens of all calls of the model in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatUsage {
    /// Tokens read.
    #[ts(type = "number")]
    pub input_tokens: u64,
    /// Tokens written.
    #[ts(type = "number")]
    pub output_tokens: u64,
    /// Their sum.
    #[ts(type = "number")]
    pub total_tokens: u64,
}

/// Cost of a run in US dollars. Providers that tell only the total leave the parts zero.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatCost {
    /// Cost of the tokens read.
    pub input_cost: f64,
    /// Cost of the tokens written.
    pub output_cost: f64,
    /// Total cost.
    pub total_cost: f64,
}
