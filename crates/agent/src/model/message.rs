//! The messages of a conversation with a model.

use hub::Call;

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
