//! What the user removed and may not come back by repetition.

use crate::list::flat;
use crate::{Item, List};
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// A removed item, with the rank it had.
#[derive(Debug, Clone)]
pub(super) struct Grave {
    pub(super) item: Item,
    /// This caller, once told, sent a list without it: if it sends it again, it means it.
    pub(super) dropped: bool,
}

/// What the user removed, by the item that it was a subtask of.
pub(super) struct Graves {
    levels: HashMap<Option<Uuid>, Vec<Grave>>,
    /// All of them, with what belonged to them.
    uids: HashSet<Uuid>,
}

impl Graves {
    pub(super) fn of(list: &List, head: &[Item], caller: &str) -> Self {
        let alive: HashSet<Uuid> = flat(head).map(|(item, _)| item.uid).collect();
        let mut seen: HashSet<(Option<Uuid>, Uuid)> = HashSet::new();
        let mut graves: HashMap<Option<Uuid>, Vec<Grave>> = HashMap::new();
        for edit in list.edits.iter().rev().filter(|edit| edit.stands()) {
            for gone in edit.gone().filter(|gone| !alive.contains(&gone.item.uid)) {
                if seen.insert((gone.parent, gone.item.uid)) {
                    let item = Item { rank: gone.rank.clone(), ..gone.item.clone() };
                    let dropped = gone.dropped_by.contains(caller);
                    graves.entry(gone.parent).or_default().push(Grave { item, dropped });
                }
            }
        }
        let all = graves.values().flatten().flat_map(|grave| flat(std::slice::from_ref(&grave.item)));
        let uids = all.map(|(item, _)| item.uid).collect();
        Self { levels: graves, uids }
    }

    /// Whether the user removed that item, or the one that it belonged to.
    pub(super) fn hold(&self, uid: Uuid) -> bool {
        self.uids.contains(&uid)
    }

    pub(super) fn level(&self, parent: Option<Uuid>) -> &[Grave] {
        self.levels.get(&parent).map_or(&[], Vec::as_slice)
    }
}
