//! Conversations with the built-in agent in exported sessions. What comes in is marked as coming from elsewhere, in the
//! conversation and in its state: no model is given it without the user's word.

use crate::conversation::{AGENT, Entry, EntryKind, StoredChat};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashSet;
use todo::check::MOST;

/// Messages of a conversation.
const MESSAGES: usize = 20_000;

/// Bytes of a text in a message.
const TEXT_BYTES: usize = 4 * 1024 * 1024;

/// Characters of a name: of a model, a tool, or a call.
const NAME_CHARS: usize = 500;

/// The result of a call that had none when it was exported.
const NO_RESULT: &str = "It had no result when the conversation was exported.";

/// The line for people after what came from elsewhere.
const MARK: &str = "The conversation above came from elsewhere: it was imported.";

/// A conversation in an exported session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExportedConversation {
    /// `provider:model`; empty where none was chosen.
    #[serde(default)]
    model: String,
    messages: Vec<ExportedMessage>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct ExportedMessage {
    seq: u64,
    at: Timestamp,
    #[serde(flatten)]
    kind: EntryKind,
}

impl ExportedConversation {
    /// A stored conversation; `None` where nothing was said that this build can read.
    pub(crate) fn of(stored: &StoredChat) -> Option<Self> {
        let state: Value = serde_json::from_str(&stored.state).unwrap_or_default();
        let model = state.get("model").and_then(Value::as_str).unwrap_or_default().to_owned();
        let message = |entry: Entry| ExportedMessage { seq: entry.seq, at: entry.at, kind: entry.kind };
        let messages: Vec<_> = stored.messages.iter().filter_map(Entry::read).map(message).collect();
        (!messages.is_empty()).then_some(Self { model, messages })
    }

    /// The conversation as it is stored, or what is wrong with it: nothing is taken in that could not have been said here,
    /// or that is later than `latest`.
    pub(crate) fn read(
        self,
        agent: &str,
        now: Timestamp,
        latest: Timestamp,
    ) -> std::result::Result<StoredChat, String> {
        if agent != AGENT {
            return Err(format!("has a \"conversation\", which only sessions of \"{AGENT}\" have"));
        }
        if !is_name(&self.model) {
            return Err(format!(
                "has a conversation whose \"model\" is not one line of at most {NAME_CHARS} characters"
            ));
        }
        if self.messages.is_empty() || self.messages.len() > MESSAGES {
            let count = self.messages.len();
            return Err(format!("has a conversation of {count} messages; it may have 1 to {MESSAGES}"));
        }
        let (mut entries, mut calls, mut results) = (Vec::new(), HashSet::new(), HashSet::new());
        let (mut last, mut task) = (0, None);
        for ExportedMessage { seq, at, mut kind } in self.messages {
            let wrong = |problem: &str| format!("has a message {seq} in its conversation that {problem}");
            if seq <= last || seq > MOST {
                return Err(wrong("is out of order: each has a larger number than the one before it"));
            }
            last = seq;
            if at > latest {
                return Err(wrong("is of a time that has not come yet"));
            }
            if texts(&kind).any(|text| text.len() > TEXT_BYTES) {
                return Err(wrong(&format!("has a text of more than {TEXT_BYTES} bytes")));
            }
            match &mut kind {
                EntryKind::User { content } if content.trim().is_empty() => return Err(wrong("is an empty prompt")),
                EntryKind::User { content } => task = Some(content.clone()),
                EntryKind::Assistant { calls: made, .. } => {
                    for call in made {
                        if !is_name(&call.id) || !is_name(&call.tool) || call.id.is_empty() || call.tool.is_empty() {
                            return Err(wrong("has a call without a name, or with one that is too long"));
                        }
                        if !calls.insert(call.id.clone()) {
                            return Err(wrong("has a call that was made before"));
                        }
                    }
                }
                EntryKind::Tool { tool_call_id, tool_name, result, is_error, .. } => {
                    if !calls.contains(tool_call_id) || !is_name(tool_name) {
                        return Err(wrong("is of a call that no answer before it has made"));
                    }
                    if !results.insert(tool_call_id.clone()) {
                        return Err(wrong("is of a call that has a result before"));
                    }
                    if result.is_none() {
                        (*result, *is_error) = (Some(NO_RESULT.to_owned()), true);
                    }
                }
                EntryKind::Ask { .. } | EntryKind::Reminder { .. } => {}
                EntryKind::Notice { .. } | EntryKind::End { .. } => {}
            }
            entries.push(Entry { seq, at, kind }.stored());
        }
        let mark = Entry { seq: last + 1, at: now, kind: EntryKind::notice(MARK) };
        entries.push(mark.stored());
        let state = json!({ "model": self.model, "seq": last + 1, "kept": { "task": task }, "imported": true });
        Ok(StoredChat { state: state.to_string(), running: false, messages: entries })
    }
}

fn is_name(text: &str) -> bool {
    text.chars().count() <= NAME_CHARS && !text.chars().any(char::is_control)
}

/// The texts of a message, for their length.
fn texts(kind: &EntryKind) -> impl Iterator<Item = &str> {
    let texts: Vec<&str> = match kind {
        EntryKind::User { content } | EntryKind::Ask { content } | EntryKind::Reminder { content } => vec![content],
        EntryKind::Assistant { text, prose, source, reasoning, .. } => {
            [text, prose, reasoning].into_iter().chain(source).map(String::as_str).collect()
        }
        EntryKind::Tool { result, .. } => result.iter().map(String::as_str).collect(),
        EntryKind::Notice { message, retries, .. } => {
            [message].into_iter().chain(retries).map(String::as_str).collect()
        }
        EntryKind::End { message, .. } => vec![message],
    };
    texts.into_iter()
}

#[cfg(test)]
mod tests {
    use super::{AGENT, EntryKind, ExportedConversation, ExportedMessage, MOST};
    use jiff::Timestamp;

    #[test]
    fn a_message_has_any_number_that_this_build_takes_elsewhere() {
        let read = |seq: u64| {
            let kind = EntryKind::User { content: "Tidy up".to_owned() };
            let messages = vec![ExportedMessage { seq, at: Timestamp::UNIX_EPOCH, kind }];
            let conversation = ExportedConversation { model: String::new(), messages };
            conversation.read(AGENT, Timestamp::UNIX_EPOCH, Timestamp::UNIX_EPOCH).map(|chat| chat.messages.len())
        };
        assert_eq!((read(1), read(1 << 41), read(MOST)), (Ok(2), Ok(2), Ok(2)));
        assert!(read(MOST + 1).is_err_and(|problem| problem.contains("out of order")));
    }
}
