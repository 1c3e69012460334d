//! Text forms of a list.

use crate::{Item, Status};
use std::fmt::Write;

/// Characters of the rules around `/todo show`.
const SHOW_RULE: usize = 38;

/// Characters of the rules around `/todo list`.
const LIST_RULE: usize = 52;

/// A list as `/todo show` prints it (REQUIREMENTS P4).
#[must_use]
pub fn show(items: &[Item]) -> String {
    if items.is_empty() {
        return "No active TODOs".to_owned();
    }
    let rule = "─".repeat(SHOW_RULE);
    let mut blocks = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let mut block = format!("{}. {}", at + 1, entry(item));
        for (sub, subtask) in item.subtasks.iter().enumerate() {
            // Writing to a String cannot fail.
            let _ = write!(block, "\n   {}.{} {}", at + 1, sub + 1, entry(subtask));
        }
        blocks.push(block);
    }
    format!("Current TODO List:\n{rule}\n{}\n{rule}", blocks.join("\n\n"))
}

fn entry(item: &Item) -> String {
    let status = match (&item.status_raw, item.status) {
        (Some(raw), Status::Unknown) => raw.to_uppercase(),
        (_, status) => status.name().to_uppercase(),
    };
    let priority = item.priority.map(|p| format!("({}) ", p.name().to_uppercase())).unwrap_or_default();
    format!("[{}] {priority}{}", plain(&status), plain(&item.content))
}

/// A text as a terminal may print it: on one line, without control characters.
#[must_use]
pub fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// One line of `/todo list`.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedList<'a> {
    /// Of a current session.
    pub current: bool,
    /// Seconds since its newest change.
    pub age: i64,
    /// Its items.
    pub items: &'a [Item],
}

/// Lists as `/todo list` prints them (REQUIREMENTS P7), in the order given.
#[must_use]
pub fn saved_lists(lists: &[SavedList<'_>]) -> String {
    if lists.is_empty() {
        return "No saved TODO lists found".to_owned();
    }
    let rule = "─".repeat(LIST_RULE);
    let mut blocks = Vec::new();
    for (at, list) in lists.iter().enumerate() {
        let head = if list.current { "[CURRENT SESSION]".to_owned() } else { format!("{} │", age(list.age)) };
        let first = match list.items.first() {
            Some(item) => format!("\"{}\"", plain(&item.content)),
            None => "\"(empty)\"".to_owned(),
        };
        blocks.push(format!("{}. {head} {}\n   → {first}", at + 1, counts(list.items)));
    }
    format!("Saved TODO Lists:\n{rule}\n{}\n{rule}", blocks.join("\n\n"))
}

fn counts(items: &[Item]) -> String {
    const ORDER: [Status; 7] = [
        Status::InProgress,
        Status::Pending,
        Status::Completed,
        Status::Blocked,
        Status::Skipped,
        Status::Cancelled,
        Status::Unknown,
    ];
    let noun = if items.len() == 1 { "item" } else { "items" };
    let parts: Vec<String> = ORDER
        .iter()
        .map(|status| (items.iter().filter(|item| item.status == *status).count(), status.name()))
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
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

/// The beginning of a text, for sentences.
#[must_use]
pub fn short(text: &str) -> String {
    const CHARS: usize = 80;
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= CHARS && line.len() == text.len() {
        return line.to_owned();
    }
    format!("{}…", line.chars().take(CHARS).collect::<String>().trim_end())
}

/// The status as `todo_manager` and the XML form say it: `todo`, `doing`, `done`; the others as themselves (T2).
#[must_use]
pub fn xml_status(item: &Item) -> &str {
    match (item.status, &item.status_raw) {
        (Status::Pending, _) if item.waiting => "waiting",
        (Status::Pending, _) => "todo",
        (Status::InProgress, _) => "doing",
        (Status::Completed, _) => "done",
        (Status::Unknown, Some(raw)) => raw,
        (status, _) => status.name(),
    }
}

/// A list as `<todos>` XML: ids are positions (REQUIREMENTS T2, T7).
#[must_use]
pub fn write_xml(items: &[Item]) -> String {
    let escaped = |text: &str| plain(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let line = |id: &str, item: &Item| {
        let status = escaped(xml_status(item)).replace('"', "&quot;");
        format!("<todo id=\"{id}\" status=\"{status}\">{}</todo>\n", escaped(&item.content))
    };
    let mut text = String::from("<todos>\n");
    for (at, item) in items.iter().enumerate() {
        text.push_str(&line(&(at + 1).to_string(), item));
        for (sub, subtask) in item.subtasks.iter().enumerate() {
            text.push_str(&line(&format!("{}.{}", at + 1, sub + 1), subtask));
        }
    }
    text.push_str("</todos>");
    text
}
