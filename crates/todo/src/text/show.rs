//! The output of `/todo show` and `/todo list`, and a list read back from the former (requirements P4, P7, P10).

use super::{plain, short};
use crate::{Draft, Error, Item, Priority, Result, Status, limits};
use serde_json::json;
use std::fmt::Write;

/// The output of `/todo show` for an empty list.
const EMPTY: &str = "No active TODOs";

/// The first line of `/todo show`.
const TITLE: &str = "Current TODO List:";

/// Characters of the rules around `/todo show`.
const SHOW_RULE: usize = 38;

/// Characters of the rules around `/todo list`.
const LIST_RULE: usize = 52;

/// A list as `/todo show` prints it (requirement P4).
#[must_use]
pub fn show(items: &[Item]) -> String {
    if items.is_empty() {
        return EMPTY.to_owned();
    }
    let rule = "─".repeat(SHOW_RULE);
    let mut blocks = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let priority = item.priority.map(|p| format!("({}) ", p.name().to_uppercase())).unwrap_or_default();
        let mut block = format!("{}. {}", at + 1, entry(item, &priority));
        for (sub, subtask) in item.subtasks.iter().enumerate() {
            // Writing to a String cannot fail.
            let _ = write!(block, "\n   {}.{} {}", at + 1, sub + 1, entry(subtask, ""));
        }
        blocks.push(block);
    }
    format!("{TITLE}\n{rule}\n{}\n{rule}", blocks.join("\n\n"))
}

/// A subtask is shown without its priority.
fn entry(item: &Item, priority: &str) -> String {
    let status = match (&item.status_raw, item.status) {
        // A bracket of its own would end the status before its end.
        (Some(raw), Status::Unknown) => raw.to_uppercase().replace('[', "(").replace(']', ")"),
        (_, status) => status.name().to_uppercase(),
    };
    format!("[{}] {priority}{}", plain(&status), plain(&item.content))
}

/// Reads a list as [`show`] writes it: status, priority, content and subtasks. A status word of the agent's own comes
/// back in capitals; the content of a top-level item that itself begins with `(HIGH) ` or the like is read as having that priority.
///
/// # Errors
/// When a line is none of that form; the message names the line.
pub fn read_show(text: &str) -> Result<Vec<Draft>> {
    let mut items: Vec<Draft> = Vec::new();
    let mut sent = 0;
    // As it is shown again: a control character could become the space that ends a priority.
    for (at, line) in text.lines().map(plain).enumerate() {
        let bare = line.trim();
        if bare == EMPTY || bare == TITLE || bare.chars().all(|c| c == '─') {
            continue;
        }
        let wrong = |problem: &str| Error::Text {
            form: "list",
            problem: format!("line {} {problem}: \"{}\"", at + 1, short(bare)),
        };
        let no_item = || wrong("is no item; write \"1. [PENDING] text\", or \"   1.1 [PENDING] text\" for a subtask");
        let (position, rest) = line.trim_start().split_once(" [").ok_or_else(no_item)?;
        let (top, sub) = position.split_once('.').ok_or_else(no_item)?;
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(top) || !(sub.is_empty() || is_number(sub)) {
            return Err(no_item());
        }
        let path = format!("item {}", position.trim_end_matches('.'));
        let draft = read_entry(rest, sub.is_empty(), &path).ok_or_else(no_item)??;
        match (sub.is_empty(), items.last_mut()) {
            (true, _) => {
                sent += 1;
                if sent <= limits::ITEMS {
                    items.push(draft);
                }
            }
            (false, None) => return Err(wrong("is a subtask before any item")),
            (false, Some(item)) if item.subtasks.len() == limits::ITEMS => {
                return Err(wrong(&format!("is one subtask too many; an item may have {}", limits::ITEMS)));
            }
            (false, Some(item)) => item.subtasks.push(draft),
        }
    }
    if sent > limits::ITEMS { Err(Error::TooManyItems { sent }) } else { Ok(items) }
}

/// Reads the text after the `[`: `PENDING] (HIGH) text`; a subtask has no priority.
fn read_entry(rest: &str, is_top: bool, path: &str) -> Option<Result<Draft>> {
    let (status, rest) = rest.split_once("] ")?;
    let unknown = status.eq_ignore_ascii_case(Status::Unknown.name());
    let status = if unknown { Status::Unknown.name() } else { status };
    let marked = rest.strip_prefix('(').filter(|_| is_top).and_then(|rest| rest.split_once(") "));
    let priority = marked.and_then(|(word, content)| {
        let priority = Priority::from_word(word).filter(|priority| priority.name().to_uppercase() == word)?;
        Some((priority, content))
    });
    Some(match priority {
        Some((priority, content)) => {
            Draft::one(&json!({ "status": status, "priority": priority.name(), "content": content }), path)
        }
        None => Draft::one(&json!({ "status": status, "content": rest }), path),
    })
}

/// One line of `/todo list`.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedList {
    /// Its number.
    pub number: usize,
    /// The present list of a current session.
    pub current: bool,
    /// Seconds since its newest change.
    pub age: i64,
    /// Its agent and session.
    pub whose: String,
    /// Its items.
    pub items: Vec<Item>,
}

/// Lists as `/todo list` prints them (requirement P7), in the order given.
#[must_use]
pub fn saved_lists(lists: &[SavedList]) -> String {
    if lists.is_empty() {
        return "No saved TODO lists found".to_owned();
    }
    let rule = "─".repeat(LIST_RULE);
    let mut blocks = Vec::new();
    for list in lists {
        let head = if list.current { "[CURRENT SESSION]".to_owned() } else { format!("{} │", age(list.age)) };
        let first = match list.items.first() {
            Some(item) => format!("\"{}\"", plain(&item.content)),
            None => "\"(empty)\"".to_owned(),
        };
        let whose = if list.whose.is_empty() { String::new() } else { format!(" │ {}", plain(&list.whose)) };
        blocks.push(format!("{}. {head} {}{whose}\n   → {first}", list.number, counts(&list.items)));
    }
    format!("Saved TODO Lists:\n{rule}\n{}\n{rule}", blocks.join("\n\n"))
}

/// The statuses of items with the number of each, those that are worked on first; none of which there are none.
pub fn counted(items: &[Item]) -> impl Iterator<Item = (usize, Status)> {
    const ORDER: [Status; 7] = [
        Status::InProgress,
        Status::Pending,
        Status::Completed,
        Status::Blocked,
        Status::Skipped,
        Status::Cancelled,
        Status::Unknown,
    ];
    let count = |status: Status| (items.iter().filter(|item| item.status == status).count(), status);
    ORDER.into_iter().map(count).filter(|(count, _)| *count > 0)
}

fn counts(items: &[Item]) -> String {
    let noun = if items.len() == 1 { "item" } else { "items" };
    let parts: Vec<String> = counted(items).map(|(count, status)| format!("{count} {}", status.name())).collect();
    if parts.is_empty() {
        format!("{} {noun}", items.len())
    } else {
        format!("{} {noun} ({})", items.len(), parts.join(", "))
    }
}

fn age(seconds: i64) -> String {
    const HOUR: i64 = 3600;
    const DAY: i64 = 24 * HOUR;
    match seconds {
        s if s < HOUR => "Just now".to_owned(),
        s if s < 2 * HOUR => "1 hour ago".to_owned(),
        s if s < DAY => format!("{} hours ago", s / HOUR),
        s if s < 2 * DAY => "1 day ago".to_owned(),
        s => format!("{} days ago", s / DAY),
    }
}
