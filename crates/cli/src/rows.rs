//! Lines for the items of a list.

use console::style;
use todo::text::plain;
use todo::{Item, Status};

/// The line of an item at its position, counted from 1, followed by `beside`. `fit` shortens the line where necessary.
pub(crate) fn row(position: usize, item: &Item, beside: &str, fit: impl FnOnce(String) -> String) -> String {
    let glyph = match item.status {
        Status::Pending => "○",
        Status::InProgress => "◐",
        Status::Completed => "✓",
        Status::Blocked => "⊘",
        Status::Skipped => "⤼",
        Status::Cancelled => "×",
        Status::Unknown => "?",
    };
    let text = fit(plain(&format!("  {glyph} {position} {}{beside}", item.label())));
    match item.status {
        Status::InProgress => style(text).cyan().to_string(),
        Status::Completed => style(text).green().dim().to_string(),
        Status::Skipped | Status::Cancelled | Status::Unknown => style(text).dim().to_string(),
        Status::Pending | Status::Blocked => text,
    }
}

/// The lines of a list that were shown last, by which only changed ones are shown of the next list.
#[derive(Default)]
pub(crate) struct ShownList(Vec<String>);

impl ShownList {
    /// The lines of this list that were not shown before.
    pub(crate) fn of(&mut self, todos: &[Item]) -> Vec<String> {
        let line = |(at, item)| row(at + 1, item, &why(item), std::convert::identity);
        let before = std::mem::replace(&mut self.0, todos.iter().enumerate().map(line).collect());
        self.0.iter().filter(|line| !before.contains(line)).cloned().collect()
    }
}

/// The reason of a skipped or blocked item, with a colon before it.
fn why(item: &Item) -> String {
    match &item.reason {
        Some(reason) if matches!(item.status, Status::Skipped | Status::Blocked) => format!(": {reason}"),
        _ => String::new(),
    }
}
