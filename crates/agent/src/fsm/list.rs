//! A list at a revision, and the machine's questions about it.

use serde_json::Value;
use todo::list::flat;
use todo::{Draft, Item, Status};
use uuid::Uuid;

/// The key of an item's `extra` by which a plan says that the item has to be verified before it is completed (requirement
/// T12): `true` or `"true"`.
pub const NEEDS_VERIFICATION: &str = "needsVerification";

/// The key of an item's `extra` with the name of the tool that the plan means to use for it.
pub const TOOL: &str = "tool";

/// A session's list at one of its revisions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Snapshot {
    /// The revision's number. The machine ignores a list that is older than its own.
    pub revision: u64,
    /// The items, with derived fields such as `waiting`.
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

    /// The items in progress, of both levels.
    pub(super) fn all_in_progress(&self) -> impl Iterator<Item = Uuid> {
        flat(&self.items).filter(|(item, _)| item.status == Status::InProgress).map(|(item, _)| item.uid)
    }

    pub(super) fn open(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| !item.status.is_terminal())
    }
}

/// The item is pending and waits for no open item (requirement K3).
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
