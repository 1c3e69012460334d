//! Texts for a model: the merged list and the user's changes, in few words.

use crate::todo_call::remark_lines;
use protocol::{EditKind, EditView, Progress, TodoWritten};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::fmt::Write;
use todo::text::plain;
use todo::{Item, Status, short};

/// Characters for the user's changes in one text; further changes are only counted.
const CHANGES_CHARS: usize = 1_250;

/// Parts of a result in which no session is looked for: they hold raw lists, or repeat the other parts for people.
const NOT_READ: [&str; 2] = ["structuredContent", "returnDisplay"];

/// The words before the session's id in a first result, and those between that and the secret.
const SESSION: &str = "This list is session ";
const PROOF: &str = ", proof ";

/// The member of a result's `_meta` that has the secret.
const PROOF_BESIDE: &str = "sightline/proof";

/// Characters of the built-in list in one text.
const LIST_CHARS: usize = 3_000;

/// Characters of the text that a change is about.
const TEXT_CHARS: usize = 200;

/// Characters of a change's detail, such as the new status.
const DETAIL_CHARS: usize = 400;

/// The user's edits as a text for a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditReport {
    pub text: String,
    /// The ids of the edits that count as delivered once the text was sent.
    pub edits: Vec<String>,
}

/// The text of a result: a headline, the list, the user's changes and the remarks.
pub(crate) fn text(headline: &str, written: &TodoWritten) -> EditReport {
    let EditReport { text, edits } = news(written);
    let list = list(&written.todos, written.agent.as_deref());
    EditReport { text: format!("{headline}\n\n{list}{text}"), edits }
}

/// The text after the result of a `todo_manager` action: the list if the action is one that `changes` it (requirement
/// T7), also where everything was so already, and the user's changes. Empty if there is nothing to say.
pub(crate) fn state(changes: bool, unchanged: bool, written: &TodoWritten) -> EditReport {
    let EditReport { text, edits } = news(written);
    let headline = if unchanged { "TODO list unchanged" } else { "TODO list updated" };
    let text = match changes {
        true => format!("{headline}. Current state:\n{}{text}", todo::text::write_xml(&written.todos)),
        false => text.trim_start().to_owned(),
    };
    EditReport { text, edits }
}

/// The user's edits for a place that does not show the list, such as the answer to a hook; `None` if there are none.
/// Edits that do not fit are left for the next time. `agent` is the reader's name, where steps are shared out.
#[must_use]
pub fn hook_report(edits: &[EditView], items: &[Item], agent: Option<&str>) -> Option<EditReport> {
    let report = changes(edits, &Reader { items, agent }, Beside::Another);
    (!report.edits.is_empty()).then_some(report)
}

/// The user's edits of the list that the agent keeps with its built-in `tool`. The agent can only read there what it
/// wrote, so the list follows.
#[must_use]
pub fn built_in_list_report(edits: &[EditView], items: &[Item], tool: &str) -> Option<EditReport> {
    let mut report = changes(edits, &Reader { items, agent: None }, Beside::BuiltIn(tool));
    if edits.iter().any(|edit| edit.kind != EditKind::Note && report.edits.contains(&edit.edit_id)) {
        report.text.push_str("\nThe list is now:\n");
        report.text.push_str(&cut(&list(items, None), LIST_CHARS));
    }
    (!report.edits.is_empty()).then_some(report)
}

/// The text after the list: the user's changes and the remarks.
fn news(written: &TodoWritten) -> EditReport {
    let mut report = shared_news(written);
    if !report.text.is_empty() {
        report.text.insert_str(0, "\n\n");
    }
    report.text.push_str(&remark_lines(&written.remarks));
    report
}

/// The user's changes, after the sentence for an agent that shares the list.
fn shared_news(written: &TodoWritten) -> EditReport {
    let report = changes(&written.edits, &Reader::of(written), Beside::TheList);
    let parts = [sharing(written), report.text].into_iter().filter(|part| !part.is_empty());
    EditReport { text: parts.collect::<Vec<_>>().join("\n\n"), edits: report.edits }
}

/// The place in which a model reads the user's changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beside<'a> {
    /// After the list with these changes in it.
    TheList,
    /// With the result of another tool, or with a prompt.
    Another,
    /// The same, about the list that this built-in tool of the agent keeps.
    BuiltIn(&'a str),
}

/// The reader of a report: the list as it is given, and its name where steps are shared out among several agents.
struct Reader<'a> {
    items: &'a [Item],
    agent: Option<&'a str>,
}

impl<'a> Reader<'a> {
    fn of(written: &'a TodoWritten) -> Self {
        Self { items: &written.todos, agent: written.agent.as_deref() }
    }
}

/// A sentence for an agent that shares its list with others.
fn sharing(written: &TodoWritten) -> String {
    let sentence = |agent: &String| {
        format!(
            "Several agents share this list, and you are {}: do the steps that are yours or nobody's. Those of the others \
             are not shown; leave them to them.",
            plain(agent)
        )
    };
    written.agent.as_ref().map(sentence).unwrap_or_default()
}

fn list(items: &[Item], agent: Option<&str>) -> String {
    if items.is_empty() {
        return "The list is empty.".to_owned();
    }
    let mut text = String::with_capacity(64 * items.len());
    for (at, item) in items.iter().enumerate() {
        let is_own = agent.is_some() && item.owner.as_deref() == agent;
        push_line(&mut text, format_args!("{}", at + 1), item, is_own);
        for (sub, subtask) in item.subtasks.iter().enumerate() {
            push_line(&mut text, format_args!("   {}.{}", at + 1, sub + 1), subtask, false);
        }
    }
    text.pop();
    text
}

fn push_line(text: &mut String, position: std::fmt::Arguments<'_>, item: &Item, is_own: bool) {
    let (status, content, id) = (shown(status_word(item)), shown(&item.content), shown(&item.id));
    let by = if item.origin == todo::Origin::User { ", added by the user" } else { "" };
    let own = if is_own { ", yours" } else { "" };
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{position}. [{status}] {content} (id {id}{by}{own})");
}

/// The beginning of a text as it is shown, borrowed where that is the text itself.
fn shown(text: &str) -> Cow<'_, str> {
    let is_so = text.len() <= 80 && text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if is_so { text.into() } else { plain(&short(text)).into() }
}

/// The word for a status: the agent's own where it is none of ours.
fn status_word(item: &Item) -> &str {
    match (&item.status_raw, item.status) {
        (Some(raw), Status::Unknown) => raw,
        (_, status) => status.name(),
    }
}

/// The user's changes and notes, as far as they fit: notes first, since no list shows them.
fn changes(edits: &[EditView], reader: &Reader<'_>, beside: Beside<'_>) -> EditReport {
    if edits.is_empty() {
        return EditReport { text: String::new(), edits: Vec::new() };
    }
    let (notes, changes): (Vec<&EditView>, Vec<&EditView>) = edits.iter().partition(|edit| edit.kind == EditKind::Note);
    let whose = match beside {
        Beside::TheList => "this list".to_owned(),
        Beside::Another => "the todo list that you keep with the sightline tools".to_owned(),
        Beside::BuiltIn(tool) => format!("the todo list that you keep with {}", plain(tool)),
    };
    let head = format!("The user changed {whose}. Follow it in your work, and keep it in the lists you send:\n");
    let head = head.as_str();
    let mut budget = Budget::default();
    let notes_left = budget.take(&notes, "", |note| format!("The user tells you: {}\n", plain(&note.text)));
    let left = budget.take(&changes, head, |edit| format!("- {}\n", sentence(edit, reader, beside)));
    if beside == Beside::TheList && !left.is_empty() {
        if left.len() == changes.len() {
            budget.text.push_str(head);
        }
        // Writing to a String cannot fail.
        let _ = writeln!(budget.text, "- and {} more changes; the list above is what counts", left.len());
        budget.edits.extend(left);
    }
    if beside == Beside::TheList && !notes_left.is_empty() {
        let _ = writeln!(budget.text, "{} more notes of the user's follow with your next call", notes_left.len());
    }
    EditReport { text: budget.text.trim_end().to_owned(), edits: budget.edits }
}

/// A text that grows up to [`CHANGES_CHARS`], and the ids of the edits in it.
#[derive(Default)]
struct Budget {
    text: String,
    edits: Vec<String>,
    is_spent: bool,
}

impl Budget {
    /// Adds a line for each edit under a head, in order, as long as they fit; returns the ids of the others.
    fn take(&mut self, edits: &[&EditView], head: &str, line: impl Fn(&EditView) -> String) -> Vec<String> {
        let mut left = Vec::new();
        for (at, edit) in edits.iter().enumerate() {
            let line = format!("{}{}", if at == 0 { head } else { "" }, line(edit));
            // The first line is never cut, however long it is.
            let is_over = self.text.chars().count() + line.chars().count() > CHANGES_CHARS;
            self.is_spent |= is_over && !self.text.is_empty();
            if self.is_spent {
                left.push(edit.edit_id.clone());
            } else {
                self.text.push_str(&line);
                self.edits.push(edit.edit_id.clone());
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

fn sentence(edit: &EditView, reader: &Reader<'_>, beside: Beside<'_>) -> String {
    let what = plain(&cut(&edit.text, TEXT_CHARS));
    // An edit of many items names only some of them.
    let is_cut = beside == Beside::Another && edit.uid.is_none() && what.ends_with('…');
    let detail = plain(&cut(edit.detail.as_deref().unwrap_or_default(), DETAIL_CHARS));
    let clause = match edit.kind {
        EditKind::Note => what,
        EditKind::Add => match place(edit, reader.items) {
            Some(place) => format!("added \"{what}\" at {place}"),
            None => format!("added \"{what}\""),
        },
        EditKind::Delete => format!("removed \"{what}\": do not work on it, leave it out"),
        EditKind::Set if is_given(edit, reader) => format!("assigned \"{what}\" to you: no other agent does it"),
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
    format!("{clause}{more}{insists}")
}

/// True for an edit that made its step the reader's.
fn is_given(edit: &EditView, reader: &Reader<'_>) -> bool {
    let Some(agent) = reader.agent else { return false };
    let is_its = |item: &Item| item.owner.as_deref() == Some(agent) && edit.uid == Some(item.uid.to_string());
    edit.detail.as_deref() == Some(&format!("owner \"{}\"", short(agent))) && reader.items.iter().any(is_its)
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

/// The part of a result for agents that show their model nothing else: as short as the text, with the list if the text
/// has it. Programs that want everything read the resource.
pub(crate) fn structured(written: &TodoWritten, with_list: bool) -> Map<String, Value> {
    let Progress { completed, total, .. } = written.progress;
    let mut members = vec![("sessionId", json!(written.session_id)), ("revision", json!(written.revision))];
    members.extend(written.session.as_ref().map(|label| ("session", json!(label))));
    members.push(("progress", json!({ "completed": completed, "total": total })));
    members.extend(with_list.then(|| ("todos", written.todos.iter().map(step).collect())));
    let EditReport { text, .. } = news(written);
    members.extend((!text.is_empty()).then(|| ("news", text.trim_start().into())));
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A step as the text shows it.
fn step(item: &Item) -> Value {
    let mut step = json!({ "id": item.id, "content": item.content, "status": status_word(item) });
    if item.origin == todo::Origin::User {
        step["origin"] = "user".into();
    }
    if !item.subtasks.is_empty() {
        step["subtasks"] = item.subtasks.iter().map(self::step).collect();
    }
    step
}

/// The line of a first result that names its session, with the secret for the agent's hooks to read.
pub(crate) fn session_line(session_id: &str, proof: &str) -> String {
    format!("{SESSION}{session_id}{PROOF}{proof}.")
}

/// The `_meta` of a result with the secret, for agents whose files have that and whose models do not read it.
pub(crate) fn proof_beside(proof: String) -> Map<String, Value> {
    Map::from_iter([(PROOF_BESIDE.to_owned(), proof.into())])
}

/// A text of a result, changed so that no item in it can pass for [`session_line`].
pub(crate) fn unnamed(text: String) -> String {
    if text.contains(SESSION) { text.replace(SESSION, "this list is a session ") } else { text }
}

/// The most of a result that is looked through.
const RESULT: agents::Budget = agents::Budget { values: 16_384, bytes: 2 * 1024 * 1024 };

/// Finds the secret in a result: beside it, or by [`session_line`]. Only the result itself has something beside it. The
/// parts for programs are passed over, since they hold raw lists, in which an agent may have written such a line.
#[must_use]
pub fn proof_in(result: &serde_json::Value) -> Option<String> {
    let beside = result.get("_meta").and_then(|meta| meta.get(PROOF_BESIDE)?.as_str());
    beside.filter(|secret| is_secret(secret)).map(str::to_owned).or_else(|| told_in(result))
}

fn told_in(result: &serde_json::Value) -> Option<String> {
    match result {
        // Some agents put the part for programs into a text, as JSON.
        serde_json::Value::String(text) => match agents::lean_value(text.as_bytes(), RESULT) {
            Ok(json @ serde_json::Value::Object(_)) => told_in(&json),
            _ => named_in(text),
        },
        serde_json::Value::Array(parts) => parts.iter().find_map(told_in),
        serde_json::Value::Object(fields) if fields.contains_key("todos") => None,
        serde_json::Value::Object(fields) => {
            fields.iter().filter(|(key, _)| !NOT_READ.contains(&key.as_str())).find_map(|(_, part)| told_in(part))
        }
        _ => None,
    }
}

fn named_in(text: &str) -> Option<String> {
    let lines = text.split(SESSION).skip(1).filter_map(|after| after.split_once('.'));
    let secrets = lines.filter_map(|(line, _)| line.split_once(PROOF)).map(|(_, secret)| secret);
    secrets.filter(|secret| is_secret(secret)).map(str::to_owned).next()
}

fn is_secret(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
