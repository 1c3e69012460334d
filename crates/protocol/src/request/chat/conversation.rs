//! The conversation of a session with the built-in agent.

use super::{ChatCost, ChatOutcome, ChatRun, ChatUsage};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use texts::TextRef;
use ts_rs::TS;

/// Asks for a session's conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatGet {
    /// The session.
    pub session_id: String,
    /// Only messages before the one with this `seq`; the newest when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub before: Option<u64>,
}

/// A conversation with the built-in agent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Chat {
    /// Id of the session.
    pub session_id: String,
    /// Model of its next answer, `provider:model`; empty where none was chosen.
    pub model: String,
    /// At most 200 messages, oldest first; fewer where they take more than 8 MiB.
    pub messages: Vec<ChatMessage>,
    /// There are older messages.
    pub more: bool,
    /// The run that is under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub run: Option<ChatRun>,
    /// The last run left open items or a plan that waits, so that it can be resumed.
    pub can_resume: bool,
    /// The conversation came from elsewhere, and the user has not allowed yet that a model reads it: `chat.send` and
    /// `chat.resume` are refused without `allowImported`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub imported: bool,
}

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatMessage {
    /// Number in the conversation, from 1; some are left out.
    #[ts(type = "number")]
    pub seq: u64,
    /// Time of the message (RFC 3339, UTC).
    #[ts(type = "string")]
    pub at: Timestamp,
    /// The content.
    #[serde(flatten)]
    pub content: ChatContent,
}

/// Content of a message, by its `kind`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum ChatContent {
    /// The user's prompt.
    User {
        /// The prompt.
        content: String,
    },
    /// The model's answer.
    Assistant {
        /// Markdown, without `<todo>` blocks. Not trusted.
        content: String,
        /// The model's reasoning, where it shows that. Not trusted.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        #[ts(as = "Option<String>", optional)]
        reasoning: String,
    },
    /// A tool call and its result.
    Tool {
        /// Id of the call.
        tool_call_id: String,
        /// Name of the tool.
        tool_name: String,
        /// Arguments as the model sent them: an object, or text where they are no JSON.
        #[ts(type = "unknown")]
        args: Value,
        /// The result, or why the call failed or was not made; absent while it is under way. Not trusted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        result: Option<String>,
        /// The call failed or was not made.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(as = "Option<bool>", optional)]
        is_error: bool,
        /// The call was not made: refused, denied, not answered in time, or stopped before it began.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(as = "Option<bool>", optional)]
        not_made: bool,
    },
    /// Something to know beside the answers: a continuation, a new plan, a retry.
    Notice {
        /// The notice, for people.
        message: String,
        /// The same in the catalogue, for clients that show it to people in their own language.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        text: Option<TextRef>,
        /// The failure after which a model is asked once more. Of such notices in a row the last is enough.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        retries: Option<String>,
    },
    /// The end of a run.
    End {
        /// Outcome of the run.
        outcome: ChatOutcome,
        /// For people; empty where there is nothing to add.
        message: String,
        /// The same in the catalogue, for clients that show it to people in their own language.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        text: Option<TextRef>,
        /// Tokens, where the model tells them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        usage: Option<ChatUsage>,
        /// Cost, where the provider tells it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        cost: Option<ChatCost>,
    },
}

/// A conversation changed in a way that its other events do not tell: a message was added, or something that waited for
/// the user was answered, perhaps in another window, or expired.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatUpdated {
    /// Id of the session.
    pub session_id: String,
    /// The message that was added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub message: Option<ChatMessage>,
    /// The run that is under way now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub run: Option<ChatRun>,
    /// The last run left open items or a plan that waits, so that it can be resumed.
    pub can_resume: bool,
}
