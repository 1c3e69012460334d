//! `<todos>`: the list as an agent reads it in reminders (requirements T2, T7).

use super::attributes::{attributes, draft};
use super::escape::{Context, escape};
use super::markup::{Content, Piece, Pieces};
use crate::{Draft, Error, Item, Result, Status, limits};
use std::collections::HashMap;
use std::fmt::Write;

const NAMES: &[&str] = &["todos", "todo"];

/// The status of an item that waits. It is derived from the other items, and read as pending.
const WAITING: &str = "waiting";

/// A list as agents read it: one `<todo>` a line with its position and its status, subtasks after their item.
#[must_use]
pub fn write_xml(items: &[Item]) -> String {
    let mut out = String::from("<todos>\n");
    for (at, item) in items.iter().enumerate() {
        line(&mut out, &(at + 1).to_string(), item);
        for (sub, subtask) in item.subtasks.iter().enumerate() {
            line(&mut out, &format!("{}.{}", at + 1, sub + 1), subtask);
        }
    }
    out.push_str("</todos>");
    out
}

fn line(out: &mut String, position: &str, item: &Item) {
    let status = escape(xml_status(item), Context::Attribute);
    let content = escape(&item.content, Context::Text);
    // Writing to a String cannot fail.
    let _ = writeln!(out, "<todo id=\"{position}\" status=\"{status}\">{content}</todo>");
}

/// The status as `todo_manager` and this form say it: `todo`, `doing`, `done`; the others as themselves (T2).
#[must_use]
pub fn xml_status(item: &Item) -> &str {
    match item.status {
        Status::Pending if item.waiting => WAITING,
        Status::Pending => "todo",
        Status::InProgress => "doing",
        Status::Completed => "done",
        Status::Unknown => item.status_raw.as_deref().unwrap_or(Status::Unknown.name()),
        status => status.name(),
    }
}

/// Reads the first `<todos>` element of a text. Positions in `id` say which are subtasks, and name no item.
///
/// # Errors
/// When there is no such element, it is not closed, or an item in it is none; the message names the item.
pub fn read_xml(text: &str) -> Result<Vec<Draft>> {
    let mut pieces = Pieces::of(text, NAMES);
    let opened = pieces.find_map(|piece| match piece {
        Piece::Open { name: "todos", empty, .. } => Some(empty),
        _ => None,
    });
    match opened {
        None => {
            return Err(wrong("there is no <todos> element; write <todos>, one <todo> for each item, and </todos>"));
        }
        Some(true) => return Ok(Vec::new()),
        Some(false) => {}
    }
    let size = pieces.rest().len();
    let mut list = Reading::default();
    let mut open: Option<(&str, Content)> = None;
    while let Some(piece) = pieces.next() {
        match (piece, &mut open) {
            (Piece::Close("todos"), None) => {
                let sent = size - pieces.rest().len();
                return if sent > limits::LIST_BYTES { Err(Error::ListTooLarge { sent }) } else { list.done() };
            }
            (Piece::Open { name: "todo", attributes, empty: true, .. }, None) => {
                list.take(attributes, Content::default())?
            }
            (Piece::Open { name: "todo", attributes, .. }, None) => open = Some((attributes, Content::default())),
            (Piece::Close("todo"), _) => {
                if let Some((attributes, content)) = open.take() {
                    list.take(attributes, content)?;
                }
            }
            (Piece::Text(text), Some((_, content))) => content.raw(text),
            (Piece::Literal(text), Some((_, content))) => content.literal(text),
            (Piece::Text(_) | Piece::Literal(_), None) => {}
            (_, Some(_)) => return Err(list.wrong("is not closed; write </todo> after each item")),
            (_, None) => return Err(wrong("there is a <todos> within <todos>; write one list")),
        }
    }
    Err(wrong("it is cut off: there is no </todos>; write the whole list again"))
}

fn wrong(problem: &str) -> Error {
    Error::Text { form: "<todos> list", problem: problem.to_owned() }
}

/// The items that were read so far.
#[derive(Default)]
struct Reading {
    items: Vec<Draft>,
    /// The items by their positions.
    places: HashMap<String, usize>,
    /// The number of `<todo>` so far, with subtasks.
    seen: usize,
    top: usize,
}

impl Reading {
    fn wrong(&self, problem: &str) -> Error {
        wrong(&format!("<todo> number {} {problem}", self.seen + 1))
    }

    fn take(&mut self, tag: &str, content: Content) -> Result<()> {
        let mut found = attributes(tag);
        let id = found.iter().find(|(name, _)| name.eq_ignore_ascii_case("id")).map_or("", |(_, id)| id.trim());
        let numbers: Vec<&str> = id.split('.').collect();
        let placed = numbers.iter().all(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()));
        let parent = match (placed, numbers.as_slice()) {
            (true, [parent, _]) => {
                let at = self.places.get(*parent).copied();
                Some(at.ok_or_else(|| self.wrong(&format!("has the id {id}, but no item {parent} stands before it")))?)
            }
            (true, [_, _, _, ..]) => return Err(self.wrong(&format!("has the id {id}, but subtasks have none"))),
            _ => None,
        };
        if placed {
            found.retain(|(name, _)| !name.eq_ignore_ascii_case("id"));
        }
        for (name, status) in &mut found {
            if name.eq_ignore_ascii_case("status") && status.trim().eq_ignore_ascii_case(WAITING) {
                *status = Status::Pending.name();
            }
        }
        self.seen += 1;
        let path = if placed { format!("item {id}") } else { format!("<todo> number {}", self.seen) };
        let draft = draft(&found, content.done(), &path)?;
        match parent.and_then(|at| self.items.get_mut(at)) {
            Some(item) if item.subtasks.len() == limits::ITEMS => {
                Err(wrong(&format!("{path} is one subtask too many; an item may have {}", limits::ITEMS)))
            }
            Some(item) => {
                item.subtasks.push(draft);
                Ok(())
            }
            None => {
                self.top += 1;
                if self.top <= limits::ITEMS {
                    self.places.insert(id.to_owned(), self.items.len());
                    self.items.push(draft);
                }
                Ok(())
            }
        }
    }

    fn done(self) -> Result<Vec<Draft>> {
        if self.top > limits::ITEMS { Err(Error::TooManyItems { sent: self.top }) } else { Ok(self.items) }
    }
}
