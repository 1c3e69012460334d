//! The protected merge: what an agent sends against the list there is, without losing the user's word.
//!
//! The base is what the caller said last and what it was last told. A value that equals the caller's own last one
//! is repetition, since models rewrite lists from their context; only a changed value decides anything. That holds
//! for each field of an item, for its place in the order, and for its being there at all:
//! - An item that the user added stays until it is done or the user removes it, mentioned or not.
//! - An item that the user removed stays away while it is merely sent again. It returns when the agent, once told,
//!   dropped it and then sends it again.
//! - An item that the user changed, and the agent drops before it has heard of that, stays until it is done.
//! - An item that this caller never sent is not removed by its silence until it is done, and another caller's not
//!   even then.

mod graves;
mod level;
mod order;
mod part;
mod settle;

pub(crate) use part::part;
pub(crate) use settle::explicit;

use crate::change::Applied;
use crate::list::{Ids, Memory, Stamp, flat};
use crate::{Draft, EditAction, EditState, Field, Item, List, Origin, Status, depends, short};
use graves::Graves;
use level::Merge;
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
    let items = merge.level(&head, None, drafts);
    let done = merge.done;
    list.ids_given = merge.ids.given;
    list.items = items;
    let sent = Sent { caller, base: &base, head: &head, now: &done, whole: true };
    let mut remarks = finish(&mut list, &base, stamp);
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

/// What a caller's list is merged by.
pub(crate) struct Base<'a> {
    memory: &'a Memory,
    told: Option<HashMap<Uuid, Draft>>,
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
            told: memory.told.as_deref().map(drafts_by_uid),
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
        for edit in list.edits.iter().filter(|edit| edit.stands()) {
            let open = matches!(edit.state, EditState::Queued | EditState::Delivered | EditState::Ignored);
            match &edit.action {
                EditAction::Add { uid, .. } => drop(brought.insert(*uid)),
                EditAction::Load { added, .. } => brought.extend(added),
                EditAction::Set { items } => {
                    for touched in items {
                        for field in &touched.fields {
                            base.set.entry((touched.uid, *field)).or_insert_with(|| touched.from.clone());
                        }
                        if open && touched.fields.contains(&Field::Status) && touched.to.status == Status::InProgress {
                            base.started.insert(touched.uid);
                        }
                        if edit.state == EditState::Queued {
                            unheard.insert(touched.uid);
                        }
                    }
                }
                EditAction::Move { uid, rank, .. } => {
                    base.ranks.entry(*uid).or_insert_with(|| rank.clone());
                    if edit.state == EditState::Queued {
                        unheard.insert(*uid);
                    }
                }
                EditAction::Delete { .. } | EditAction::Clear { .. } => {}
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
        if let Some(said) = self.said(head.uid) {
            return said.same(field, now);
        }
        let told = self.told.as_ref().and_then(|told| told.get(&head.uid));
        match (told, self.set.get(&(head.uid, field))) {
            // It was told the value and never said one: leaving it out is no decision.
            (Some(told), _) => told.same(field, now) || now.is_silent(field),
            (None, Some(from)) => from.same(field, now) || now.is_silent(field),
            (None, None) => head.origin == Origin::User && now.is_silent(field),
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

fn drafts_by_uid(items: &[Item]) -> HashMap<Uuid, Draft> {
    flat(items).map(|(item, _)| (item.uid, Draft::of(item))).collect()
}

/// What follows from a merged list: one item in progress where the user chose it, and what waits for what.
fn finish(list: &mut List, base: &Base<'_>, stamp: &Stamp<'_>) -> Vec<String> {
    let mut remarks = one_in_progress(list, base, stamp);
    let alive: HashSet<Uuid> = flat(&list.items).map(|(item, _)| item.uid).collect();
    // A dependency on what the agent itself left out may mean another item now; one on what the user removed waits
    // for its return.
    let dropped = |uid: Uuid| base.alive.contains(&uid) && !alive.contains(&uid);
    let anew = |was: Option<Uuid>| was.is_none_or(dropped);
    for refused in depends::resolve(&mut list.items, &anew) {
        remarks.push(format!(
            "\"{}\" cannot wait for \"{}\", which waits for it already; that dependency was left out.",
            refused.content, refused.on
        ));
    }
    remarks
}

/// Where the user's item in progress and the agent's collide, the user's stands.
fn one_in_progress(list: &mut List, base: &Base<'_>, stamp: &Stamp<'_>) -> Vec<String> {
    let active = |item: &&Item| item.status == Status::InProgress;
    let chosen: Vec<String> = list
        .items
        .iter()
        .filter(active)
        .filter(|item| base.started.contains(&item.uid))
        .map(|item| format!("\"{}\"", short(&item.content)))
        .collect();
    if !chosen.is_empty() {
        let mut put_back = Vec::new();
        for item in &mut list.items {
            if item.status == Status::InProgress && !base.started.contains(&item.uid) {
                item.status = Status::Pending;
                item.status_at = stamp.now;
                put_back.push(format!("\"{}\"", short(&item.content)));
            }
        }
        if put_back.is_empty() {
            return Vec::new();
        }
        return vec![format!(
            "The user wants {} done now, so {} is pending again; work on the user's choice first.",
            chosen.join(" and "),
            put_back.join(" and ")
        )];
    }
    match list.items.iter().filter(active).count() {
        0 | 1 => Vec::new(),
        count => vec![format!("{count} items are in progress; one at a time is the norm, mark the others pending.")],
    }
}
