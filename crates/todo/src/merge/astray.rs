//! Items that the user put on another level: a caller that sends one where it had it repeats itself, and decides about
//! the rest of it.

use super::Base;
use super::level::Merge;
use crate::change::{put_in, slot_mut, take};
use crate::list::flat;
use crate::position::{Slot, slot_of};
use crate::{Draft, Item};
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// Items of the list by the levels on which the caller has them, which are not those of the list.
#[derive(Default)]
pub(super) struct Astray(HashMap<Option<Uuid>, Vec<(Item, Option<Uuid>)>>);

impl Astray {
    pub(super) fn of(head: &[Item], base: &Base<'_>) -> Self {
        let mut levels: HashMap<Option<Uuid>, Vec<(Item, Option<Uuid>)>> = HashMap::new();
        for (item, parent) in flat(head) {
            for level in base.callers_levels(item.uid).filter(|level| *level != parent) {
                levels.entry(level).or_default().push((item.clone(), parent));
            }
        }
        Self(levels)
    }

    /// The items that the caller has on a level, each with the item whose subtask it is in the list.
    pub(super) fn level(&self, parent: Option<Uuid>) -> &[(Item, Option<Uuid>)] {
        self.0.get(&parent).map_or(&[], Vec::as_slice)
    }
}

/// An item that was sent on another level than that of the list.
pub(super) struct Sent {
    pub(super) uid: Uuid,
    /// Its values now; `None` where the caller deletes it.
    pub(super) item: Option<Item>,
    /// The item whose subtask it is in the list.
    pub(super) parent: Option<Uuid>,
}

impl Merge<'_, '_> {
    /// Notes the items that subtasks of a removed item mean, where the user had put them elsewhere before.
    pub(super) fn rescue(&mut self, gone: Uuid, place: &str, draft: &Draft) {
        let base = self.base;
        let texts: HashSet<&str> = base
            .astray
            .level(Some(gone))
            .iter()
            .flat_map(|(item, _)| {
                [Some(item.content.as_str()), base.last_sent(item.uid).map(|last| last.content.as_str())]
            })
            .flatten()
            .collect();
        let meant: Vec<Draft> =
            draft.subtasks.iter().filter(|sub| texts.contains(sub.content.as_str())).cloned().collect();
        if !meant.is_empty() {
            self.level(&[], Some(gone), &format!("{place}."), meant);
        }
    }

    /// Gives the items that were sent on other levels their values, on the levels that they have in the list.
    pub(super) fn bring_home(&mut self, items: &mut Vec<Item>) {
        for Sent { uid, item, parent } in std::mem::take(&mut self.astray) {
            let there = slot_of(items, uid);
            let Some(item) = item else {
                there.map(|slot| take(items, slot));
                continue;
            };
            if let Some(there) = there.and_then(|slot| slot_mut(items, slot)) {
                *there = item;
            } else {
                // The item whose subtask it was may be gone.
                let has_home = parent.is_none_or(|parent| items.iter().any(|item| item.uid == parent));
                put_in(items, item, parent.filter(|_| has_home));
            }
            if let Some(Slot::Sub(parent, at)) = slot_of(items, uid) {
                // There is no level below: what the caller adds to it follows it.
                let level = &mut items[parent].subtasks;
                let more = std::mem::take(&mut level[at].subtasks);
                level.splice(at + 1..at + 1, more);
            }
        }
    }
}
