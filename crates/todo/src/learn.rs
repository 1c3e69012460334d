//! What a caller knows that was answered without the list, or not at all.
//!
//! Once it was told edits without the list it knows the list that it was told last, with those edits in it.
//!
//! Nothing else of the list as it is goes in: what other callers changed it has not heard of.

use crate::change::{find, put_in, slot_mut, take};
use crate::edit::Touched;
use crate::list::flat;
use crate::position::slot_of;
use crate::{Edit, EditAction, EditState, Item, List, Memory};
use jiff::Timestamp;
use uuid::Uuid;

impl List {
    /// A caller's list was seen and not answered, as one is that an agent keeps for itself: it knows what it has written,
    /// and the edits that it was told since.
    pub fn observed(&mut self, caller: &str, now: Timestamp) {
        let Self { items, edits, callers, .. } = self;
        let Some(memory) = callers.get_mut(caller) else { return };
        let before = memory.told.take();
        let mut told = Vec::new();
        let mut know = |item: &Item, parent: Option<Uuid>| {
            let mut item = Item { subtasks: Vec::new(), ..item.clone() };
            for (field, said) in
                memory.said.get(&item.uid).iter().flat_map(|said| said.given.iter().map(move |f| (f, said)))
            {
                item.set(*field, said, now);
            }
            put_in(&mut told, item, parent);
        };
        let said = |item: &Item| memory.said.contains_key(&item.uid);
        let knew = |item: &Item| before.as_ref().is_some_and(|before| find(before, item.uid).is_some());
        for (item, parent) in flat(items).filter(|(item, _)| said(item) || knew(item)) {
            know(item, parent);
        }
        // What it goes on saying since it has not heard that it is gone.
        for gone in edits.iter().filter(|edit| edit.state == EditState::Queued).flat_map(Edit::gone) {
            if said(&gone.item) && find(items, gone.item.uid).is_none() {
                know(&gone.item, gone.parent);
            }
        }
        memory.told = Some(told);
    }

    /// Callers were told these edits: the one named, where it is known, else all that work on this list.
    pub(crate) fn learn(&mut self, caller: &str, told: &[Uuid], now: Timestamp) {
        let Self { items, edits, callers, .. } = self;
        let learn = |memory: &mut Memory| {
            for edit in edits.iter().filter(|edit| told.contains(&edit.id)) {
                memory.learn(edit, items, now);
            }
        };
        match callers.get_mut(caller) {
            Some(memory) => learn(memory),
            None => callers.values_mut().for_each(learn),
        }
    }
}

impl Memory {
    fn learn(&mut self, edit: &Edit, items: &[Item], now: Timestamp) {
        let Some(told) = &mut self.told else { return };
        // That another list was loaded is told, and not what is in it.
        if matches!(edit.action, EditAction::Load { .. }) {
            return;
        }
        for gone in edit.gone() {
            if let Some(slot) = slot_of(told, gone.item.uid) {
                take(told, slot);
            }
        }
        match &edit.action {
            EditAction::Add { uid, .. } => bring(told, items, *uid),
            EditAction::Set { items: touched } => set(told, touched, now),
            EditAction::Move { uid, to_rank, .. } => rank(told, *uid, to_rank),
            EditAction::Delete { .. }
            | EditAction::Clear { .. }
            | EditAction::Load { .. }
            | EditAction::Note { .. } => {}
        }
    }
}

/// Puts an item of the list in, at its place.
fn bring(told: &mut Vec<Item>, items: &[Item], uid: Uuid) {
    if find(told, uid).is_some() {
        return;
    }
    let parent = items.iter().find(|item| item.subtasks.iter().any(|sub| sub.uid == uid)).map(|item| item.uid);
    if let Some(item) = find(items, uid) {
        put_in(told, item.clone(), parent);
    }
}

fn set(told: &mut [Item], touched: &[Touched], now: Timestamp) {
    for touched in touched {
        let Some(item) = slot_of(told, touched.uid).and_then(|slot| slot_mut(told, slot)) else { continue };
        for field in &touched.fields {
            item.set(*field, &touched.to, now);
        }
    }
}

/// Puts an item where that rank says.
fn rank(told: &mut Vec<Item>, uid: Uuid, to: &str) {
    if let Some(slot) = slot_of(told, uid) {
        let moved = take(told, slot);
        put_in(told, Item { rank: to.to_owned(), ..moved.item }, moved.parent);
    }
}
