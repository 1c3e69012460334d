//! The list as the machine saw it last, and the questions it asks of it.

use serde_json::Value;
use todo::list::flat;
use todo::{Draft, Item, Status};
use uuid::Uuid;

/// The key of an item's `extra` by which a plan says that it stays in progress until it was verified (REQUIREMENTS
/// T12): `true` or `"true"`.
pub const NEEDS_VERIFICATION: &str = "needsVerification";

/// The key of an item's `extra` with the name of the tool that a plan means to use for it.
pub const TOOL: &str = "tool";

/// A session's list at one of its revisions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Snapshot {
    /// The revision's number; the machine leaves aside what is older than what it knows.
    pub revision: u64,
    /// The items, with what is derived of them (`waiting`).
    pub items: Vec<Item>,
}

impl Snapshot {
    pub(super) fn item(&self, uid: Uuid) -> Option<&Item> {
        self.items.iter().find(|item| item.uid == uid)
    }

    pub(super) fn is_in_progress(&self, uid: Uuid) -> bool {
        self.item(uid).is_some_and(|item| item.status == Status::InProgress)
    }

    /// The items in progress, of the top level.
    pub(super) fn in_progress(&self) -> impl Iterator<Item = Uuid> {
        self.items.iter().filter(|item| item.status == Status::InProgress).map(|item| item.uid)
    }

    /// What is in progress on both levels.
    pub(super) fn all_in_progress(&self) -> impl Iterator<Item = Uuid> {
        flat(&self.items).filter(|(item, _)| item.status == Status::InProgress).map(|(item, _)| item.uid)
    }

    pub(super) fn open(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| !item.status.is_terminal())
    }
}

/// It is pending, and nothing that it waits for is open (REQUIREMENTS K3).
pub(super) fn can_start(item: &Item) -> bool {
    item.status == Status::Pending && !item.waiting
}

pub(super) fn needs_verification(item: &Item) -> bool {
    match item.extra.get(NEEDS_VERIFICATION) {
        Some(Value::Bool(needs)) => *needs,
        Some(Value::String(word)) => word.trim().eq_ignore_ascii_case("true"),
        _ => false,
    }
}

/// The tool that a step of a plan names.
pub(super) fn tool(step: &Draft) -> Option<&str> {
    step.extra.get(TOOL).and_then(Value::as_str).map(str::trim).filter(|tool| !tool.is_empty())
}
