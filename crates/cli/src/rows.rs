//! The items of a list, a line each.

use console::style;
use todo::text::plain;
use todo::{Item, Status};

/// An item at its position, from 1, and what there is to say beside it. `fit` gives the line that is shown of a whole
/// one.
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

/// A list as it was shown line by line: of a newer one those lines are told that are otherwise.
#[derive(Default)]
pub(crate) struct Told(Vec<String>);

impl Told {
    /// The lines to show of this list.
    pub(crate) fn of(&mut self, todos: &[Item]) -> Vec<String> {
        let line = |(at, item)| row(at + 1, item, &why(item), std::convert::identity);
        let before = std::mem::replace(&mut self.0, todos.iter().enumerate().map(line).collect());
        self.0.iter().filter(|line| !before.contains(line)).cloned().collect()
    }
}

/// Why it is not done, or waits for the user.
fn why(item: &Item) -> String {
    match &item.reason {
        Some(reason) if matches!(item.status, Status::Skipped | Status::Blocked) => format!(": {reason}"),
        _ => String::new(),
    }
}
