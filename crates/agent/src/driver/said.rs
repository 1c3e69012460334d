//! A conversation: what is stored of it, what people see of it, and what its model reads of it.

use crate::model::{Call, Message};
use crate::prompt::DONE_TOOL;
use hub::ChatEntry;
use jiff::Timestamp;
use protocol::{ChatMessage, ChatOutcome, ChatSaid};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;

/// Characters of a conversation that its model is given; the oldest are left out first.
const CONTEXT_CHARS: usize = 300_000;

/// What a call answers that was never made: the process ended before.
const NOT_MADE: &str = "This call was not made: the run was interrupted.";

/// A part of a conversation, as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub(super) enum Said {
    /// The user's prompt.
    User { content: String },
    /// What the machine asks its model; people do not see it.
    Ask { content: String },
    /// What the machine tells its model of the list; people do not see it.
    Reminder { content: String },
    /// The model's answer: its text, that text without blocks, what it thought, its calls.
    Assistant {
        text: String,
        prose: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reasoning: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<Call>,
    },
    /// One of those calls, and what came of it.
    Tool {
        tool_call_id: String,
        tool_name: String,
        args: Value,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<String>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
    /// Something for people.
    Notice { message: String },
    /// The end of a run.
    End { outcome: ChatOutcome, message: String },
}

/// A part with its number and its time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub(super) seq: u64,
    pub(super) at: Timestamp,
    pub(super) said: Said,
}

impl Entry {
    /// As it was stored; `None` for what this build cannot read.
    pub(super) fn read(stored: &ChatEntry) -> Option<Self> {
        match serde_json::from_str(&stored.said) {
            Ok(said) => Some(Self { seq: stored.seq, at: stored.at, said }),
            Err(error) => {
                tracing::warn!(seq = stored.seq, %error, "a message of a conversation cannot be read");
                None
            }
        }
    }

    pub(super) fn stored(&self) -> ChatEntry {
        ChatEntry { seq: self.seq, at: self.at, said: serde_json::to_string(&self.said).unwrap_or_default() }
    }

    /// What people see of it.
    pub(super) fn view(&self) -> Option<ChatMessage> {
        let said = match &self.said {
            Said::Ask { .. } | Said::Reminder { .. } => return None,
            Said::Assistant { prose, reasoning, .. } if prose.trim().is_empty() && reasoning.is_empty() => return None,
            Said::User { content } => ChatSaid::User { content: content.clone() },
            Said::Assistant { prose, reasoning, .. } => {
                ChatSaid::Assistant { content: prose.trim().to_owned(), reasoning: reasoning.clone() }
            }
            Said::Tool { tool_call_id, tool_name, args, result, is_error } => ChatSaid::Tool {
                tool_call_id: tool_call_id.clone(),
                tool_name: tool_name.clone(),
                args: args.clone(),
                result: result.clone(),
                is_error: *is_error,
            },
            Said::Notice { message } => ChatSaid::Notice { message: message.clone() },
            Said::End { outcome, message } => ChatSaid::End { outcome: *outcome, message: message.clone() },
        };
        Some(ChatMessage { seq: self.seq, at: self.at, said })
    }

    fn chars(&self) -> usize {
        match &self.said {
            Said::User { content } | Said::Ask { content } | Said::Reminder { content } => content.len(),
            Said::Assistant { text, calls, .. } => {
                text.len() + calls.iter().map(|call| call.args.to_string().len()).sum::<usize>()
            }
            Said::Tool { result, .. } => result.as_ref().map_or(0, String::len),
            Said::Notice { .. } | Said::End { .. } => 0,
        }
    }
}

/// What a model reads: whole exchanges, the newest that there is room for.
pub(super) fn conversation(entries: &[Entry]) -> Vec<Message> {
    let mut room = CONTEXT_CHARS;
    let mut from = entries.len();
    for (at, entry) in entries.iter().enumerate().rev() {
        let Some(left) = room.checked_sub(entry.chars()) else { break };
        room = left;
        // An answer's calls and their results stay together.
        if matches!(entry.said, Said::User { .. } | Said::Ask { .. }) {
            from = at;
        }
    }
    let Some(kept) = entries.get(from..) else { return Vec::new() };
    let results: HashMap<&str, (&Option<String>, bool)> = kept
        .iter()
        .filter_map(|entry| match &entry.said {
            Said::Tool { tool_call_id, result, is_error, .. } => Some((tool_call_id.as_str(), (result, *is_error))),
            _ => None,
        })
        .collect();
    let mut messages = Vec::new();
    for entry in kept {
        match &entry.said {
            Said::User { content } | Said::Ask { content } => messages.push(Message::User(content.clone())),
            Said::Reminder { content } => messages.push(Message::System(content.clone())),
            Said::Assistant { text, calls, .. } => {
                // Some providers refuse an answer without anything in it.
                if text.is_empty() && calls.is_empty() {
                    continue;
                }
                messages.push(Message::Assistant { text: text.clone(), calls: calls.clone() });
                messages.extend(calls.iter().map(|call| answered(call, results.get(call.id.as_str()))));
            }
            Said::Tool { .. } | Said::Notice { .. } | Said::End { .. } => {}
        }
    }
    messages
}

fn answered(call: &Call, result: Option<&(&Option<String>, bool)>) -> Message {
    let (text, is_error) = match result {
        Some((Some(text), is_error)) => (text.clone(), *is_error),
        _ if call.tool == DONE_TOOL => ("Noted.".to_owned(), false),
        _ => (NOT_MADE.to_owned(), true),
    };
    Message::ToolResult { call_id: call.id.clone(), tool: call.tool.clone(), text, is_error }
}
