//! Markdown checklists, as several agents write their lists (docs/formats/agents.md).

use super::plain;
use super::verbatim::Fence;
use crate::{Draft, Error, Item, Result, Status, limits};
use serde_json::json;
use std::fmt::Write;

/// Columns by which a subtask stands further in than its item, at least.
const INDENT: usize = 2;

/// Columns between the stops of a tab.
const TAB: usize = 4;

/// The ending of a text whose status is a word of the agent's own.
const OWN_WORD: &str = " (status: ";

/// A list as a checklist: one line for each item, subtasks indented. A status without a mark of its own stands in
/// parentheses at the end.
#[must_use]
pub fn write_markdown(items: &[Item]) -> String {
    let mut out = String::new();
    for item in items {
        line(&mut out, "", item);
        for sub in &item.subtasks {
            line(&mut out, "  ", sub);
        }
    }
    out
}

fn line(out: &mut String, indent: &str, item: &Item) {
    let mark = match item.status {
        Status::InProgress => '-',
        status if status.is_terminal() => 'x',
        _ => ' ',
    };
    let content = plain(&item.content);
    let content = content.trim();
    let trailing = match (&item.status_raw, item.status) {
        (Some(raw), Status::Unknown) => {
            // Parentheses of its own would end it before its end.
            format!("{OWN_WORD}{})", plain(raw).replace('(', "[").replace(')', "]"))
        }
        (_, Status::Pending | Status::InProgress | Status::Completed) if trailing_status(content).is_none() => {
            String::new()
        }
        (_, status) => format!(" ({})", status.name()),
    };
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{indent}- [{mark}] {content}{trailing}");
}

/// Reads the checklist in a text: `- [ ]`, `* [x]`, `1. [-]`, or `[ ]` without a bullet; what is further in than its
/// item is a subtask of it. A mark that is none of ours is kept as a word of the agent's own. Other lines and code fences
/// are ignored.
///
/// # Errors
/// When it is over a limit of [`limits`].
pub fn read_markdown(text: &str) -> Result<Vec<Draft>> {
    let mut items: Vec<Draft> = Vec::new();
    let mut top = (0, 0);
    let mut size = 0;
    let mut fence = None;
    for line in text.lines() {
        if within_fence(&mut fence, line) {
            continue;
        }
        let Some(entry) = Entry::read(line) else { continue };
        size += line.len();
        if items.is_empty() || entry.indent < top.1 + INDENT {
            top = (top.0 + 1, entry.indent);
            let draft = entry.draft(&format!("item {}", top.0))?;
            if top.0 <= limits::ITEMS {
                items.push(draft);
            }
        } else if let Some(item) = items.last_mut() {
            let path = format!("item {}.{}", top.0, item.subtasks.len() + 1);
            if item.subtasks.len() == limits::ITEMS {
                let problem = format!("{path} is one too many; an item may have {} subtasks", limits::ITEMS);
                return Err(Error::Text { form: "checklist", problem });
            }
            item.subtasks.push(entry.draft(&path)?);
        }
    }
    match (top.0, size) {
        (sent, _) if sent > limits::ITEMS => Err(Error::TooManyItems { sent }),
        (_, sent) if sent > limits::LIST_BYTES => Err(Error::ListTooLarge { sent }),
        _ => Ok(items),
    }
}

/// True if a line belongs to a code fence; opens and closes it.
fn within_fence(fence: &mut Option<Fence>, line: &str) -> bool {
    if let Some(open) = fence {
        for c in line.chars() {
            open.step(c);
        }
        if open.step('\n') {
            *fence = None;
        }
        return true;
    }
    *fence = Fence::of(line);
    fence.is_some()
}

/// A line of a checklist.
struct Entry<'a> {
    indent: usize,
    /// A status, or a mark that is none of ours.
    word: &'a str,
    content: &'a str,
}

impl<'a> Entry<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let bare = line.trim_start_matches([' ', '\t']);
        let indent = line.get(..line.len() - bare.len())?.chars().fold(0, |column, c| match c {
            '\t' => (column / TAB + 1) * TAB,
            _ => column + 1,
        });
        let after = after_bullet(bare);
        let inside = after.trim_start_matches([' ', '\t']).strip_prefix('[')?;
        let (mark, content) = inside.split_once(']')?;
        let own = mark.trim_matches([' ', '\t']);
        let mut marks = own.chars();
        let word = match (marks.next(), marks.next()) {
            (None, _) if !mark.is_empty() => Status::Pending.name(),
            (Some(mark), None) => match Status::from_mark(mark) {
                Some(status) => status.name(),
                None if after.len() < bare.len() && !mark.is_alphanumeric() => own,
                None => return None,
            },
            _ => return None,
        };
        let content = content.strip_prefix([' ', '\t'])?.trim();
        (!content.is_empty()).then_some(Self { indent, word, content })
    }

    fn draft(&self, path: &str) -> Result<Draft> {
        let (content, status) = match trailing_status(self.content) {
            Some((content, TrailingStatus::Known(status))) => (content, status.name()),
            Some((content, TrailingStatus::Own(word))) => (content, word),
            None => (self.content, self.word),
        };
        Draft::one(&json!({ "content": content, "status": status }), path)
    }
}

/// A line after its bullet or number; as it is where it has none.
pub(super) fn after_bullet(line: &str) -> &str {
    if let Some(rest) = line.strip_prefix(['-', '*', '+']) {
        return rest;
    }
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = if rest.len() < line.len() { rest.strip_prefix(['.', ')']) } else { None };
    numbered.unwrap_or(line)
}

/// A status that stands behind a text.
enum TrailingStatus<'a> {
    Known(Status),
    Own(&'a str),
}

/// A text that ends with a status in parentheses, and that status.
fn trailing_status(text: &str) -> Option<(&str, TrailingStatus<'_>)> {
    const STATUSES: [Status; 7] = [
        Status::Pending,
        Status::InProgress,
        Status::Completed,
        Status::Blocked,
        Status::Skipped,
        Status::Cancelled,
        Status::Unknown,
    ];
    let inside = text.strip_suffix(')')?;
    let at = inside.rfind(" (")?;
    let content = inside.get(..at).map(str::trim_end).filter(|content| !content.is_empty())?;
    let word = inside.get(at + 2..)?;
    if let Some(own) = inside.get(at..)?.strip_prefix(OWN_WORD) {
        return Some((content, TrailingStatus::Own(own)));
    }
    STATUSES.into_iter().find(|status| status.name() == word).map(|status| (content, TrailingStatus::Known(status)))
}
