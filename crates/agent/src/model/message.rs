//! The messages of a conversation with a model.

use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// From the user, or from the machine in the user's place.
    User(String),
    /// A reminder within the conversation. Providers without such messages get it as the user's.
    System(String),
    /// An answer of the model.
    Assistant {
        /// May be empty if there are calls.
        text: String,
        calls: Vec<Call>,
    },
    /// The result of a tool call; after the answer with the call, and before anything else.
    ToolResult { call_id: String, tool: String, text: String, is_error: bool },
}

/// A tool call that a model wants made.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Call {
    pub id: String,
    pub tool: String,
    /// The arguments as the model sent them: an object, or a string if they are not JSON.
    pub args: Value,
    /// The provider's signatures, sent back unchanged: Gemini signs its calls, and refuses them unsigned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<String>,
}

impl Call {
    /// Bytes of its arguments as JSON.
    pub(crate) fn args_bytes(&self) -> usize {
        self.args.to_string().len()
    }
}
