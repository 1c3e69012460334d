//! Steps that a person pastes: checklists, bullets and numbers.

use super::markdown::{after_bullet, read_markdown};
use crate::{Draft, Result};

/// Reads the steps in a text: a checklist as [`read_markdown`] does, and bullets and numbers without a box as steps that
/// are to be done.
///
/// # Errors
/// When it is over a limit of [`limits`](crate::limits).
pub fn read_steps(text: &str) -> Result<Vec<Draft>> {
    read_markdown(&text.lines().map(|line| with_box(line) + "\n").collect::<String>())
}

/// A line with a bullet or a number, given the box that it lacks.
fn with_box(line: &str) -> String {
    let bare = line.trim_start_matches([' ', '\t']);
    let after = bare.strip_prefix('•').unwrap_or_else(|| after_bullet(bare));
    let content = after.trim();
    let has_bullet = after.len() < bare.len() && after.starts_with([' ', '\t']);
    let is_boxed = content
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
        .is_some_and(|(mark, rest)| mark.chars().count() <= 3 && !rest.starts_with('('));
    if !has_bullet || is_boxed || !content.contains(char::is_alphanumeric) {
        return line.to_owned();
    }
    format!("{}- [ ] {content}", &line[..line.len() - bare.len()])
}
