//! The protected merge: takes over the list that an agent sends, without losing the user's edits.
//!
//! The base is the caller's own last list, and the list as the caller knows it. A value that equals the caller's last
//! one is repetition, since models rewrite lists from their context; only a changed value is a decision. That holds for
//! each field of an item, for its place in the order, and for its presence in the list:
//! - An item that the user added stays until it is closed or the user removes it, mentioned or not.
//! - An item that the user removed stays removed while it is merely sent again. It returns when the agent dropped it
//!   after the removal was delivered, and then sends it again.
//! - An item that the user changed, and that the agent drops before the change is delivered, stays until it is closed.
//! - An item that this caller never sent is not removed by being left out until it is closed, and an item of another
//!   caller not even then. Only the very first list of a caller that knows of no list replaces everything.
//! - An item that the user put on another level, and that the agent sends where it had it, stays on that level
//!   ([`astray`]).
//! - A step of another agent's is out of the list ([`Apart`]); one that the caller sent before it was that agent's, and
//!   sends once more, is left out of what it sent.

mod astray;
mod level;
mod order;
mod part;
mod removed;
mod settle;
mod started;

pub(crate) use part::part;
pub(crate) use settle::settle_explicit;

use crate::change::Applied;
use crate::depends::{self, Refused};
use crate::list::{Ids, Stamp, by_uid, flat, has_unique_ids, uids};
use crate::others::Apart;
use crate::position::Slot;
use crate::{CallerMemory, Draft, EditAction, EditState, Field, Fields, Item, List, Origin, Touched};
use astray::Astray;
use level::{Merge, Merged};
use removed::RemovedItems;
use settle::{Sent, settle};
use smol_str::SmolStr;
use started::{one_in_progress, started};
use std::collections::{BTreeSet, HashMap, HashSet};
use texts::Text;
use uuid::Uuid;

/// Takes over a list as `caller` sends it.
///
/// # Errors
/// When its items wait for each other in a circle.
pub(crate) fn replace(
    mut list: List,
    caller: &str,
    mut drafts: Vec<Draft>,
    apart: &Apart,
    stamp: &mut Stamp<'_>,
) -> crate::Result<Applied> {
    drafts.retain(|draft| !draft.deleted);
    for draft in &mut drafts {
        draft.subtasks.retain(|sub| !sub.deleted);
    }
    depends::check(&drafts)?;
    let memory = list.callers.remove(caller).unwrap_or_default();
    let head = std::mem::take(&mut list.items);
    let base = Base::of(&list, &head, caller, &memory, apart);
    let ids = Ids::of(&head, list.ids_given);
    let mut merge = Merge::new(&base, ids, stamp);
    let mut items = merge.level(&head, None, "", drafts);
    merge.bring_home(&mut items);
    let mut done = merge.done;
    list.ids_given = merge.ids.given;
    list.items = items;
    // A circle within the agent's list was refused above; one with the user's dependencies may be left.
    let (mut remarks, _) = finish(&mut list, &base, &head, &mut done, stamp);
    let sent = Sent { caller, base: &base, head: &head, merged: &done, complete: true };
    let edits = settle(&mut list, &sent, &mut remarks, stamp);
    list.callers.insert(
        caller.to_owned(),
        CallerMemory {
            known_list: memory.known_list.clone(),
            has_sent: true,
            last_sent: done.sent.into(),
            last_sent_order: done.order,
            last_sent_parents: done.parents,
            withheld: BTreeSet::new(),
        },
    );
    let mut applied = Applied::of(list, Text::default());
    applied.edits = edits;
    applied.remarks = remarks.into_iter().map(Text::from).collect();
    Ok(applied)
}

/// The items as the caller sent them last, with the fields that it sets now.
pub(crate) fn sent_with_patch(
    list: &mut List,
    caller: &str,
    (slots, patch): (&[Slot], &Draft),
    apart: &Apart,
) -> Vec<(Uuid, Draft)> {
    let memory = list.callers.remove(caller).unwrap_or_default();
    let base = Base::of(list, &list.items, caller, &memory, apart);
    let items = slots.iter().filter_map(|slot| slot.item(&list.items));
    let last = items.map(|item| {
        let mut last = base.callers_version(item);
        for field in patch.given.iter() {
            last.copy(field, patch);
        }
        (item.uid, last)
    });
    let last = last.collect();
    list.callers.insert(caller.to_owned(), memory);
    last
}

/// The base of a merge: everything that a caller's list is compared with.
pub(crate) struct Base<'a> {
    memory: &'a CallerMemory,
    known: Option<HashMap<Uuid, (&'a Item, Option<Uuid>)>>,
    /// The values before the user's edits, for callers that never sent or received one.
    before_edits: HashMap<(Uuid, Field), Fields>,
    /// Items that the user started, which the agent's own give way to.
    started: HashSet<Uuid>,
    /// Ranks before the user moved items.
    ranks: HashMap<Uuid, SmolStr>,
    /// Levels before the user put items on another one.
    levels: HashMap<Uuid, Option<Uuid>>,
    /// Items that the caller has on other levels than the list has them on.
    astray: Astray,
    /// Items that stay although they are left out: the user's until they are done, those that the user brought back, and
    /// those with a change that is not delivered.
    protected: HashSet<Uuid>,
    removed: RemovedItems,
    /// Items in the last lists of other callers.
    sent_by_others: HashSet<Uuid>,
    /// Every item of the list before.
    alive: HashSet<Uuid>,
    /// The steps of others, which are out of the list.
    apart: &'a Apart,
}

impl<'a> Base<'a> {
    fn of(list: &List, head: &[Item], caller: &str, memory: &'a CallerMemory, apart: &'a Apart) -> Self {
        let mut base = Self {
            memory,
            known: memory.known_list.as_deref().map(|known| by_uid(known)),
            before_edits: HashMap::new(),
            started: started(&list.edits, head),
            ranks: HashMap::new(),
            levels: HashMap::new(),
            astray: Astray::default(),
            protected: HashSet::new(),
            removed: RemovedItems::default(),
            sent_by_others: list.callers.values().flat_map(|other| other.last_sent.keys().copied()).collect(),
            alive: uids(head),
            apart,
        };
        base.alive.extend(&apart.uids);
        let mut unheard = HashSet::new();
        let mut brought = HashSet::new();
        for edit in &list.edits {
            // Where a later edit superseded this one, the value before both is still the agent's own.
            if edit.state == EditState::Superseded && !edit.undone && !edit.inverse {
                edit.touched().iter().for_each(|touched| base.note_set(touched));
                base.note_levels(edit);
            }
            if !edit.is_in_force() {
                continue;
            }
            base.note_levels(edit);
            brought.extend(edit.added_items());
            if edit.state == EditState::Queued {
                unheard.extend(edit.loaded());
            }
            match &edit.action {
                EditAction::Set { items } => {
                    for touched in items {
                        base.note_set(touched);
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
                EditAction::Level { items } if edit.state == EditState::Queued => {
                    unheard.extend(items.iter().map(|leveled| leveled.uid));
                }
                EditAction::Add { .. }
                | EditAction::Level { .. }
                | EditAction::Delete { .. }
                | EditAction::Clear { .. }
                | EditAction::Note { .. } => {}
            }
        }
        base.removed = RemovedItems::of(list, &base, caller);
        base.astray = Astray::of(head, &base);
        for (item, _) in flat(head) {
            let users = item.origin == Origin::User || brought.contains(&item.uid);
            if (unheard.contains(&item.uid) || users) && !item.status.is_terminal() {
                base.protected.insert(item.uid);
            }
        }
        base
    }

    fn note_levels(&mut self, edit: &crate::Edit) {
        for (uid, parent) in edit.levels_before() {
            self.levels.entry(uid).or_insert(parent);
        }
    }

    fn note_set(&mut self, touched: &Touched) {
        for field in &touched.fields {
            self.before_edits.entry((touched.uid, *field)).or_insert_with(|| touched.from.clone());
        }
    }

    /// An item as the caller sent it last: where it never did, as the caller knows it, or else without the user's edits.
    pub(crate) fn callers_version(&self, item: &Item) -> Draft {
        if let Some(last) = self.last_sent(item.uid) {
            return last.clone();
        }
        if let Some(known) = self.known(item.uid) {
            return Draft::alone_of(known);
        }
        let mut whole = Draft::alone_of(item);
        for field in Field::ALL {
            if let Some(from) = self.before_edits.get(&(item.uid, field)) {
                whole.copy(field, from);
            }
        }
        whole
    }

    fn known(&self, uid: Uuid) -> Option<&'a Item> {
        self.known.as_ref().and_then(|known| known.get(&uid)).map(|(item, _)| *item)
    }

    /// The levels on which a caller has an item, by the item whose subtasks they are: where it sent it last, and where it
    /// knows it; where neither is so, the level before the user put it on another one.
    fn callers_levels(&self, uid: Uuid) -> impl Iterator<Item = Option<Uuid>> {
        let sent = self.last_sent(uid).map(|_| self.memory.last_sent_parents.get(&uid).copied());
        let known = self.known.as_ref().and_then(|known| known.get(&uid)).map(|(_, parent)| *parent);
        let before = || self.levels.get(&uid).copied();
        sent.or(known)
            .or_else(before)
            .into_iter()
            .chain(known.filter(move |known| sent.is_some_and(|sent| sent != *known)))
    }

    /// Items of a level that the caller knows and that another agent removed: they are neither in the list nor removed by
    /// the user.
    fn removed_by_others(&self, parent: Option<Uuid>) -> impl Iterator<Item = &Item> {
        let known = self.memory.known_list.as_deref().map_or(&[][..], Vec::as_slice);
        let level = match parent {
            None => known,
            Some(parent) => known.iter().find(|item| item.uid == parent).map_or(&[][..], |item| &item.subtasks),
        };
        level.iter().filter(|item| !self.alive.contains(&item.uid) && !self.removed.contains(item.uid))
    }

    /// The steps of others that the caller sent last, or knows of: it may still send them. On its own level an item is
    /// found by the step that it belongs to.
    fn of_others(&self, level: Option<Uuid>) -> impl Iterator<Item = &'a Item> {
        let may_send = |uid| self.last_sent(uid).is_some() || self.known(uid).is_some();
        let is_here = move |(item, parent): &(&Item, Option<Uuid>)| match *parent == level {
            true => level.is_none() && may_send(item.uid),
            false => may_send(item.uid) && self.callers_levels(item.uid).any(|has| has == level),
        };
        flat(&self.apart.items).filter(is_here).map(|(item, _)| item)
    }

    fn last_sent(&self, uid: Uuid) -> Option<&Draft> {
        self.memory.last_sent.get(&uid)
    }

    /// True if a value that was sent only repeats an earlier one.
    fn repeats(&self, head: &Item, field: Field, now: &Draft) -> bool {
        // A value that the caller received is no decision of its own either.
        if let Some(last) = self.last_sent(head.uid) {
            return last.same(field, now) || self.known(head.uid).is_some_and(|known| known.same(field, now));
        }
        // Where the caller never sent a value, leaving it out is no decision.
        let silent = now.is_unset(field) || (field == Field::Status && !now.given.contains(field));
        match (self.known(head.uid), self.before_edits.get(&(head.uid, field))) {
            (Some(known), _) => known.same(field, now) || silent,
            (None, Some(from)) => from.same(field, now) || silent,
            (None, None) => head.origin == Origin::User && silent,
        }
    }

    /// The item with the values that were decided, field by field.
    fn decide(&self, head: &Item, now: &Draft, fields: impl Iterator<Item = Field>, at: jiff::Timestamp) -> Item {
        let mut item = head.clone();
        // An id that is sent again changes nothing either: of two items with one id the second got one of ours.
        let last = self.last_sent(head.uid).and_then(|last| last.id.as_ref());
        if let Some(id) = now.id.as_ref().filter(|id| last != Some(id)) {
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

/// Completes a merged list: only the user's item is in progress where the user chose one, and dependencies are looked
/// up. Returns remarks, and the dependencies that would have closed a circle.
fn finish(
    list: &mut List,
    base: &Base<'_>,
    head: &[Item],
    done: &mut Merged,
    stamp: &Stamp<'_>,
) -> (Vec<String>, Vec<Refused>) {
    let mut remarks: Vec<String> = done.of_others.iter().filter_map(|uid| base.apart.remark(*uid)).collect();
    remarks.extend(one_in_progress(list, base, head, done, stamp));
    // Before dependencies are looked up, since they may name an id that is given here.
    if !has_unique_ids(&list.items) {
        let mut ids = Ids::of(&list.items, list.ids_given);
        ids.make_unique(&mut list.items, &HashSet::new());
        list.ids_given = ids.given;
    }
    // Only a dependency is asked of these.
    let mut alive = HashSet::new();
    if depends::are_any(&list.items) {
        alive = uids(&list.items);
        alive.extend(&base.apart.uids);
    }
    // A dependency on an item that the agent itself left out may mean another one now; one on an item that the user
    // removed waits for its return.
    let dropped = |uid: Uuid| base.alive.contains(&uid) && !alive.contains(&uid);
    let anew = |was: Option<Uuid>| was.is_none_or(dropped);
    let refused = depends::resolve(&mut list.items, &anew, &done.places);
    remarks.extend(refused.iter().map(|refused| refused.sentence().english));
    remarks.extend(depends::begun_too_early(&list.items, &base.started));
    (remarks, refused)
}
