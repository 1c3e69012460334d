//! What a model reads: the merged list, and what the user changed, in few words.

use protocol::{EditKind, EditView, TodoWritten};
use std::fmt::Write;
use todo::text::plain;
use todo::{Item, Status, short};

/// Characters that the user's changes may take; what does not fit is counted.
const CHANGES_CHARS: usize = 1_250;

/// Parts of a result that hold lists as they are, or repeat the others for people.
const NOT_READ: [&str; 2] = ["structuredContent", "returnDisplay"];

/// What stands before a session's id in a first result.
const SESSION: &str = "This list is session ";

/// Characters of an agent's own list.
const LIST_CHARS: usize = 3_000;

/// Characters of what one change is about.
const TEXT_CHARS: usize = 200;

/// Characters of what was made of it.
const DETAIL_CHARS: usize = 400;

/// A text for a model, and the edits that count as delivered once it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// What the model reads.
    pub text: String,
    /// The ids of those edits.
    pub edits: Vec<String>,
}

/// The text of a result: a headline, the list, and what the agent has to know.
pub(crate) fn text(headline: &str, written: &TodoWritten) -> Told {
    let news = news(written);
    Told { text: format!("{headline}\n\n{}{}", list(&written.todos), news.text), edits: news.edits }
}

/// What follows an action of `todo_manager`: the list where it changes it (REQUIREMENTS T7), and what the user changed;
/// an empty text where there is nothing to say.
pub(crate) fn state(changes: bool, written: &TodoWritten) -> Told {
    let Told { text, edits } = news(written);
    let text = match changes {
        true => format!("TODO list updated. Current state:\n{}{text}", todo::text::write_xml(&written.todos)),
        false => text.trim_start().to_owned(),
    };
    Told { text, edits }
}

/// What an agent is told by one of its hooks, beside something that is not its list; `None` where there is nothing.
/// What does not fit is left for the next time.
#[must_use]
pub fn told_by_hook(edits: &[EditView], items: &[Item]) -> Option<Told> {
    let told = changes(edits, items, Beside::Another);
    (!told.edits.is_empty()).then_some(told)
}

/// The same of the list that the agent keeps with a `tool` of its own; it cannot read what it did not write, so the
/// list follows.
#[must_use]
pub fn told_of_own_list(edits: &[EditView], items: &[Item], tool: &str) -> Option<Told> {
    let mut told = changes(edits, items, Beside::Own(tool));
    if edits.iter().any(|edit| edit.kind != EditKind::Note && told.edits.contains(&edit.edit_id)) {
        told.text.push_str("\nThe list is now:\n");
        told.text.push_str(&cut(&list(items), LIST_CHARS));
    }
    (!told.edits.is_empty()).then_some(told)
}

/// What the agent has to know beside the list: what the user changed, and remarks.
fn news(written: &TodoWritten) -> Told {
    let mut told = changes(&written.edits, &written.todos, Beside::TheList);
    if !told.text.is_empty() {
        told.text.insert_str(0, "\n\n");
    }
    for remark in &written.remarks {
        told.text.push_str("\nNote: ");
        told.text.push_str(&plain(remark));
    }
    told
}

/// What a model reads the user's changes beside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beside<'a> {
    /// The list as it is after them.
    TheList,
    /// The result of another tool, or a prompt.
    Another,
    /// The same, of the list that a tool of the agent's own keeps.
    Own(&'a str),
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

/// What the user changed and said, as far as it fits: notes first, since no list says them.
fn changes(edits: &[EditView], items: &[Item], beside: Beside<'_>) -> Told {
    let (notes, changes): (Vec<&EditView>, Vec<&EditView>) = edits.iter().partition(|edit| edit.kind == EditKind::Note);
    let whose = match beside {
        Beside::TheList => "this list".to_owned(),
        Beside::Another => "the todo list that you keep with the sightline tools".to_owned(),
        Beside::Own(tool) => format!("the todo list that you keep with {}", plain(tool)),
    };
    let head = format!("The user changed {whose}. Follow it in your work, and keep it in the lists you send:\n");
    let head = head.as_str();
    let mut budget = Budget::default();
    let notes_left = budget.take(&notes, "", |note| format!("The user tells you: {}\n", plain(&note.text)));
    let left = budget.take(&changes, head, |edit| format!("- {}\n", sentence(edit, items, beside)));
    if beside == Beside::TheList && !left.is_empty() {
        if left.len() == changes.len() {
            budget.text.push_str(head);
        }
        // Writing to a String cannot fail.
        let _ = writeln!(budget.text, "- and {} more changes; the list above is what counts", left.len());
        budget.told.extend(left);
    }
    if beside == Beside::TheList && !notes_left.is_empty() {
        let _ = writeln!(budget.text, "{} more notes of the user's follow with your next call", notes_left.len());
    }
    Told { text: budget.text.trim_end().to_owned(), edits: budget.told }
}

/// A text that grows until it is long enough.
#[derive(Default)]
struct Budget {
    text: String,
    told: Vec<String>,
    is_spent: bool,
}

impl Budget {
    /// Adds a line for each, in order, as long as they fit, under a head; gives the ids of the others.
    fn take(&mut self, edits: &[&EditView], head: &str, line: impl Fn(&EditView) -> String) -> Vec<String> {
        let mut left = Vec::new();
        for (at, edit) in edits.iter().enumerate() {
            let line = format!("{}{}", if at == 0 { head } else { "" }, line(edit));
            // The first is told whole, however long it is.
            let is_over = self.text.chars().count() + line.chars().count() > CHANGES_CHARS;
            self.is_spent |= is_over && !self.text.is_empty();
            if self.is_spent {
                left.push(edit.edit_id.clone());
            } else {
                self.text.push_str(&line);
                self.told.push(edit.edit_id.clone());
            }
        }
        left
    }
}

/// The beginning of a text that may have several lines.
fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn sentence(edit: &EditView, items: &[Item], beside: Beside<'_>) -> String {
    let what = plain(&cut(&edit.text, TEXT_CHARS));
    // Of many at once only some are named.
    let is_cut = beside == Beside::Another && edit.uid.is_none() && what.ends_with('…');
    let detail = plain(&cut(edit.detail.as_deref().unwrap_or_default(), DETAIL_CHARS));
    let said = match edit.kind {
        EditKind::Note => what,
        EditKind::Add => match place(edit, items) {
            Some(place) => format!("added \"{what}\" at {place}"),
            None => format!("added \"{what}\""),
        },
        EditKind::Delete => format!("removed \"{what}\": do not work on it, leave it out"),
        EditKind::Set => format!("set \"{what}\": {detail}"),
        EditKind::Move => format!("moved \"{what}\" {detail}"),
        EditKind::Load if beside == Beside::Another => {
            format!("loaded another list ({what}): read it with todo_read and work on it, leave the old one")
        }
        EditKind::Load if beside == Beside::TheList => {
            format!("loaded another list ({what}): work on the list above, leave the old one")
        }
        EditKind::Load => format!("loaded another list ({what}): work on that one, leave the old one"),
        EditKind::Clear => format!("cleared the list ({what}): stop that work and leave those items out"),
    };
    let more = if is_cut { "; todo_read gives the list as it is now" } else { "" };
    let insists = if edit.insisted { " (the user insists on it)" } else { "" };
    format!("{said}{more}{insists}")
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
    let mut structured = serde_json::json!({
        "sessionId": written.session_id,
        "session": written.session,
        "revision": written.revision,
        "progress": { "completed": written.progress.completed, "total": written.progress.total },
        "todos": written.todos,
        "userChanges": changes,
        "remarks": written.remarks,
    });
    // Some agents hand only this part to their model.
    let news = self::changes(&written.edits, &written.todos, Beside::TheList).text;
    if !news.is_empty() {
        structured["news"] = news.into();
    }
    structured
}

/// What a first result says of the session that it is about, for the agent's hooks to read.
pub(crate) fn session_line(session_id: &str) -> String {
    format!("{SESSION}{session_id}.")
}

/// A text of a result, so that no list in it can name a session.
pub(crate) fn unnamed(text: String) -> String {
    if text.contains(SESSION) { text.replace(SESSION, "this list is a session ") } else { text }
}

/// The session of ours that a result names in a text of its own; what it has for programs holds lists as they are, so
/// that is passed over.
#[must_use]
pub fn session_in(result: &serde_json::Value) -> Option<String> {
    match result {
        // Some agents put what is for programs into a text, as JSON.
        serde_json::Value::String(text) => match serde_json::from_str(text) {
            Ok(json @ serde_json::Value::Object(_)) => session_in(&json),
            _ => named_in(text),
        },
        serde_json::Value::Array(parts) => parts.iter().find_map(session_in),
        serde_json::Value::Object(fields) if fields.contains_key("todos") => None,
        serde_json::Value::Object(fields) => {
            fields.iter().filter(|(key, _)| !NOT_READ.contains(&key.as_str())).find_map(|(_, part)| session_in(part))
        }
        _ => None,
    }
}

fn named_in(text: &str) -> Option<String> {
    let named = text.split(SESSION).skip(1);
    named.filter_map(|after| after.split_once('.')).map(|(id, _)| id).find(|id| is_id(id)).map(str::to_owned)
}

fn is_id(text: &str) -> bool {
    text.len() == 36 && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}
