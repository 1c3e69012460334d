//! What a model reads: the merged list, and what the user changed, in few words.

use protocol::{EditKind, EditView, TodoWritten};
use std::fmt::Write;
use todo::text::plain;
use todo::{Item, Status, short};

/// Characters that the user's changes may take; what does not fit is counted.
const CHANGES_CHARS: usize = 1_400;

/// The text of a result: a headline, the list, and what the agent has to know.
pub(crate) fn text(headline: &str, written: &TodoWritten) -> String {
    let mut text = headline.to_owned();
    text.push_str("\n\n");
    text.push_str(&list(&written.todos));
    text.push_str(&news(written));
    text
}

/// What follows an action of `todo_manager` that changes the list (REQUIREMENTS T7), and any action where the user
/// changed something; `None` where there is nothing to say.
pub(crate) fn state(changes: bool, written: &TodoWritten) -> Option<String> {
    let news = news(written);
    match changes || !news.is_empty() {
        true => Some(format!("TODO list updated. Current state:\n{}{news}", todo::text::write_xml(&written.todos))),
        false => None,
    }
}

/// What the agent has to know beside the list: what the user changed, and remarks.
fn news(written: &TodoWritten) -> String {
    let mut text = String::new();
    if let Some(changes) = changes(&written.edits, &written.todos) {
        text.push_str("\n\n");
        text.push_str(&changes);
    }
    for remark in &written.remarks {
        text.push_str("\nNote: ");
        text.push_str(&plain(remark));
    }
    text
}

fn list(items: &[Item]) -> String {
    if items.is_empty() {
        return "The list is empty.".to_owned();
    }
    let mut lines = Vec::new();
    for (at, item) in items.iter().enumerate() {
        lines.push(line(&(at + 1).to_string(), item));
        for (sub, subtask) in item.subtasks.iter().enumerate() {
            lines.push(format!("   {}", line(&format!("{}.{}", at + 1, sub + 1), subtask)));
        }
    }
    lines.join("\n")
}

fn line(position: &str, item: &Item) -> String {
    let status = match (&item.status_raw, item.status) {
        (Some(raw), Status::Unknown) => plain(&short(raw)),
        (_, status) => status.name().to_owned(),
    };
    let by = if item.origin == todo::Origin::User { ", added by the user" } else { "" };
    format!("{position}. [{status}] {} (id {}{by})", plain(&short(&item.content)), plain(&short(&item.id)))
}

/// The user's changes that this result tells; `None` when there are none.
fn changes(edits: &[EditView], items: &[Item]) -> Option<String> {
    if edits.is_empty() {
        return None;
    }
    let mut text =
        String::from("The user changed this list. Follow it in your work, and keep it in the lists you send:");
    let mut told = 0;
    for edit in edits {
        let sentence = sentence(edit, items);
        if text.chars().count() + sentence.chars().count() > CHANGES_CHARS {
            break;
        }
        text.push_str("\n- ");
        text.push_str(&sentence);
        told += 1;
    }
    if told < edits.len() {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n- and {} more changes; the list above is what counts", edits.len() - told);
    }
    Some(text)
}

fn sentence(edit: &EditView, items: &[Item]) -> String {
    let what = plain(&short(&edit.text));
    let detail = plain(edit.detail.as_deref().unwrap_or_default());
    match edit.kind {
        EditKind::Add => match place(edit, items) {
            Some(place) => format!("added \"{what}\" at {place}"),
            None => format!("added \"{what}\""),
        },
        EditKind::Delete => format!("removed \"{what}\": do not work on it, leave it out"),
        EditKind::Set => format!("set \"{what}\": {detail}"),
        EditKind::Move => format!("moved \"{what}\" {detail}"),
        EditKind::Load => format!("loaded another list ({what}): work on the list above, leave the old one"),
        EditKind::Clear => format!("cleared the list ({what}): stop that work and leave those items out"),
    }
}

fn place(edit: &EditView, items: &[Item]) -> Option<String> {
    let uid = edit.uid.as_deref()?;
    items.iter().enumerate().find_map(|(at, item)| {
        if item.uid.to_string() == uid {
            return Some((at + 1).to_string());
        }
        let sub = item.subtasks.iter().position(|sub| sub.uid.to_string() == uid)?;
        Some(format!("{}.{}", at + 1, sub + 1))
    })
}

/// The same for programs.
pub(crate) fn structured(written: &TodoWritten) -> serde_json::Value {
    let changes: Vec<_> = written
        .edits
        .iter()
        .map(|edit| serde_json::json!({ "kind": edit.kind, "uid": edit.uid, "text": edit.text, "detail": edit.detail }))
        .collect();
    serde_json::json!({
        "sessionId": written.session_id,
        "session": written.session,
        "revision": written.revision,
        "progress": { "completed": written.progress.completed, "total": written.progress.total },
        "todos": written.todos,
        "userChanges": changes,
        "remarks": written.remarks,
    })
}
