//! The prompt with which an agent goes on with its list.

use crate::reminder::{EditReport, hook_report};
use protocol::EditView;
use std::fmt::Write;
use todo::text::plain;
use todo::{Item, short};

/// Characters of the open steps; further ones are only counted.
const STEPS_CHARS: usize = 6_000;

/// The prompt for a run that is resumed: its open steps, and the user's edits and messages that it has not seen.
#[must_use]
pub fn going_on(items: &[Item], edits: &[EditView]) -> EditReport {
    let open: Vec<&Item> = items.iter().filter(|item| !item.status.is_terminal()).collect();
    let mut text = match open.is_empty() {
        true => "Continue.".to_owned(),
        false => "Continue with the open steps of the todo list:".to_owned(),
    };
    for (at, item) in open.iter().enumerate() {
        if text.len() > STEPS_CHARS {
            // Writing to a String cannot fail.
            let _ = write!(text, "\n… and {} more", open.len() - at);
            break;
        }
        let _ = write!(text, "\n- {}", plain(&short(&item.content)));
    }
    let report = hook_report(edits, items, None);
    let (told, edits) = report.map(|report| (report.text, report.edits)).unwrap_or_default();
    if !told.is_empty() {
        text.push_str("\n\n");
        text.push_str(&told);
    }
    EditReport { text, edits }
}
