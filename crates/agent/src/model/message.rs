//! The parts of a conversation, as a model reads them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A part of a conversation with a model.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// What the user, or the machine in the user's place, says.
    User(String),
    /// A reminder in the midst of the conversation. Providers that have no such thing get it as a user's message.
    System(String),
    /// What the model answered.
    Assistant {
        /// Its text; may be empty where there are calls.
        text: String,
        /// Its tool calls, in order.
        calls: Vec<Call>,
    },
    /// What came of a tool call; after the answer with the call, and before anything else.
    ToolResult {
        /// The call's.
        call_id: String,
        /// The tool's name.
        tool: String,
        /// What it gave.
        text: String,
        /// It failed.
        is_error: bool,
    },
}

/// A tool call that a model wants made.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Call {
    /// Names it in the conversation.
    pub id: String,
    /// The tool's name.
    pub tool: String,
    /// As the model sent them: an object, or a string where they are not JSON.
    pub args: Value,
    /// What the provider wants back with the call, as it came: Gemini signs its calls, and refuses them unsigned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<String>,
}
