//! The progress of a list.

use crate::{Item, Status};

/// Completed or skipped, over all but cancelled, in top-level items.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Progress {
    /// Completed or skipped.
    pub completed: usize,
    /// All but cancelled.
    pub total: usize,
    /// 0 to 1, with the fractions that subtasks add; 0 for an empty list.
    pub fraction: f64,
}

/// Returns the progress of a list.
#[must_use]
pub fn progress(items: &[Item]) -> Progress {
    let counted = || items.iter().filter(|item| item.status != Status::Cancelled);
    let done = |item: &Item| matches!(item.status, Status::Completed | Status::Skipped);
    let completed = counted().filter(|item| done(item)).count();
    let total = counted().count();
    let sum: f64 = counted()
        .map(|item| if done(item) { 1.0 } else { share(item.subtasks.iter().filter(|s| done(s)).count(), item) })
        .sum();
    let fraction = if total == 0 { 0.0 } else { sum / total as f64 };
    Progress { completed, total, fraction }
}

/// True if a list has items and nothing more happens to any of them: a new prompt makes room for the next list then
/// (requirement P1).
#[must_use]
pub fn is_finished(items: &[Item]) -> bool {
    !items.is_empty() && items.iter().all(|item| item.status.is_terminal())
}

fn share(done: usize, item: &Item) -> f64 {
    let counted = item.subtasks.iter().filter(|sub| sub.status != Status::Cancelled).count();
    if counted == 0 { 0.0 } else { done as f64 / counted as f64 }
}
