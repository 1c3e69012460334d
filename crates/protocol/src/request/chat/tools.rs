//! Tools of the built-in agent beside those of the list.

use super::ToolPolicy;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use texts::TextRef;
use ts_rs::TS;

/// Asks for the tools of the built-in agent beside those of the list. The configured servers are connected for it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct ChatTools {}

/// Tools of the built-in agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct ChatToolList {
    /// The configured servers, in their order.
    pub servers: Vec<ChatServerTools>,
}

/// A tool server and its tools.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatServerTools {
    /// Name of the server in the settings.
    pub name: String,
    /// Its tools.
    pub tools: Vec<ChatTool>,
    /// Why it cannot be reached, and what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<String>,
    /// The same in the catalogue, for clients that show it to people in their own language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem_text: Option<TextRef>,
}

/// A tool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatTool {
    /// Name of the tool, as in `chatTools` of the settings.
    pub name: String,
    /// Its own description. Not trusted.
    pub description: String,
    /// Policy for its calls; `ask` for one that has `changed`.
    pub policy: ToolPolicy,
    /// Digest of its description, its schema and its server's configuration, for `chatToolDigests` of the settings.
    pub digest: String,
    /// Its policy is `auto` in the settings, and it is another one since that was chosen.
    pub changed: bool,
}
