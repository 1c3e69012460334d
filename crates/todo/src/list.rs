//! The active list of one session, with the user's edits and what each caller knows of it.

use crate::{Draft, Edit, Item, Origin};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use uuid::Uuid;

/// Settled edits that are kept for undo and for telling repetition from decision.
const SETTLED_EDITS: usize = 64;

/// What one caller was told and what it said.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Memory {
    /// The list in the last result that was sent to it; `None` before the first.
    pub told: Option<Vec<Item>>,
    /// It sent a list before.
    pub wrote: bool,
    /// Its own last list, by the uid that each of its items turned out to be. Subtasks stand by themselves.
    pub said: BTreeMap<Uuid, Draft>,
    /// The order in which it said them.
    pub order: Vec<Uuid>,
}

impl Memory {
    /// Forgets what was said of items that are neither there nor removed by the user: who works in parts never says
    /// that they are gone.
    pub(crate) fn forget_the_dead(&mut self, list: &List) {
        let there = flat(&list.items).map(|(item, _)| item.uid);
        let removed = list.edits.iter().flat_map(|edit| edit.removed()).map(|gone| gone.item.uid);
        let known: HashSet<Uuid> = there.chain(removed).collect();
        self.said.retain(|uid, _| known.contains(uid));
        self.order.retain(|uid| known.contains(uid));
    }
}

/// What a caller said, as the difference to the list that its own last write made: short enough to store each time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Said {
    /// What it said otherwise than the list has it, or of items that are not in the list.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    differs: BTreeMap<Uuid, Draft>,
    /// Items of the list that it did not mention.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    silent: Vec<Uuid>,
    /// It gave no ids: those of the list are ours.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unnamed: bool,
    /// The order of what it said, where that is not the list's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    order: Option<Vec<Uuid>>,
}

impl Said {
    /// Packs what was said beside the list that it became.
    #[must_use]
    pub fn pack(memory: &Memory, items: &[Item]) -> Self {
        let unnamed = memory.said.values().all(|draft| draft.id.is_none());
        let mut packed = Self { unnamed, ..Self::default() };
        let mut differs = memory.said.clone();
        let mut order = Vec::new();
        for (item, _) in flat(items) {
            match memory.said.get(&item.uid) {
                None => packed.silent.push(item.uid),
                Some(draft) => {
                    order.push(item.uid);
                    let id = (!unnamed).then_some(&item.id);
                    if draft.id.as_ref() == id && draft.agrees_with(item) {
                        differs.remove(&item.uid);
                    }
                }
            }
        }
        packed.differs = differs;
        if order != memory.order {
            packed.order = Some(memory.order.clone());
        }
        packed
    }

    /// The opposite of [`Said::pack`], given the same list: what was said, and in which order.
    #[must_use]
    pub fn unpack(self, items: &[Item]) -> (BTreeMap<Uuid, Draft>, Vec<Uuid>) {
        let mut said = self.differs;
        let mut order = Vec::new();
        let silent: HashSet<Uuid> = self.silent.into_iter().collect();
        for (item, _) in flat(items).filter(|(item, _)| !silent.contains(&item.uid)) {
            order.push(item.uid);
            said.entry(item.uid).or_insert_with(|| {
                let draft = Draft::of(item).alone();
                Draft { id: draft.id.filter(|_| !self.unnamed), ..draft }
            });
        }
        (said, self.order.unwrap_or(order))
    }
}

/// Everything that a change of one session's list depends on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct List {
    /// The items, in order; their ranks ascend.
    pub items: Vec<Item>,
    /// The number of the newest revision; 0 before the first.
    pub revision: u64,
    /// How many ids of ours (`t1`, `t2`, …) were given.
    pub ids_given: u64,
    /// The user's edits, oldest first.
    pub edits: Vec<Edit>,
    /// What each caller knows, by the caller's key.
    pub callers: BTreeMap<String, Memory>,
}

/// Which items a revision touched.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Difference {
    /// Came, or came back.
    pub added: Vec<Uuid>,
    /// Say something else than before, or stand elsewhere.
    pub changed: Vec<Uuid>,
    /// Went.
    pub removed: Vec<Uuid>,
}

impl Difference {
    /// Between two states of one list, top level and subtasks alike.
    #[must_use]
    pub fn between(before: &[Item], after: &[Item]) -> Self {
        let old: HashMap<Uuid, (&Item, Option<Uuid>)> =
            flat(before).map(|(item, parent)| (item.uid, (item, parent))).collect();
        let mut difference = Self::default();
        let mut new = HashSet::new();
        for (item, parent) in flat(after) {
            new.insert(item.uid);
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

impl List {
    /// Forgets settled edits beyond the newest few; gives those. What the agent has yet to hear stays, and so does what
    /// still counts: a removal of something that a caller goes on to say, and what brought a living item back.
    pub(crate) fn forget_old_edits(&mut self) -> Vec<Uuid> {
        let settled = self.edits.iter().filter(|edit| !edit.is_unsettled()).count();
        let mut surplus = settled.saturating_sub(SETTLED_EDITS);
        if surplus == 0 {
            return Vec::new();
        }
        let said: HashSet<Uuid> = self.callers.values().flat_map(|memory| memory.said.keys().copied()).collect();
        let alive: HashSet<Uuid> =
            flat(&self.items).filter(|(item, _)| item.origin == Origin::Agent).map(|(item, _)| item.uid).collect();
        let mut forgotten = Vec::new();
        self.edits.retain(|edit| {
            let removes = edit.removed().iter().any(|gone| said.contains(&gone.item.uid));
            let brings = edit.brought().any(|uid| alive.contains(&uid));
            let counts = edit.is_unsettled() || (edit.stands() && (removes || brings));
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

/// The names that the items of a list have, and those of ours that were given.
pub(crate) struct Ids {
    used: HashSet<String>,
    /// How many of `t1`, `t2`, … were given in this session.
    pub(crate) given: u64,
}

impl Ids {
    pub(crate) fn of(items: &[Item], given: u64) -> Self {
        Self { used: flat(items).map(|(item, _)| item.id.clone()).collect(), given }
    }

    /// The next one of ours that no item has.
    fn fresh(&mut self) -> String {
        loop {
            self.given += 1;
            let id = format!("t{}", self.given);
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
        Item {
            uid,
            id,
            content: draft.content.clone(),
            active_form: draft.active_form.clone(),
            status: draft.status,
            status_raw: draft.status_raw.clone(),
            priority: draft.priority,
            category: draft.category.clone(),
            depends_on: draft.depends_on.clone(),
            depends_on_uids: Vec::new(),
            waiting: false,
            estimate: draft.estimate.clone(),
            estimate_minutes: None,
            description: draft.description.clone(),
            notes: draft.notes.clone(),
            owner: draft.owner.clone(),
            reason: draft.reason.clone(),
            subtasks,
            origin,
            created_at: stamp.now,
            status_at: stamp.now,
            worked_ms: 0,
            reopened: 0,
            extra: draft.extra.clone(),
            rank: String::new(),
        }
    }

    /// Two items of one level with one id: the first keeps it, one that was there before others come first; the others
    /// get one of ours.
    pub(crate) fn make_unique(&mut self, items: &mut [Item], before: &HashSet<Uuid>) {
        let stayed = |item: &Item| before.contains(&item.uid);
        let mut seen: HashSet<String> = items.iter().filter(|item| stayed(item)).map(|item| item.id.clone()).collect();
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

/// Time and randomness, which come in from outside.
pub struct Stamp<'a> {
    /// When the change happens.
    pub now: Timestamp,
    /// A new uid at each call.
    pub uid: &'a mut dyn FnMut() -> Uuid,
}
