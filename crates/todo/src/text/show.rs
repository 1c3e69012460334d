//! The output of `/todo show` and `/todo list`, and a list read back from the former (requirements P4, P7, P10).

use super::{plain, short};
use crate::{Draft, Error, Item, Priority, Result, Status, limits};
use serde_json::json;
use texts::{Lines, Text, all as say};

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
pub fn show(items: &[Item]) -> Lines {
    let mut lines = Lines::default();
    if items.is_empty() {
        lines.say(say::shown_none());
        return lines;
    }
    let rule = "─".repeat(SHOW_RULE);
    lines.say(say::shown_title());
    lines.put(&format!("\n{rule}\n"));
    let between = |lines: &mut Lines| lines.put("\n\n");
    lines.join(items.iter().enumerate(), between, |lines, (at, item)| {
        lines.put(&format!("{}. ", at + 1));
        entry(lines, item, item.priority);
        for (sub, subtask) in item.subtasks.iter().enumerate() {
            lines.put(&format!("\n   {}.{} ", at + 1, sub + 1));
            // A subtask is shown without its priority.
            entry(lines, subtask, None);
        }
    });
    lines.put(&format!("\n{rule}"));
    lines
}

fn entry(lines: &mut Lines, item: &Item, priority: Option<Priority>) {
    lines.put("[");
    match (&item.status_raw, item.status) {
        // A bracket of its own would end the status before its end.
        (Some(raw), Status::Unknown) => {
            lines.put(&plain(&raw.to_uppercase().replace('[', "(").replace(']', ")")));
        }
        (_, status) => lines.say(match status {
            Status::Pending => say::shown_pending(),
            Status::InProgress => say::shown_in_progress(),
            Status::Completed => say::shown_completed(),
            Status::Blocked => say::shown_blocked(),
            Status::Skipped => say::shown_skipped(),
            Status::Cancelled => say::shown_cancelled(),
            Status::Unknown => say::shown_unknown(),
        }),
    }
    lines.put("] ");
    if let Some(priority) = priority {
        lines.put("(");
        lines.say(match priority {
            Priority::High => say::shown_high(),
            Priority::Medium => say::shown_medium(),
            Priority::Low => say::shown_low(),
        });
        lines.put(") ");
    }
    lines.put(&plain(&item.content));
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
pub fn saved_lists(lists: &[SavedList]) -> Lines {
    let mut lines = Lines::default();
    if lists.is_empty() {
        lines.say(say::lists_none());
        return lines;
    }
    let rule = "─".repeat(LIST_RULE);
    lines.say(say::lists_title());
    lines.put(&format!("\n{rule}\n"));
    let between = |lines: &mut Lines| lines.put("\n\n");
    lines.join(lists, between, |lines, list| {
        lines.put(&format!("{}. ", list.number));
        if list.current {
            lines.say(say::lists_current());
        } else {
            lines.say(if list.age < HOUR { say::lists_just_now() } else { ago(list.age) });
            lines.put(" │");
        }
        lines.put(" ");
        counts(lines, &list.items);
        if !list.whose.is_empty() {
            lines.put(&format!(" │ {}", plain(&list.whose)));
        }
        lines.put("\n   → \"");
        match list.items.first() {
            Some(item) => lines.put(&plain(&item.content)),
            None => lines.say(say::lists_empty()),
        }
        lines.put("\"");
    });
    lines.put(&format!("\n{rule}"));
    lines
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

fn counts(lines: &mut Lines, items: &[Item]) {
    lines.say(if items.len() == 1 { say::lists_item() } else { say::lists_items(items.len()) });
    if items.is_empty() {
        return;
    }
    lines.put(" (");
    let comma = |lines: &mut Lines| lines.say(say::comma());
    lines.join(counted(items), comma, |lines, (count, status)| lines.say(say::lists_counted(count, status.name())));
    lines.put(")");
}

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// The age of something: `4 minutes ago`.
#[must_use]
pub fn ago(seconds: i64) -> Text {
    match seconds {
        s if s < 60 => say::ago_now(),
        s if s < 2 * 60 => say::ago_minute(),
        s if s < HOUR => say::ago_minutes(s / 60),
        s if s < 2 * HOUR => say::ago_hour(),
        s if s < DAY => say::ago_hours(s / HOUR),
        s if s < 2 * DAY => say::ago_day(),
        s => say::ago_days(s / DAY),
    }
}
