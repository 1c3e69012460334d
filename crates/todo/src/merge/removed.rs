//! Items that the user removed, which repetition does not bring back.

use super::Base;
use crate::list::flat;
use crate::{Item, List, Removed};
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// A removed item, with the rank it had.
#[derive(Debug, Clone)]
pub(super) struct RemovedItem {
    pub(super) item: Item,
    /// The caller sent a list without it after the removal was delivered: if it sends the item again, that is a decision.
    pub(super) dropped: bool,
}

/// The items that the user removed, by the item that they were subtasks of.
#[derive(Default)]
pub(super) struct RemovedItems {
    levels: HashMap<Option<Uuid>, Vec<RemovedItem>>,
    /// All of them, with their subtasks.
    uids: HashSet<Uuid>,
}

impl RemovedItems {
    pub(super) fn of(list: &List, base: &Base<'_>, caller: &str) -> Self {
        // Another agent's step that the caller never knew is no item that it may mean.
        let is_known = |gone: &Removed| {
            !base.apart.hides(gone.item.uid)
                || base.last_sent(gone.item.uid).is_some()
                || base.known(gone.item.uid).is_some()
        };
        let mut seen: HashSet<(Option<Uuid>, Uuid)> = HashSet::new();
        let mut levels: HashMap<Option<Uuid>, Vec<RemovedItem>> = HashMap::new();
        for edit in list.edits.iter().rev().filter(|edit| edit.is_in_force()) {
            for gone in edit.still_removed().filter(|gone| !base.alive.contains(&gone.item.uid) && is_known(gone)) {
                let is_dropped = gone.dropped_by.contains(caller);
                let whole = Item { rank: gone.rank.clone(), ..gone.item.clone() };
                let subtasks = gone.item.subtasks.iter().map(|sub| (sub, Some(gone.item.uid)));
                for (item, parent) in std::iter::once((&whole, gone.parent)).chain(subtasks) {
                    // Also where the caller has it, when the user had put it on another level before.
                    let elsewhere = base.callers_levels(item.uid).filter(|level| *level != parent);
                    let is_root = item.uid == gone.item.uid;
                    let own = Some(parent).filter(|_| is_root);
                    // A subtask may be sent while the item that it went with is not.
                    let dropped = is_dropped && (is_root || base.last_sent(item.uid).is_none());
                    for level in own.into_iter().chain(elsewhere) {
                        if seen.insert((level, item.uid)) {
                            levels.entry(level).or_default().push(RemovedItem { item: item.clone(), dropped });
                        }
                    }
                }
            }
        }
        let all = levels.values().flatten().flat_map(|removed| flat(std::slice::from_ref(&removed.item)));
        let uids = all.map(|(item, _)| item.uid).collect();
        Self { levels, uids }
    }

    /// True if the user removed that item, or the one that it belonged to.
    pub(super) fn contains(&self, uid: Uuid) -> bool {
        self.uids.contains(&uid)
    }

    pub(super) fn level(&self, parent: Option<Uuid>) -> &[RemovedItem] {
        self.levels.get(&parent).map_or(&[], Vec::as_slice)
    }
}
