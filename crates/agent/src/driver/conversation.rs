//! The conversation as its model reads it: the newest exchanges, shortened to what there is room for.

use crate::model::{Call, Message};
use crate::prompt::DONE_TOOL;
use hub::{Entry, EntryKind};
use serde_json::json;
use std::collections::HashMap;
use std::fmt::Write as _;

/// Bytes of a conversation that its model is given; the oldest entries are left out first.
const CONTEXT: usize = 300_000;

/// Bytes that a text is shortened to when there is no room for it.
const SHORTENED: usize = 1_000;

/// The result of a call that was never made, since the process ended before.
const NOT_MADE: &str = "This call was not made: the run was interrupted.";

/// An exchange begins here: with a question to the model, or with the reminder before it.
fn begins(entries: &[Entry], at: usize) -> bool {
    let is_asked = |at: usize| matches!(entries.get(at), Some(entry) if entry.is_question());
    let is_reminder = |at: usize| matches!(entries.get(at).map(|it| &it.kind), Some(EntryKind::Reminder { .. }));
    (is_asked(at) && !(at > 0 && is_reminder(at - 1))) || (is_reminder(at) && is_asked(at + 1))
}

/// The number of oldest entries to drop so that about `left` stay; the newest exchange is never cut.
pub(super) fn surplus(entries: &[Entry], left: usize) -> usize {
    let surplus = entries.len().saturating_sub(left);
    match surplus {
        0 => 0,
        _ => (0..entries.len()).rev().find(|at| begins(entries, *at)).map_or(surplus, |newest| surplus.min(newest)),
    }
}

/// The messages for a model: the newest exchange, and as many before it as there is room for. Long results of the newest
/// exchange are shortened, the oldest first.
pub(super) fn conversation(entries: &[Entry]) -> Vec<Message> {
    let (mut used, mut from) = (0, None);
    for (at, entry) in entries.iter().enumerate().rev() {
        used += entry.bytes();
        if used > CONTEXT && from.is_some() {
            break;
        }
        if begins(entries, at) {
            from = Some(at);
        }
    }
    let mut messages = messages(entries.get(from.unwrap_or_default()..).unwrap_or_default());
    shorten(&mut messages);
    messages
}

/// The messages with calls and results as text, for a request without tools: some providers refuse calls there.
pub(super) fn without_calls(messages: Vec<Message>) -> Vec<Message> {
    let plain = |message| match message {
        Message::Assistant { mut text, calls } => {
            for call in calls {
                let _ = write!(text, "\n[I called {} with {}]", call.tool, call.args);
            }
            Message::Assistant { text, calls: Vec::new() }
        }
        Message::ToolResult { tool, text, is_error, .. } => {
            let gave = if is_error { "failed" } else { "gave" };
            Message::User(format!("[{tool} {gave}: {text}]"))
        }
        other => other,
    };
    messages.into_iter().map(plain).collect()
}

/// The newest entry that the model reads, apart from reminders, is the user's prompt.
pub(super) fn is_unanswered(entries: &[Entry]) -> bool {
    let is_read = |said: &&EntryKind| match said {
        EntryKind::Assistant { text, calls, .. } => !text.is_empty() || !calls.is_empty(),
        EntryKind::Reminder { .. } | EntryKind::Notice { .. } | EntryKind::End { .. } => false,
        EntryKind::User { .. } | EntryKind::Ask { .. } | EntryKind::Tool { .. } => true,
    };
    let newest = entries.iter().rev().map(|entry| &entry.kind).find(is_read);
    matches!(newest, Some(EntryKind::User { .. }))
}

/// Shortens results, then the arguments of calls, then answers, and leaves out older reminders of the list, until there is
/// room for all messages. The user's own words are never shortened.
fn shorten(messages: &mut Vec<Message>) {
    let bytes = |message: &Message| match message {
        Message::User(text) | Message::System(text) | Message::ToolResult { text, .. } => text.len(),
        Message::Assistant { text, calls } => text.len() + calls.iter().map(Call::args_bytes).sum::<usize>(),
    };
    let mut used: usize = messages.iter().map(bytes).sum();
    for part in [Shortened::Results, Shortened::Args, Shortened::Answers] {
        for message in messages.iter_mut() {
            if used <= CONTEXT {
                return;
            }
            let before = bytes(message);
            match (part, &mut *message) {
                (Shortened::Results, Message::ToolResult { text, .. })
                | (Shortened::Answers, Message::Assistant { text, .. }) => cut(text),
                (Shortened::Args, Message::Assistant { calls, .. }) => {
                    for call in calls.iter_mut().filter(|call| call.args_bytes() > 2 * SHORTENED) {
                        call.args = json!({ "leftOut": format!("{} bytes, for want of room", call.args_bytes()) });
                    }
                }
                _ => {}
            }
            used = (used + bytes(message)).saturating_sub(before);
        }
    }
    let newest = messages.iter().rposition(|message| matches!(message, Message::System(_)));
    let mut at = 0;
    messages.retain(|message| {
        let is_old = matches!(message, Message::System(_)) && Some(at) != newest && used > CONTEXT;
        at += 1;
        if is_old {
            used = used.saturating_sub(bytes(message));
        }
        !is_old
    });
}

#[derive(Debug, Clone, Copy)]
enum Shortened {
    Results,
    Args,
    Answers,
}

fn cut(text: &mut String) {
    let left_out = text.len().saturating_sub(SHORTENED);
    if left_out > SHORTENED {
        text.truncate(text.floor_char_boundary(SHORTENED));
        text.push_str(&format!("\n[{left_out} more bytes are left out here; there was no room for them.]"));
    }
}

/// The entries as messages, each answer followed by the results of its calls.
fn messages(entries: &[Entry]) -> Vec<Message> {
    let results: HashMap<&str, (&Option<String>, bool)> = entries
        .iter()
        .filter_map(|entry| match &entry.kind {
            EntryKind::Tool { tool_call_id, result, is_error, .. } => {
                Some((tool_call_id.as_str(), (result, *is_error)))
            }
            _ => None,
        })
        .collect();
    let mut messages = Vec::new();
    for entry in entries {
        match &entry.kind {
            EntryKind::User { content } | EntryKind::Ask { content } => messages.push(Message::User(content.clone())),
            EntryKind::Reminder { content } => messages.push(Message::System(content.clone())),
            EntryKind::Assistant { text, calls, .. } => {
                // Some providers refuse an answer without anything in it.
                if text.is_empty() && calls.is_empty() {
                    continue;
                }
                messages.push(Message::Assistant { text: text.clone(), calls: calls.clone() });
                messages.extend(calls.iter().map(|call| result_of(call, results.get(call.id.as_str()))));
            }
            EntryKind::Tool { .. } | EntryKind::Notice { .. } | EntryKind::End { .. } => {}
        }
    }
    messages
}

fn result_of(call: &Call, result: Option<&(&Option<String>, bool)>) -> Message {
    let (text, is_error) = match result {
        Some((Some(text), is_error)) => (text.clone(), *is_error),
        _ if call.tool == DONE_TOOL => ("Noted.".to_owned(), false),
        _ => (NOT_MADE.to_owned(), true),
    };
    Message::ToolResult { call_id: call.id.clone(), tool: call.tool.clone(), text, is_error }
}

#[cfg(test)]
mod tests {
    use super::{CONTEXT, Entry, EntryKind, conversation, is_unanswered, surplus, without_calls};
    use crate::model::{Call, Message};
    use protocol::ChatOutcome;
    use serde_json::json;

    fn entries(kinds: Vec<EntryKind>) -> Vec<Entry> {
        let entry =
            |(at, kind): (usize, EntryKind)| Entry { seq: at as u64 + 1, at: jiff::Timestamp::UNIX_EPOCH, kind };
        kinds.into_iter().enumerate().map(entry).collect()
    }

    fn ask(text: &str) -> EntryKind {
        EntryKind::Ask { content: text.to_owned() }
    }

    fn reminder(text: &str) -> EntryKind {
        EntryKind::Reminder { content: text.to_owned() }
    }

    /// An answer that calls a tool, and its result of so many bytes.
    fn call(id: &str, bytes: usize) -> [EntryKind; 2] {
        let (tool, args) = ("look".to_owned(), json!({}));
        let made = Call { id: id.to_owned(), tool: tool.clone(), args: args.clone(), signatures: Vec::new() };
        [
            EntryKind::Assistant {
                text: String::new(),
                prose: String::new(),
                source: None,
                reasoning: String::new(),
                calls: vec![made],
            },
            EntryKind::Tool {
                tool_call_id: id.to_owned(),
                tool_name: tool,
                args,
                result: Some("é".repeat(bytes / 2)),
                is_error: false,
                not_made: false,
            },
        ]
    }

    fn bytes(messages: &[Message]) -> usize {
        messages.iter().map(|message| format!("{message:?}").len()).sum()
    }

    #[test]
    fn the_newest_exchange_is_there_whatever_its_tools_gave() {
        let mut said = vec![ask("an old question"), reminder("the list"), ask("the item")];
        for id in ["a", "b", "c", "d", "e"] {
            said.extend(call(id, 100_000));
        }
        let messages = conversation(&entries(said));
        assert_eq!(messages.first(), Some(&Message::System("the list".to_owned())));
        assert_eq!(messages.get(1), Some(&Message::User("the item".to_owned())));
        assert_eq!(messages.len(), 2 + 10);
        assert!(bytes(&messages) < CONTEXT + 10_000, "{}", bytes(&messages));
        let Some(Message::ToolResult { text: oldest, .. }) = messages.get(3) else { panic!("{messages:?}") };
        assert!(oldest.len() < 1_100 && oldest.contains("99000 more bytes are left out"), "{oldest}");
        let Some(Message::ToolResult { text: newest, .. }) = messages.last() else { panic!("{messages:?}") };
        assert_eq!(newest.len(), 100_000);
    }

    #[test]
    fn older_exchanges_are_there_as_far_as_there_is_room_and_whole() {
        let mut said = vec![ask("first")];
        said.extend(call("a", 200_000));
        said.extend([reminder("the list"), ask("second")]);
        said.extend(call("b", 99_000));
        let messages = conversation(&entries(said.clone()));
        assert_eq!(messages.first(), Some(&Message::User("first".to_owned())));
        said.push(ask(&"third ".repeat(1_000)));
        let messages = conversation(&entries(said));
        assert_eq!(messages.first(), Some(&Message::System("the list".to_owned())));
        assert!(messages.iter().all(|message| !format!("{message:?}").contains("left out")));
    }

    #[test]
    fn an_answer_without_end_is_shortened_and_a_prompt_is_not() {
        let prompt = "é".repeat(60_000);
        let answer = "long ".repeat(100_000);
        let said = vec![
            EntryKind::User { content: prompt.clone() },
            EntryKind::Assistant {
                text: answer,
                prose: String::new(),
                source: None,
                reasoning: String::new(),
                calls: Vec::new(),
            },
        ];
        let messages = conversation(&entries(said));
        assert_eq!(messages.first(), Some(&Message::User(prompt)));
        assert!(matches!(messages.last(), Some(Message::Assistant { text, .. }) if text.len() < 1_100));
    }

    #[test]
    fn arguments_that_are_more_than_there_is_room_for_are_left_out_the_oldest_first() {
        let mut said = vec![ask("write them"), reminder("the list")];
        for id in ["a", "b", "c", "d", "e"] {
            let [mut made, result] = call(id, 10);
            if let EntryKind::Assistant { calls, .. } = &mut made {
                calls[0].args = json!({ "path": id, "content": "x".repeat(100_000) });
            }
            said.extend([made, result]);
        }
        let messages = conversation(&entries(said));
        assert!(bytes(&messages) < CONTEXT + 10_000, "{}", bytes(&messages));
        let sizes: Vec<usize> = messages
            .iter()
            .filter_map(|message| match message {
                Message::Assistant { calls, .. } => Some(calls[0].args.to_string().len()),
                _ => None,
            })
            .collect();
        assert!(
            sizes[..3].iter().all(|size| *size < 100) && sizes[3..].iter().all(|size| *size > 100_000),
            "{sizes:?}"
        );
    }

    #[test]
    fn lists_as_they_were_are_left_out_before_anything_else_fails() {
        let mut said: Vec<EntryKind> = (0..20).map(|_| reminder(&"list ".repeat(10_000))).collect();
        said.insert(0, ask("go"));
        let messages = conversation(&entries(said));
        assert!(bytes(&messages) < CONTEXT + 60_000, "{}", bytes(&messages));
        assert!(matches!(messages.last(), Some(Message::System(_))));
        assert_eq!(messages.first(), Some(&Message::User("go".to_owned())));
    }

    #[test]
    fn the_newest_exchange_is_not_forgotten_however_long_it_is() {
        let mut said = vec![ask("old"), reminder("the list"), ask("new")];
        for _ in 0..700 {
            said.extend(call("a", 2));
        }
        let entries = entries(said);
        assert_eq!([surplus(&entries, 1_000), surplus(&entries, 2_000)], [1, 0]);
        assert_eq!(conversation(&entries[1..]).len(), 1_402);
        // Entries whose beginning was dropped are read from the first that is left.
        assert_eq!(conversation(&entries[3..]).len(), 1_400);
    }

    #[test]
    fn a_prompt_is_unanswered_until_its_model_has_said_something() {
        let says = |text: &str| EntryKind::Assistant {
            text: text.to_owned(),
            prose: "seen".to_owned(),
            source: None,
            reasoning: "thought".to_owned(),
            calls: Vec::new(),
        };
        let prompt = || EntryKind::User { content: "go".to_owned() };
        let end = || EntryKind::End {
            outcome: ChatOutcome::Aborted,
            message: String::new(),
            text: None,
            usage: None,
            cost: None,
        };
        assert!(is_unanswered(&entries(vec![says("old"), prompt(), reminder("the list"), says(""), end()])));
        assert!(!is_unanswered(&entries(vec![prompt(), says("Half"), end()])));
        assert!(!is_unanswered(&entries(vec![prompt(), ask("the item")])));
    }

    #[test]
    fn without_tools_calls_are_words() {
        let mut said = vec![ask("go")];
        said.extend(call("a", 4));
        let messages = without_calls(conversation(&entries(said)));
        let [Message::User(_), Message::Assistant { text, calls }, Message::User(gave)] = &messages[..] else {
            panic!("{messages:?}")
        };
        assert_eq!((text.as_str(), calls.len(), gave.as_str()), ("\n[I called look with {}]", 0, "[look gave: éé]"));
    }

    #[test]
    fn nothing_is_nothing() {
        assert_eq!(conversation(&[]), []);
    }
}
