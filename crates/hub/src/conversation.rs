//! Conversations with the built-in agent, as they are stored and as people see them. The agent writes them; exports and
//! imports read them.

use jiff::Timestamp;
use protocol::{ChatContent, ChatCost, ChatMessage, ChatOutcome, ChatUsage, Text, TextRef};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::ChatMessageRow;

/// The built-in agent's name among the agents.
pub const AGENT: &str = "sightline";

/// A conversation as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoredChat {
    /// The checkpoint that the agent goes on from, as JSON.
    pub state: String,
    /// A run goes on.
    pub running: bool,
    /// Messages that are new or changed; asked for, the newest, oldest first.
    pub messages: Vec<ChatEntry>,
}

/// A message of a conversation as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatEntry {
    /// Its number, from 1.
    pub seq: u64,
    /// When.
    pub at: Timestamp,
    /// The message as JSON.
    pub json: String,
}

impl From<ChatMessageRow> for ChatEntry {
    fn from(row: ChatMessageRow) -> Self {
        Self { seq: row.seq, at: row.at, json: row.json }
    }
}

impl From<ChatEntry> for ChatMessageRow {
    fn from(entry: ChatEntry) -> Self {
        Self { seq: entry.seq, at: entry.at, json: entry.json }
    }
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
    #[must_use]
    pub fn args_bytes(&self) -> usize {
        self.args.to_string().len()
    }
}

/// The content of an entry, as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum EntryKind {
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
        /// The text with each computation before its result, where there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<String>,
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
        /// The message in the catalogue.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<TextRef>,
        /// The failure because of which a model is asked once more.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retries: Option<String>,
    },
    /// The end of a run.
    End {
        outcome: ChatOutcome,
        message: String,
        /// The message in the catalogue.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<TextRef>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<ChatUsage>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<ChatCost>,
    },
}

impl EntryKind {
    #[must_use]
    pub fn notice(text: impl Into<Text>) -> Self {
        let Text { english: message, named: text } = text.into();
        Self::Notice { message, text, retries: None }
    }
}

/// An entry of a conversation: its number, its time and its content.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub seq: u64,
    pub at: Timestamp,
    pub kind: EntryKind,
}

impl Entry {
    /// Reads a stored entry; `None` if this build cannot read it.
    #[must_use]
    pub fn read(stored: &ChatEntry) -> Option<Self> {
        match serde_json::from_str(&stored.json) {
            Ok(kind) => Some(Self { seq: stored.seq, at: stored.at, kind }),
            Err(error) => {
                tracing::warn!(seq = stored.seq, %error, "a message of a conversation cannot be read");
                None
            }
        }
    }

    #[must_use]
    pub fn stored(&self) -> ChatEntry {
        ChatEntry { seq: self.seq, at: self.at, json: serde_json::to_string(&self.kind).unwrap_or_default() }
    }

    /// The message that people see; `None` for what only the model reads.
    #[must_use]
    pub fn view(&self) -> Option<ChatMessage> {
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
            EntryKind::Notice { message, text, retries } => {
                ChatContent::Notice { message: message.clone(), text: text.clone(), retries: retries.clone() }
            }
            EntryKind::End { outcome, message, text, usage, cost } => {
                let (message, text) = (message.clone(), text.clone());
                ChatContent::End { outcome: *outcome, message, text, usage: *usage, cost: *cost }
            }
        };
        Some(ChatMessage { seq: self.seq, at: self.at, content })
    }

    /// The model's answer.
    #[must_use]
    pub fn is_answer(&self) -> bool {
        matches!(self.kind, EntryKind::Assistant { .. })
    }

    /// The model is to answer it.
    #[must_use]
    pub fn is_question(&self) -> bool {
        matches!(self.kind, EntryKind::User { .. } | EntryKind::Ask { .. })
    }

    /// Bytes that the model reads of it.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match &self.kind {
            EntryKind::User { content } | EntryKind::Ask { content } | EntryKind::Reminder { content } => content.len(),
            EntryKind::Assistant { text, calls, .. } => text.len() + calls.iter().map(Call::args_bytes).sum::<usize>(),
            EntryKind::Tool { result, .. } => result.as_ref().map_or(0, String::len),
            EntryKind::Notice { .. } | EntryKind::End { .. } => 0,
        }
    }
}
