//! The protected merge: what an agent sends against the list there is, without losing the user's word.
//!
//! The base is what the caller said last and what it was last told. A value that equals the caller's own last one
//! is repetition, since models rewrite lists from their context; only a changed value decides anything. That holds
//! for each field of an item, for its place in the order, and for its being there at all:
//! - An item that the user added stays until it is closed or the user removes it, mentioned or not.
//! - An item that the user removed stays away while it is merely sent again. It returns when the agent, once told,
//!   dropped it and then sends it again.
//! - An item that the user changed, and the agent drops before it has heard of that, stays until it is closed.
//! - An item that this caller never sent is not removed by its silence until it is closed, and another caller's not
//!   even then. Only a caller's very first list, of which nothing is known, is the whole list.

mod graves;
mod level;
mod order;
mod part;
mod settle;

pub(crate) use part::part;
pub(crate) use settle::explicit;

use crate::change::{Applied, find};
use crate::depends::{self, Refused};
use crate::list::{Ids, Memory, Stamp, flat};
use crate::position::Slot;
use crate::{Draft, EditAction, EditState, Field, Item, List, Origin, Status, Touched, short};
use graves::Graves;
use level::{Found, Merge};
use settle::{Sent, settle};
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// Takes over a list as `caller` sends it.
///
/// # Errors
/// When it waits for itself.
pub(crate) fn replace(
    mut list: List,
    caller: &str,
    mut drafts: Vec<Draft>,
    stamp: &mut Stamp<'_>,
) -> crate::Result<Applied> {
    drafts.retain(|draft| !draft.deleted);
    for draft in &mut drafts {
        draft.subtasks.retain(|sub| !sub.deleted);
    }
    depends::check(&drafts)?;
    let memory = list.callers.remove(caller).unwrap_or_default();
    let head = std::mem::take(&mut list.items);
    let base = Base::of(&list, &head, caller, &memory);
    let ids = Ids::of(&head, list.ids_given);
    let mut merge = Merge::new(&base, ids, stamp);
    let items = merge.level(&head, None, "", drafts);
    let mut done = merge.done;
    list.ids_given = merge.ids.given;
    list.items = items;
    // A circle of the agent's own was refused above; what is left is one with the user's dependencies.
    let (mut remarks, _) = finish(&mut list, &base, &head, &mut done, stamp);
    let sent = Sent { caller, base: &base, head: &head, now: &done, whole: true };
    let edits = settle(&mut list, &sent, &mut remarks, stamp);
    list.callers.insert(
        caller.to_owned(),
        Memory { told: memory.told.clone(), wrote: true, said: done.said, order: done.order },
    );
    let mut applied = Applied::of(list, String::new());
    applied.edits = edits;
    applied.remarks = remarks;
    Ok(applied)
}

/// What a caller says of some items when it sets fields of them outright.
pub(crate) fn said(list: &mut List, caller: &str, slots: &[Slot], patch: &Draft) -> Vec<(Uuid, Draft)> {
    let memory = list.callers.remove(caller).unwrap_or_default();
    let base = Base::of(list, &list.items, caller, &memory);
    let items = slots.iter().filter_map(|slot| slot.item(&list.items));
    let said = items.map(|item| {
        let mut said = base.whole(item);
        for field in &patch.given {
            said.copy(*field, patch);
        }
        (item.uid, said)
    });
    let said = said.collect();
    list.callers.insert(caller.to_owned(), memory);
    said
}

/// What a caller's list is merged by.
pub(crate) struct Base<'a> {
    memory: &'a Memory,
    told: Option<HashMap<Uuid, &'a Item>>,
    /// What the user changed: the value before, for callers that never said or heard one.
    set: HashMap<(Uuid, Field), Draft>,
    /// Items in progress because the user wants it so, which the agent has not followed yet.
    started: HashSet<Uuid>,
    /// Ranks before the user moved items.
    ranks: HashMap<Uuid, String>,
    /// Items that silence does not remove: the user's until they are done, those that the user brought back, and those
    /// with a change that the agent has not heard of.
    protected: HashSet<Uuid>,
    graves: Graves,
    /// What other callers said in their last lists.
    others: HashSet<Uuid>,
    /// Every item of the list before.
    alive: HashSet<Uuid>,
}

impl<'a> Base<'a> {
    fn of(list: &List, head: &[Item], caller: &str, memory: &'a Memory) -> Self {
        let mut base = Self {
            memory,
            told: memory.told.as_deref().map(|told| flat(told).map(|(item, _)| (item.uid, item)).collect()),
            set: HashMap::new(),
            started: HashSet::new(),
            ranks: HashMap::new(),
            protected: HashSet::new(),
            graves: Graves::of(list, head, caller),
            others: list.callers.values().flat_map(|other| other.said.keys().copied()).collect(),
            alive: flat(head).map(|(item, _)| item.uid).collect(),
        };
        let mut unheard = HashSet::new();
        let mut brought = HashSet::new();
        for edit in &list.edits {
            // Where a later edit took its place, the value before both is still the agent's own.
            if edit.state == EditState::Superseded && !edit.undone && !edit.inverse {
                edit.set_items().iter().for_each(|touched| base.note_set(touched));
            }
            if !edit.stands() {
                continue;
            }
            brought.extend(edit.brought());
            if edit.is_open() && !edit.inverse {
                // In progress as the user put it there, not as an undo left it: one_in_progress looks at what has become
                // of it.
                base.started.extend(edit.brought());
            }
            if edit.state == EditState::Queued {
                unheard.extend(edit.loaded());
            }
            match &edit.action {
                EditAction::Set { items } => {
                    for touched in items {
                        base.note_set(touched);
                        let starts = touched.asked.contains(&Field::Status) && touched.to.status == Status::InProgress;
                        // Of several, one that the agent overrode leaves the others as the user put them.
                        let stays = edit.state == EditState::Overridden && items.len() > 1;
                        let begun = |uid| find(head, uid).is_some_and(|item| item.status == Status::InProgress);
                        if starts && (edit.is_open() || stays && begun(touched.uid)) {
                            base.started.insert(touched.uid);
                        }
                        if edit.state == EditState::Queued {
                            unheard.insert(touched.uid);
                        }
                    }
                }
                EditAction::Load { changed, stayed, .. } => {
                    changed.iter().for_each(|touched| base.note_set(touched));
                    for (uid, rank) in stayed {
                        base.ranks.entry(*uid).or_insert_with(|| rank.clone());
                    }
                }
                EditAction::Move { uid, rank, .. } => {
                    base.ranks.entry(*uid).or_insert_with(|| rank.clone());
                    if edit.state == EditState::Queued {
                        unheard.insert(*uid);
                    }
                }
                EditAction::Add { .. }
                | EditAction::Delete { .. }
                | EditAction::Clear { .. }
                | EditAction::Note { .. } => {}
            }
        }
        for (item, _) in flat(head) {
            let users = item.origin == Origin::User || brought.contains(&item.uid);
            if (unheard.contains(&item.uid) || users) && !item.status.is_terminal() {
                base.protected.insert(item.uid);
            }
        }
        base
    }

    fn note_set(&mut self, touched: &Touched) {
        for field in &touched.fields {
            self.set.entry((touched.uid, *field)).or_insert_with(|| touched.from.clone());
        }
    }

    /// What the caller said of an item in all: where it said nothing, what it was told, or else the item without the
    /// user's changes.
    pub(crate) fn whole(&self, item: &Item) -> Draft {
        if let Some(said) = self.said(item.uid) {
            return said.clone();
        }
        if let Some(told) = self.told(item.uid) {
            return Draft::of(told).alone();
        }
        let mut whole = Draft::of(item).alone();
        for field in Field::ALL {
            if let Some(from) = self.set.get(&(item.uid, field)) {
                whole.copy(field, from);
            }
        }
        whole
    }

    fn told(&self, uid: Uuid) -> Option<&'a Item> {
        self.told.as_ref().and_then(|told| told.get(&uid).copied())
    }

    /// Items of a level that the caller was told of and that are no more, though neither it nor the user removed them:
    /// another agent did.
    fn gone(&self, parent: Option<Uuid>) -> impl Iterator<Item = &Item> {
        let told = self.memory.told.as_deref().unwrap_or_default();
        let level = match parent {
            None => told,
            Some(parent) => told.iter().find(|item| item.uid == parent).map_or(&[][..], |item| &item.subtasks),
        };
        level.iter().filter(|item| !self.alive.contains(&item.uid) && !self.graves.hold(item.uid))
    }

    fn said(&self, uid: Uuid) -> Option<&Draft> {
        self.memory.said.get(&uid)
    }

    /// Whether a value that was sent is only said again.
    fn repeats(&self, head: &Item, field: Field, now: &Draft) -> bool {
        // What it was told is no decision of its own either.
        if let Some(said) = self.said(head.uid) {
            return said.same(field, now) || self.told(head.uid).is_some_and(|told| told.same(field, now));
        }
        // Where it never said a value, leaving it out is no decision.
        let silent = now.is_silent(field) || (field == Field::Status && !now.given.contains(&field));
        match (self.told(head.uid), self.set.get(&(head.uid, field))) {
            (Some(told), _) => told.same(field, now) || silent,
            (None, Some(from)) => from.same(field, now) || silent,
            (None, None) => head.origin == Origin::User && silent,
        }
    }

    /// The item with what was decided of it, field by field.
    fn decide(&self, head: &Item, now: &Draft, fields: impl Iterator<Item = Field>, at: jiff::Timestamp) -> Item {
        let mut item = head.clone();
        // Said again it changes nothing either: of two items under one id the second got one of ours.
        let said = self.said(head.uid).and_then(|said| said.id.as_ref());
        if let Some(id) = now.id.as_ref().filter(|id| said != Some(id)) {
            item.id.clone_from(id);
        }
        for field in fields {
            if !self.repeats(head, field, now) {
                item.set(field, now, at);
            }
        }
        item
    }
}

/// What follows from a merged list: one item in progress where the user chose it, and what waits for what. Gives
/// remarks, and the dependencies that would have closed a circle.
fn finish(
    list: &mut List,
    base: &Base<'_>,
    head: &[Item],
    done: &mut Found,
    stamp: &Stamp<'_>,
) -> (Vec<String>, Vec<Refused>) {
    let mut remarks = one_in_progress(list, base, head, done, stamp);
    // Before dependencies are looked up, since they may name an id that is given here.
    let mut ids = Ids::of(&list.items, list.ids_given);
    ids.make_unique(&mut list.items, &HashSet::new());
    list.ids_given = ids.given;
    let alive: HashSet<Uuid> = flat(&list.items).map(|(item, _)| item.uid).collect();
    // A dependency on what the agent itself left out may mean another item now; one on what the user removed waits
    // for its return.
    let dropped = |uid: Uuid| base.alive.contains(&uid) && !alive.contains(&uid);
    let anew = |was: Option<Uuid>| was.is_none_or(dropped);
    let refused = depends::resolve(&mut list.items, &anew, &done.places);
    remarks.extend(refused.iter().map(Refused::sentence));
    (remarks, refused)
}

/// Where the user's item in progress and the agent's collide, the user's stands.
fn one_in_progress(
    list: &mut List,
    base: &Base<'_>,
    head: &[Item],
    done: &mut Found,
    stamp: &Stamp<'_>,
) -> Vec<String> {
    let active = |item: &&Item| item.status == Status::InProgress;
    let users = |item: &Item| base.started.contains(&item.uid);
    let chosen: Vec<String> = list
        .items
        .iter()
        .filter(active)
        .filter(|item| users(item))
        .map(|item| format!("\"{}\"", short(&item.content)))
        .collect();
    if chosen.is_empty() {
        return match list.items.iter().filter(active).count() {
            0 | 1 => Vec::new(),
            count => {
                vec![format!("{count} items are in progress; one at a time is the norm, mark the others pending.")]
            }
        };
    }
    let mut put_back = Vec::new();
    let mut named = Vec::new();
    for item in list.items.iter_mut().filter(|item| item.status == Status::InProgress) {
        if users(item) {
            continue;
        }
        // What another has made of it since stays: that it is in progress may be said again by mere repetition.
        let was = head.iter().find(|was| was.uid == item.uid && was.status != Status::InProgress);
        let others = |was: &&Item| base.said(was.uid).is_none_or(|said| said.status != was.status);
        match was.filter(|was| was.status == Status::Pending || others(was)) {
            Some(was) => {
                (item.status, item.status_at) = (was.status, was.status_at);
                item.status_raw.clone_from(&was.status_raw);
            }
            None => (item.status, item.status_at) = (Status::Pending, stamp.now),
        }
        if item.status == Status::Pending {
            put_back.push(item.uid);
        }
        let name = item.status.name();
        named.push(format!("\"{}\" is {name}{}", short(&item.content), if name == "pending" { " again" } else { "" }));
    }
    // It counts as if the agent had said so: once the user's choice is done, its own word is a decision again.
    for uid in &put_back {
        if let Some(said) = done.said.get_mut(uid).filter(|said| said.status == Status::InProgress) {
            said.status = Status::Pending;
        }
    }
    match named.is_empty() {
        true => Vec::new(),
        false => vec![format!(
            "The user wants {} done now, so {}; work on the user's choice first.",
            chosen.join(" and "),
            named.join(" and ")
        )],
    }
}
