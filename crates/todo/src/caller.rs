//! The memory of one caller: its own last list, and the list as it knows it.

use crate::change::{find, put_in, slot_mut, take};
use crate::edit::{Leveled, Touched};
use crate::list::{flat, uids};
use crate::position::slot_of;
use crate::{Draft, Edit, EditAction, EditState, Item, List};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use uuid::Uuid;

/// The memory of one caller of a list, an agent: the list as it knows it, and the list that it sent last.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CallerMemory {
    /// The list as the caller knows it: from the last result that it received, with the edits that it received since
    /// without the list. `None` before the first result.
    pub known_list: Option<Arc<Vec<Item>>>,
    /// The caller sent a list before.
    pub has_sent: bool,
    /// The items of its own last list, by the uid that each turned out to have. Subtasks have entries of their own.
    pub last_sent: Arc<BTreeMap<Uuid, Draft>>,
    /// The order in which it sent them.
    pub last_sent_order: Vec<Uuid>,
    /// Those of them that it sent as subtasks, each with the item that it sent it under.
    pub last_sent_parents: BTreeMap<Uuid, Uuid>,
    /// Those of them that were hidden from it since: leaving one out is no decision before it is shown again.
    pub withheld: BTreeSet<Uuid>,
}

impl CallerMemory {
    /// Some of the items that it sent last, each with the item that it sent it under.
    pub(crate) fn sent_of(&self, uids: &HashSet<Uuid>) -> BTreeMap<Uuid, (Draft, Option<Uuid>)> {
        let of = self.last_sent.iter().filter(|(uid, _)| uids.contains(uid));
        of.map(|(uid, draft)| (*uid, (draft.clone(), self.last_sent_parents.get(uid).copied()))).collect()
    }

    /// Notes an item that it sent by itself; one that it sent before stays on the level on which that was.
    pub(crate) fn sends(&mut self, uid: Uuid, draft: Draft, parent: Option<Uuid>) {
        if Arc::make_mut(&mut self.last_sent).insert(uid, draft).is_none() {
            self.last_sent_parents.extend(parent.map(|parent| (uid, parent)));
        }
    }

    /// Notes that the caller received a list, of which it was not given what is `hidden`.
    pub fn was_given(&mut self, items: &[Item], hidden: &HashSet<Uuid>) {
        for (item, _) in flat(items) {
            if !hidden.contains(&item.uid) {
                self.withheld.remove(&item.uid);
            } else if self.last_sent.contains_key(&item.uid) {
                self.withheld.insert(item.uid);
            }
        }
    }

    /// Forgets items that are neither in the list nor removed by the user: a caller that sends parts never reports
    /// that they are gone.
    pub(crate) fn forget_missing_items(&mut self, list: &List) {
        let there = flat(&list.items).map(|(item, _)| item.uid);
        let removed = list.edits.iter().flat_map(|edit| edit.removed()).map(|gone| gone.item.uid);
        let known: HashSet<Uuid> = there.chain(removed).collect();
        Arc::make_mut(&mut self.last_sent).retain(|uid, _| known.contains(uid));
        self.last_sent_order.retain(|uid| known.contains(uid));
        self.last_sent_parents.retain(|uid, _| known.contains(uid));
    }
}

/// A caller's last list as its difference to the list that the write made of it: short enough to store each time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SentDifference {
    /// Items that it sent with other values than the list has, or that are not in the list.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    differs: BTreeMap<Uuid, Draft>,
    /// Items of the list that it did not send.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    silent: Vec<Uuid>,
    /// It sent no ids: those of the list are ours.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unnamed: bool,
    /// The order in which it sent its items, where that is not the order of the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    order: Option<Vec<Uuid>>,
    /// Items that it sent on another level than the list has them on, with the item that it sent each under.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    levels: BTreeMap<Uuid, Option<Uuid>>,
}

/// A caller's last list: its items, their order, and the item that each subtask was sent under.
pub type LastSent = (Arc<BTreeMap<Uuid, Draft>>, Vec<Uuid>, BTreeMap<Uuid, Uuid>);

impl SentDifference {
    /// Packs a caller's last list, given the list that it became.
    #[must_use]
    pub fn pack(memory: &CallerMemory, items: &[Item]) -> Self {
        let unnamed = memory.last_sent.values().all(|draft| draft.id.is_none());
        let mut packed = Self { unnamed, ..Self::default() };
        let mut order = Vec::new();
        for (item, parent) in flat(items) {
            let Some(draft) = memory.last_sent.get(&item.uid) else {
                packed.silent.push(item.uid);
                continue;
            };
            order.push(item.uid);
            let id = (!unnamed).then_some(&item.id);
            if draft.id.as_ref() != id || draft.fields != item.fields {
                packed.differs.insert(item.uid, draft.clone());
            }
            let sent_under = memory.last_sent_parents.get(&item.uid).copied();
            if sent_under != parent {
                packed.levels.insert(item.uid, sent_under);
            }
        }
        if order.len() < memory.last_sent.len() {
            let there = uids(items);
            for (uid, draft) in memory.last_sent.iter().filter(|(uid, _)| !there.contains(*uid)) {
                packed.differs.insert(*uid, draft.clone());
                packed.levels.extend(memory.last_sent_parents.get(uid).map(|parent| (*uid, Some(*parent))));
            }
        }
        if order != memory.last_sent_order {
            packed.order = Some(memory.last_sent_order.clone());
        }
        packed
    }

    /// Returns what was sent: the opposite of [`SentDifference::pack`], given the same list.
    #[must_use]
    pub fn unpack(self, items: &[Item]) -> LastSent {
        let mut sent = self.differs;
        let mut order = Vec::new();
        let mut parents = BTreeMap::new();
        let silent: HashSet<Uuid> = self.silent.into_iter().collect();
        for (item, parent) in flat(items).filter(|(item, _)| !silent.contains(&item.uid)) {
            order.push(item.uid);
            parents.extend(parent.map(|parent| (item.uid, parent)));
            sent.entry(item.uid).or_insert_with(|| {
                let draft = Draft::alone_of(item);
                Draft { id: draft.id.filter(|_| !self.unnamed), ..draft }
            });
        }
        for (uid, parent) in self.levels {
            match parent {
                Some(parent) => drop(parents.insert(uid, parent)),
                None => drop(parents.remove(&uid)),
            }
        }
        (sent.into(), self.order.unwrap_or(order), parents)
    }
}

impl List {
    /// Notes that a caller's list was seen and not answered, as with an agent's built-in list: the caller knows what it
    /// wrote, and the edits delivered since.
    pub fn observed(&mut self, caller: &str, now: Timestamp) {
        let Self { items, edits, callers, .. } = self;
        let Some(memory) = callers.get_mut(caller) else { return };
        let before = memory.known_list.take();
        let mut known = Vec::new();
        let mut know = |item: &Item, parent: Option<Uuid>| {
            let mut item = Item { subtasks: Vec::new(), ..item.clone() };
            for (field, sent) in
                memory.last_sent.get(&item.uid).iter().flat_map(|sent| sent.given.iter().map(move |f| (f, sent)))
            {
                item.set(field, sent, now);
            }
            put_in(&mut known, item, parent);
        };
        let was_sent = |item: &Item| memory.last_sent.contains_key(&item.uid);
        let knew = |item: &Item| before.as_ref().is_some_and(|before| find(before, item.uid).is_some());
        for (item, parent) in flat(items).filter(|(item, _)| was_sent(item) || knew(item)) {
            know(item, parent);
        }
        // Items that the caller still sends, since their removal is not delivered yet.
        for gone in edits.iter().filter(|edit| edit.state == EditState::Queued).flat_map(Edit::still_removed) {
            if was_sent(&gone.item) && find(items, gone.item.uid).is_none() {
                know(&gone.item, gone.parent);
            }
        }
        memory.known_list = Some(known.into());
    }

    /// Notes that edits were delivered without the list: to the caller named, where it is known, else to all callers of
    /// this list. Changes by other callers are not delivered that way, and stay out of what it knows.
    pub(crate) fn delivered_without_list(&mut self, caller: &str, delivered: &[Uuid], now: Timestamp) {
        let of: Vec<String> = match self.callers.contains_key(caller) {
            true => vec![caller.to_owned()],
            false => self.callers.keys().cloned().collect(),
        };
        for caller in of {
            let items = self.others(&caller).visible(&self.items);
            let Some(memory) = self.callers.get_mut(&caller) else { continue };
            for edit in self.edits.iter().filter(|edit| delivered.contains(&edit.id)) {
                memory.take_in(edit, &items, now);
            }
        }
    }
}

impl CallerMemory {
    fn take_in(&mut self, edit: &Edit, items: &[Item], now: Timestamp) {
        let Some(known) = self.known_list.as_mut().map(Arc::make_mut) else { return };
        // The agent is informed that another list was loaded, but not of its items.
        if matches!(edit.action, EditAction::Load { .. }) {
            return;
        }
        for gone in edit.still_removed() {
            if let Some(slot) = slot_of(known, gone.item.uid) {
                take(known, slot);
            }
        }
        match &edit.action {
            EditAction::Add { uid, .. } => bring(known, items, *uid),
            EditAction::Set { items: touched } => set(known, touched, now),
            EditAction::Move { uid, to_rank, .. } => rank(known, *uid, to_rank),
            // Subtasks go before the item that becomes one, and after the one that becomes none.
            EditAction::Level { items: went } => went.iter().rev().for_each(|leveled| level(known, leveled)),
            EditAction::Delete { .. }
            | EditAction::Clear { .. }
            | EditAction::Load { .. }
            | EditAction::Note { .. } => {}
        }
    }
}

/// Inserts an item of the list at its place.
fn bring(known: &mut Vec<Item>, items: &[Item], uid: Uuid) {
    if find(known, uid).is_some() {
        return;
    }
    let parent = items.iter().find(|item| item.subtasks.iter().any(|sub| sub.uid == uid)).map(|item| item.uid);
    if let Some(item) = find(items, uid) {
        put_in(known, item.clone(), parent);
    }
}

fn set(known: &mut [Item], touched: &[Touched], now: Timestamp) {
    for touched in touched {
        let Some(item) = slot_of(known, touched.uid).and_then(|slot| slot_mut(known, slot)) else { continue };
        for field in &touched.fields {
            item.set(*field, &touched.to, now);
        }
    }
}

/// Moves an item to its new level.
fn level(known: &mut Vec<Item>, leveled: &Leveled) {
    if let Some(slot) = slot_of(known, leveled.uid) {
        let moved = take(known, slot);
        put_in(known, Item { rank: leveled.to.rank.clone(), ..moved.item }, leveled.to.parent);
    }
}

/// Moves an item to the place of a rank.
fn rank(known: &mut Vec<Item>, uid: Uuid, to: &SmolStr) {
    if let Some(slot) = slot_of(known, uid) {
        let moved = take(known, slot);
        put_in(known, Item { rank: to.clone(), ..moved.item }, moved.parent);
    }
}
