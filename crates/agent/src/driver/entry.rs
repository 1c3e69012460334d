//! The entries of a conversation, as they are stored and as people see them.

use crate::model::Call;
use hub::ChatEntry;
use jiff::Timestamp;
use protocol::{ChatContent, ChatCost, ChatMessage, ChatOutcome, ChatUsage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The content of an entry, as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub(super) enum EntryKind {
    /// The user's prompt.
    User { content: String },
    /// A question of the machine to its model; people do not see it.
    Ask { content: String },
    /// The machine's reminder of the list for its model; people do not see it.
    Reminder { content: String },
    /// The model's answer; `prose` is its text without blocks.
    Assistant {
        text: String,
        prose: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reasoning: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<Call>,
    },
    /// One of those calls, and its result once there is one.
    Tool {
        tool_call_id: String,
        tool_name: String,
        args: Value,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<String>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        not_made: bool,
    },
    /// A line for people.
    Notice {
        message: String,
        /// The failure because of which a model is asked once more.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retries: Option<String>,
    },
    /// The end of a run.
    End {
        outcome: ChatOutcome,
        message: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<ChatUsage>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<ChatCost>,
    },
}

impl EntryKind {
    pub(super) fn notice(message: impl Into<String>) -> Self {
        Self::Notice { message: message.into(), retries: None }
    }
}

/// An entry of a conversation: its number, its time and its content.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub(super) seq: u64,
    pub(super) at: Timestamp,
    pub(super) kind: EntryKind,
}

impl Entry {
    /// Reads a stored entry; `None` if this build cannot read it.
    pub(super) fn read(stored: &ChatEntry) -> Option<Self> {
        match serde_json::from_str(&stored.json) {
            Ok(kind) => Some(Self { seq: stored.seq, at: stored.at, kind }),
            Err(error) => {
                tracing::warn!(seq = stored.seq, %error, "a message of a conversation cannot be read");
                None
            }
        }
    }

    pub(super) fn stored(&self) -> ChatEntry {
        ChatEntry { seq: self.seq, at: self.at, json: serde_json::to_string(&self.kind).unwrap_or_default() }
    }

    /// The message that people see; `None` for what only the model reads.
    pub(super) fn view(&self) -> Option<ChatMessage> {
        let content = match &self.kind {
            EntryKind::Ask { .. } | EntryKind::Reminder { .. } => return None,
            EntryKind::Assistant { prose, reasoning, .. } if prose.trim().is_empty() && reasoning.is_empty() => {
                return None;
            }
            EntryKind::User { content } => ChatContent::User { content: content.clone() },
            EntryKind::Assistant { prose, reasoning, .. } => {
                ChatContent::Assistant { content: prose.trim().to_owned(), reasoning: reasoning.clone() }
            }
            EntryKind::Tool { tool_call_id, tool_name, args, result, is_error, not_made } => ChatContent::Tool {
                tool_call_id: tool_call_id.clone(),
                tool_name: tool_name.clone(),
                args: args.clone(),
                result: result.clone(),
                is_error: *is_error,
                not_made: *not_made,
            },
            EntryKind::Notice { message, retries } => {
                ChatContent::Notice { message: message.clone(), retries: retries.clone() }
            }
            EntryKind::End { outcome, message, usage, cost } => {
                ChatContent::End { outcome: *outcome, message: message.clone(), usage: *usage, cost: *cost }
            }
        };
        Some(ChatMessage { seq: self.seq, at: self.at, content })
    }

    /// The model is to answer it.
    pub(super) fn is_question(&self) -> bool {
        matches!(self.kind, EntryKind::User { .. } | EntryKind::Ask { .. })
    }

    /// Bytes that the model reads of it.
    pub(super) fn bytes(&self) -> usize {
        match &self.kind {
            EntryKind::User { content } | EntryKind::Ask { content } | EntryKind::Reminder { content } => content.len(),
            EntryKind::Assistant { text, calls, .. } => text.len() + calls.iter().map(Call::args_bytes).sum::<usize>(),
            EntryKind::Tool { result, .. } => result.as_ref().map_or(0, String::len),
            EntryKind::Notice { .. } | EntryKind::End { .. } => 0,
        }
    }
}
