//! What a model reads: the merged list, and what the user changed, in few words.

use protocol::{EditKind, EditView, TodoWritten};
use std::fmt::Write;
use todo::text::plain;
use todo::{Item, Status, short};

/// Characters that the user's changes may take; what does not fit is counted.
const CHANGES_CHARS: usize = 1_400;

/// Characters of one note, and of what one change is about.
const NOTE_CHARS: usize = 600;
const TEXT_CHARS: usize = 200;

/// The text of a result: a headline, the list, and what the agent has to know.
pub(crate) fn text(headline: &str, written: &TodoWritten) -> String {
    let mut text = headline.to_owned();
    text.push_str("\n\n");
    text.push_str(&list(&written.todos));
    text.push_str(&news(written));
    text
}

/// What follows an action of `todo_manager`: the list where it changes it (REQUIREMENTS T7), and what the user changed;
/// `None` where there is nothing to say.
pub(crate) fn state(changes: bool, written: &TodoWritten) -> Option<String> {
    let news = news(written);
    match changes {
        true => Some(format!("TODO list updated. Current state:\n{}{news}", todo::text::write_xml(&written.todos))),
        false => Some(news.trim_start().to_owned()).filter(|news| !news.is_empty()),
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

/// What the user changed and said, as far as this result tells it; `None` when there is nothing.
fn changes(edits: &[EditView], items: &[Item]) -> Option<String> {
    let (notes, edits): (Vec<&EditView>, Vec<&EditView>) = edits.iter().partition(|edit| edit.kind == EditKind::Note);
    let mut text = String::new();
    let mut left = 0;
    for note in notes {
        let line = format!("The user tells you: {}\n", plain(&cut(&note.text, NOTE_CHARS)));
        if text.chars().count() + line.chars().count() > CHANGES_CHARS {
            left += 1;
            continue;
        }
        text.push_str(&line);
    }
    if !edits.is_empty() {
        text.push_str("The user changed this list. Follow it in your work, and keep it in the lists you send:\n");
    }
    for edit in edits {
        let line = format!("- {}\n", sentence(edit, items));
        if left > 0 || text.chars().count() + line.chars().count() > CHANGES_CHARS {
            left += 1;
            continue;
        }
        text.push_str(&line);
    }
    if left > 0 {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "- and {left} more changes; the list above is what counts");
    }
    (!text.is_empty()).then(|| text.trim_end().to_owned())
}

/// The beginning of a text that may have several lines.
fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn sentence(edit: &EditView, items: &[Item]) -> String {
    let what = plain(&cut(&edit.text, TEXT_CHARS));
    let detail = plain(edit.detail.as_deref().unwrap_or_default());
    let said = match edit.kind {
        EditKind::Note => what,
        EditKind::Add => match place(edit, items) {
            Some(place) => format!("added \"{what}\" at {place}"),
            None => format!("added \"{what}\""),
        },
        EditKind::Delete => format!("removed \"{what}\": do not work on it, leave it out"),
        EditKind::Set => format!("set \"{what}\": {detail}"),
        EditKind::Move => format!("moved \"{what}\" {detail}"),
        EditKind::Load => format!("loaded another list ({what}): work on the list above, leave the old one"),
        EditKind::Clear => format!("cleared the list ({what}): stop that work and leave those items out"),
    };
    if edit.insisted { format!("{said} (the user insists on it)") } else { said }
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
