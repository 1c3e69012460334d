//! Tool calls and plans that wait for the user's approval, and the user's answers.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// A call waits for the user's approval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolApprovalRequest {
    /// Id of the run.
    pub request_id: String,
    /// Id of its session.
    pub session_id: String,
    /// Id of the call, which the response repeats.
    pub tool_call_id: String,
    /// Name of the tool.
    pub tool_name: String,
    /// Arguments as the model sent them: an object, or text where they are no JSON.
    #[ts(type = "unknown")]
    pub args: Value,
    /// The same as JSON text. A program that reads JSON may round a number of many digits, and shall show what is called.
    #[serde(default)]
    pub args_text: String,
    /// The policy of the tool is `auto`, and the tool is another one since that was chosen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub changed: bool,
    /// Time after which it counts as not answered (RFC 3339, UTC).
    #[ts(type = "string")]
    pub expires_at: Timestamp,
}

/// Answers a [`ToolApprovalRequest`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolApprovalResponse {
    /// Id of the call.
    pub tool_call_id: String,
    /// The call may be made.
    pub approved: bool,
    /// Later calls of this tool in this session may be made, too.
    #[serde(default)]
    pub session_approve: bool,
}

/// A plan waits for the user's approval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreflightChecklist {
    /// Id of the run, which the response repeats.
    pub request_id: String,
    /// Id of its session.
    pub session_id: String,
    /// The steps, in order.
    pub steps: Vec<PreflightStep>,
    /// Always zeros: the cost cannot be known before.
    pub estimated_cost: PreflightCost,
    /// Names of the tools that need approval.
    pub required_permissions: Vec<String>,
    /// Always empty.
    pub warnings: Vec<String>,
    /// Time after which it counts as not answered (RFC 3339, UTC).
    #[ts(type = "string")]
    pub expires_at: Timestamp,
}

/// A step of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreflightStep {
    /// The step's text.
    pub description: String,
    /// The tool that it is to use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool_name: Option<String>,
    /// `high` where the tool needs approval, else `low`.
    pub risk: String,
    /// The tool needs approval.
    pub needs_approval: bool,
}

/// Cost of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreflightCost {
    /// Tokens to read.
    #[ts(type = "number")]
    pub input_tokens: u64,
    /// Tokens to write.
    #[ts(type = "number")]
    pub output_tokens: u64,
    /// US dollars.
    #[serde(rename = "estimatedUSD")]
    pub estimated_usd: f64,
}

/// Answers a [`PreflightChecklist`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreflightApproval {
    /// Id of the run.
    pub request_id: String,
    /// Its session; needed only where several clients gave their runs the same id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
    /// The plan may begin.
    pub approved: bool,
    /// Steps to carry out instead; the plan's own when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub edited_steps: Option<Vec<PreflightEdit>>,
}

/// A step of a plan as the user wants it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreflightEdit {
    /// The step's text.
    pub description: String,
    /// The tool to use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool_name: Option<String>,
    /// The step is left out.
    #[serde(default)]
    pub skip: bool,
}
