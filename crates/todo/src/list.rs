//! The active list of one session, with the user's edits and the memory of each caller.

use crate::{CallerMemory, Draft, Edit, Item, Origin};
use jiff::Timestamp;
use smol_str::{SmolStr, format_smolstr};
use std::collections::{BTreeMap, HashMap, HashSet};
use uuid::Uuid;

/// Settled edits that are kept, for undo and to distinguish repetition from decision.
const SETTLED_EDITS: usize = 64;

/// Everything that a change of one session's list depends on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct List {
    /// The items, in order; their ranks ascend.
    pub items: Vec<Item>,
    /// The number of the newest revision; 0 before the first.
    pub revision: u64,
    /// The number of our ids (`t1`, `t2`, …) that were given.
    pub ids_given: u64,
    /// The user's edits, oldest first.
    pub edits: Vec<Edit>,
    /// The memory of each caller, by the caller's key.
    pub callers: BTreeMap<String, CallerMemory>,
    /// The names of its agents, by the callers' keys: a step whose owner is one of them is hidden from the others.
    pub agents: BTreeMap<String, String>,
}

/// The items that a revision touched.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Difference {
    /// Items that were added or came back.
    pub added: Vec<Uuid>,
    /// Items with other values than before, or at another place.
    pub changed: Vec<Uuid>,
    /// Items that were removed.
    pub removed: Vec<Uuid>,
}

impl Difference {
    /// The difference between two states of one list, top level and subtasks alike.
    #[must_use]
    pub fn between(before: &[Item], after: &[Item]) -> Self {
        if flat(before).map(place).eq(flat(after).map(place)) {
            // Most changes leave each item where it was, and need nothing looked up.
            let both = flat(before).zip(flat(after));
            let changed = both.filter(|((was, _), (is, _))| !was.is_as(is)).map(|(_, (is, _))| is.uid).collect();
            return Self { changed, ..Self::default() };
        }
        let old = by_uid(before);
        let new = uids(after);
        let mut difference = Self::default();
        for (item, parent) in flat(after) {
            match old.get(&item.uid) {
                None => difference.added.push(item.uid),
                Some((was, under)) if *under != parent || !was.is_as(item) => difference.changed.push(item.uid),
                Some(_) => {}
            }
        }
        difference.removed = flat(before).map(|(item, _)| item.uid).filter(|uid| !new.contains(uid)).collect();
        difference
    }

    /// Nothing was touched.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}

/// All items with the parent of each subtask.
pub fn flat(items: &[Item]) -> impl Iterator<Item = (&Item, Option<Uuid>)> {
    items
        .iter()
        .flat_map(|item| std::iter::once((item, None)).chain(item.subtasks.iter().map(|sub| (sub, Some(item.uid)))))
}

fn place((item, parent): (&Item, Option<Uuid>)) -> (Uuid, Option<Uuid>) {
    (item.uid, parent)
}

/// All items by their uids, with the parent of each subtask.
pub fn by_uid(items: &[Item]) -> HashMap<Uuid, (&Item, Option<Uuid>)> {
    let mut found = HashMap::with_capacity(items.len());
    found.extend(flat(items).map(|(item, parent)| (item.uid, (item, parent))));
    found
}

/// The uids of all items.
pub(crate) fn uids(items: &[Item]) -> HashSet<Uuid> {
    let mut found = HashSet::with_capacity(items.len());
    found.extend(flat(items).map(|(item, _)| item.uid));
    found
}

/// So many items are compared with each other sooner than a set is made of them.
const FEW: usize = 16;

/// True if no two items of a level have the same id.
pub(crate) fn has_unique_ids(items: &[Item]) -> bool {
    let below = || items.iter().all(|item| has_unique_ids(&item.subtasks));
    if items.len() <= FEW {
        let is_new = |(at, item): (usize, &Item)| items[..at].iter().all(|other| other.id != item.id);
        return items.iter().enumerate().all(is_new) && below();
    }
    let mut seen = HashSet::with_capacity(items.len());
    items.iter().all(|item| seen.insert(item.id.as_str())) && below()
}

impl List {
    /// Forgets settled edits beyond the newest few, and returns their ids. Edits that are not delivered stay, and so do
    /// those that still count: removals of items that a caller still sends, and edits that brought back a present item.
    pub(crate) fn forget_old_edits(&mut self) -> Vec<Uuid> {
        let settled = self.edits.iter().filter(|edit| !edit.is_unsettled()).count();
        let mut surplus = settled.saturating_sub(SETTLED_EDITS);
        if surplus == 0 {
            return Vec::new();
        }
        let sent: HashSet<Uuid> = self.callers.values().flat_map(|memory| memory.last_sent.keys().copied()).collect();
        let alive: HashSet<Uuid> =
            flat(&self.items).filter(|(item, _)| item.origin == Origin::Agent).map(|(item, _)| item.uid).collect();
        let mut forgotten = Vec::new();
        self.edits.retain(|edit| {
            let removes = edit.removed().iter().any(|gone| sent.contains(&gone.item.uid));
            let brings = edit.added_items().any(|uid| alive.contains(&uid));
            let counts = edit.is_unsettled() || (edit.is_in_force() && (removes || brings));
            let forget = surplus > 0 && !counts;
            if forget {
                surplus -= 1;
                forgotten.push(edit.id);
            }
            !forget
        });
        forgotten
    }
}

/// The ids that the items of a list have, and the number of our ids that were given.
pub(crate) struct Ids {
    used: HashSet<SmolStr>,
    /// The number of our ids (`t1`, `t2`, …) that were given in this session.
    pub(crate) given: u64,
}

impl Ids {
    pub(crate) fn of(items: &[Item], given: u64) -> Self {
        let mut used = HashSet::with_capacity(items.len());
        used.extend(flat(items).map(|(item, _)| item.id.clone()));
        Self { used, given }
    }

    /// Gives the next of our ids that no item has.
    fn fresh(&mut self) -> SmolStr {
        loop {
            // Past the last number come the first ones, of which some are free.
            self.given = self.given.wrapping_add(1);
            let id = format_smolstr!("t{}", self.given);
            if self.used.insert(id.clone()) {
                return id;
            }
        }
    }

    /// Turns a draft into an item with its subtasks.
    pub(crate) fn item(&mut self, draft: &Draft, origin: Origin, stamp: &mut Stamp<'_>) -> Item {
        let uid = (stamp.uid)();
        let id = match &draft.id {
            Some(id) => {
                self.used.insert(id.clone());
                id.clone()
            }
            None => self.fresh(),
        };
        let subtasks = draft.subtasks.iter().map(|sub| self.item(sub, origin, stamp)).collect();
        Item { subtasks, origin, ..Item::new(uid, id, draft.fields.clone(), stamp.now) }
    }

    /// Makes ids unique on each level: of items with the same id, the first keeps it, preferably one that was in the list
    /// before; the others get ids of ours.
    pub(crate) fn make_unique(&mut self, items: &mut [Item], before: &HashSet<Uuid>) {
        let stayed = |item: &Item| before.contains(&item.uid);
        let mut seen: HashSet<SmolStr> = items.iter().filter(|item| stayed(item)).map(|item| item.id.clone()).collect();
        let mut first = HashSet::new();
        for item in items {
            let keeps = if stayed(item) { first.insert(item.id.clone()) } else { seen.insert(item.id.clone()) };
            if !keeps {
                item.id = self.fresh();
                seen.insert(item.id.clone());
            }
            self.make_unique(&mut item.subtasks, before);
        }
    }
}

/// Time and randomness, passed in.
pub struct Stamp<'a> {
    /// The time of the change.
    pub now: Timestamp,
    /// Makes a new uid at each call.
    pub uid: &'a mut dyn FnMut() -> Uuid,
}
