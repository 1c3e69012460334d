//! The list of a session, saved lists and a history in the language of the terminal, laid out as the gateway's English ones.

use crate::words::{of_wire, text, word};
use jiff::Timestamp;
use protocol::{Actor, ActorKind, ListEntry, RevisionView};
use std::fmt::{Display, Write};
use todo::text::{counted, plain};
use todo::{Item, Status, short};

/// Columns of the rules around a list, and around saved lists.
const RULES: [usize; 2] = [38, 52];

/// The list of a session.
pub(crate) fn show(items: &[Item]) -> String {
    if items.is_empty() {
        return word("terminal_show_empty").to_owned();
    }
    let rule = "─".repeat(RULES[0]);
    let mut blocks = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let priority =
            item.priority.map(|priority| format!("({}) ", word(&format!("terminal_priority_{}", priority.name()))));
        let mut block = format!("{}. {}", at + 1, line(item, &priority.unwrap_or_default()));
        for (sub, subtask) in item.subtasks.iter().enumerate() {
            // Writing to a String cannot fail.
            let _ = write!(block, "\n   {}.{} {}", at + 1, sub + 1, line(subtask, ""));
        }
        blocks.push(block);
    }
    format!("{}\n{rule}\n{}\n{rule}", word("terminal_show_title"), blocks.join("\n\n"))
}

fn line(item: &Item, priority: &str) -> String {
    let status = match (&item.status_raw, item.status) {
        (Some(raw), Status::Unknown) => plain(raw),
        (_, status) => of_wire("status", status.name()),
    };
    format!("[{}] {priority}{}", status.to_uppercase(), plain(&item.content))
}

/// Saved lists with their numbers and items; with the number of those before them, whether more follow, and how many there
/// are in all.
pub(crate) fn saved(
    lists: &[(usize, &ListEntry, Vec<Item>)],
    now: Timestamp,
    (skipped, more, total): (usize, bool, usize),
) -> String {
    if lists.is_empty() {
        return word("terminal_lists_none").to_owned();
    }
    let rule = "─".repeat(RULES[1]);
    let blocks: Vec<String> = lists.iter().map(|(number, entry, items)| block(*number, entry, items, now)).collect();
    let mut shown = format!("{}\n{rule}\n{}\n{rule}", word("terminal_lists_title"), blocks.join("\n\n"));
    if more || skipped > 0 {
        let (first, last) = (skipped + 1, skipped + lists.len());
        let inputs: [(&str, &dyn Display); 3] = [("first", &first), ("last", &last), ("total", &total)];
        let _ = write!(shown, "\n{}", text("terminal_lists_range", &inputs));
    }
    if more {
        let next = format!("sightline todo list {}", (skipped + lists.len()) / protocol::command::Pages::LISTS + 1);
        let inputs: [(&str, &dyn Display); 2] = [("next", &next), ("all", &"sightline todo list --all")];
        let _ = write!(shown, " {}", text("terminal_lists_next", &inputs));
    }
    shown
}

fn block(number: usize, entry: &ListEntry, items: &[Item], now: Timestamp) -> String {
    let (session, ended) = (&entry.session, entry.ended.as_ref());
    let time = ended.map_or(session.last_activity_at, |list| list.ended_at);
    let head = match session.current && ended.is_none() {
        true => word("terminal_lists_current").to_owned(),
        false => format!("{} │", age(now.as_second() - time.as_second())),
    };
    let first = items.first().map_or_else(|| word("terminal_lists_empty").to_owned(), |item| plain(&item.content));
    let whose = [Some(&session.agent.name), session.project.as_ref(), session.label.as_ref(), session.host.as_ref()];
    let whose = whose.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" · ");
    format!("{number}. {head} {} │ {}\n   → \"{first}\"", counts(items), plain(&whose))
}

fn counts(items: &[Item]) -> String {
    let part = |(count, status): (usize, Status)| format!("{count} {}", of_wire("status", status.name()));
    let parts: Vec<String> = counted(items).map(part).collect();
    let steps = text("terminal_lists_steps", &[("count", &items.len())]);
    if parts.is_empty() { steps } else { format!("{steps} ({})", parts.join(word("terminal_comma"))) }
}

fn age(seconds: i64) -> String {
    const HOUR: i64 = 3600;
    const DAY: i64 = 24 * HOUR;
    match seconds {
        s if s < HOUR => word("terminal_lists_just_now").to_owned(),
        s if s < DAY => text("terminal_lists_hours", &[("count", &(s / HOUR))]),
        s => text("terminal_lists_days", &[("count", &(s / DAY))]),
    }
}

/// Whoever made a change; the user has no name.
fn who(actor: &Actor) -> String {
    match actor.kind {
        ActorKind::User => word("terminal_you").to_owned(),
        ActorKind::Agent | ActorKind::Subagent => short(&actor.name),
    }
}

/// The changes of a list, newest first.
pub(crate) fn history(revisions: &[RevisionView], now: Timestamp) -> String {
    let line = |revision: &RevisionView| {
        let count = |uids: &[String], words: &str| (!uids.is_empty()).then(|| text(words, &[("count", &uids.len())]));
        let changes = [
            count(&revision.added, "terminal_history_added"),
            count(&revision.changed, "terminal_history_changed"),
            count(&revision.removed, "terminal_history_removed"),
        ];
        let mut changes: Vec<String> = changes.into_iter().flatten().collect();
        if changes.is_empty() {
            changes.push(word("terminal_history_same").to_owned());
        }
        let ago = crate::words::ago(revision.at, now);
        plain(&format!(
            "r{}  {}  {ago}  {}",
            revision.revision,
            who(&revision.actor),
            changes.join(word("terminal_comma"))
        ))
    };
    let lines: Vec<String> = revisions.iter().map(line).collect();
    if lines.is_empty() { word("terminal_history_none").to_owned() } else { lines.join("\n") }
}
