//! Events of a run: the answer as it streams, and the tool calls.

use super::{ChatCost, ChatOutcome, ChatUsage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use texts::TextRef;
use ts_rs::TS;

/// An answer begins to stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatStreamStart {
    /// Id of the run.
    pub request_id: String,
    /// Id of its session.
    pub session_id: String,
    /// The model, `provider:model`.
    pub model: String,
}

/// More of an answer (`chat.stream.delta`), or of the model's reasoning (`chat.stream.reasoning`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatStreamDelta {
    /// Id of the run.
    pub request_id: String,
    /// Id of its session.
    pub session_id: String,
    /// Text to append. Not trusted.
    pub delta: String,
    /// Length of the text before it, in UTF-16 code units: a [`ChatRun`] whose `content` or `reasoning` is longer has
    /// this part already.
    #[ts(type = "number")]
    pub offset: u64,
}

/// A run is over, other than by an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatStreamEnd {
    /// Id of the run.
    pub request_id: String,
    /// Id of its session.
    pub session_id: String,
    /// Tokens; zeros where the model does not tell them.
    pub usage: ChatUsage,
    /// Cost; zeros where the provider does not tell it.
    pub cost: ChatCost,
    /// Outcome of the run.
    pub outcome: ChatOutcome,
    /// For people; empty where there is nothing to add.
    pub message: String,
    /// The same in the catalogue, for clients that show it to people in their own language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub text: Option<TextRef>,
}

/// The model calls a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolCalled {
    /// Id of the run.
    pub request_id: String,
    /// Id of its session.
    pub session_id: String,
    /// Id of the call.
    pub tool_call_id: String,
    /// Name of the tool.
    pub tool_name: String,
    /// Arguments as the model sent them: an object, or text where they are no JSON.
    #[ts(type = "unknown")]
    pub args: Value,
}

/// Result of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolResulted {
    /// Id of the run.
    pub request_id: String,
    /// Id of its session.
    pub session_id: String,
    /// Id of the call.
    pub tool_call_id: String,
    /// Name of the tool.
    pub tool_name: String,
    /// The result as text. Not trusted.
    pub result: String,
}

/// A tool failed, or was not called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolFailed {
    /// Id of the run.
    pub request_id: String,
    /// Id of its session.
    pub session_id: String,
    /// Id of the call.
    pub tool_call_id: String,
    /// Name of the tool.
    pub tool_name: String,
    /// The reason. Not trusted.
    pub error: String,
}
