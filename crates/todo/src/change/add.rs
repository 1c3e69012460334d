//! Items are added.

use super::{Applied, By};
use crate::list::{Ids, Stamp, flat};
use crate::others::Apart;
use crate::position::{Position, Slot};
use crate::{CallerMemory, Draft, EditAction, EditState, Error, Item, List, Origin, Priority, Result, depends};
use texts::{Text, all as say};
use uuid::Uuid;

pub(super) fn add(
    list: List,
    (position, drafts): (&Position, Vec<Draft>),
    by: By,
    apart: &Apart,
    stamp: &mut Stamp<'_>,
) -> Result<Applied> {
    let slot = position.insertion(&list.items)?;
    if matches!(slot, Slot::Sub(..)) && drafts.iter().any(|draft| !draft.subtasks.is_empty()) {
        return Err(Error::Item(say::item_too_deep("subtasks")));
    }
    depends::check(&drafts)?;
    match by {
        By::User { client } => by_user(list, (slot, position), drafts, client, stamp),
        By::Agent { caller } => Ok(by_agent(list, (slot, &drafts), caller, apart, stamp)),
    }
}

fn by_user(
    mut list: List,
    (slot, position): (Slot, &Position),
    mut drafts: Vec<Draft>,
    client: String,
    stamp: &mut Stamp<'_>,
) -> Result<Applied> {
    let (Some(draft), true) = (drafts.pop(), drafts.is_empty()) else {
        return Err(Error::Item("todos must be one item at a time".into()));
    };
    if draft.status == crate::Status::Unknown || draft.deleted {
        return Err(Error::StatusWord(draft.fields.status_raw.clone().unwrap_or_default()));
    }
    let mut ids = Ids::of(&list.items, list.ids_given);
    let mut item = ids.item(&Draft { id: None, ..draft }, Origin::User, stamp);
    list.ids_given = ids.given;
    item.priority = item.priority.or(Some(Priority::Medium));
    let (uid, content) = (item.uid, item.content.clone());
    insert(&mut list.items, slot, item);
    let message = say::added(position.echo(slot), &content);
    Ok(Applied::of(list, message).with_edit(EditAction::Add { uid, content, position: slot.number() }, client, stamp))
}

/// An agent adds items one by one: an item that the user removed comes back where the agent adds it again.
fn by_agent(
    mut list: List,
    (slot, drafts): (Slot, &[Draft]),
    caller: String,
    apart: &Apart,
    stamp: &mut Stamp<'_>,
) -> Applied {
    let mut ids = Ids::of(&list.items, list.ids_given);
    let mut overridden = Vec::new();
    let mut memory = list.callers.remove(&caller).unwrap_or_default();
    let parent = match slot {
        Slot::Top(_) => None,
        Slot::Sub(parent, _) => Some(list.items[parent].uid),
    };
    for (at, draft) in drafts.iter().enumerate() {
        let mut item = ids.item(draft, Origin::Agent, stamp);
        if let Some((edit, uid)) = removed(&list, parent, &draft.content, apart) {
            item.uid = uid;
            overridden.push(edit);
        }
        for ((item, under), draft) in
            flat(std::slice::from_ref(&item)).zip(std::iter::once(draft).chain(&draft.subtasks))
        {
            memory.sends(item.uid, draft.alone(), under.or(parent));
        }
        let slot = match slot {
            Slot::Top(first) => Slot::Top(first + at),
            Slot::Sub(parent, first) => Slot::Sub(parent, first + at),
        };
        insert(&mut list.items, slot, item);
    }
    list.ids_given = ids.given;
    for edit in list.edits.iter_mut().filter(|edit| overridden.contains(&edit.id)) {
        edit.settle(EditState::Overridden, stamp.now);
    }
    remember(&mut list, caller, memory);
    let mut done = Applied::of(list, Text::default());
    done.edits = overridden;
    done
}

/// The edit that removed an item with that text from that level, and the item.
fn removed(list: &List, parent: Option<Uuid>, content: &str, apart: &Apart) -> Option<(Uuid, Uuid)> {
    let alive = |uid: Uuid| flat(&list.items).any(|(item, _)| item.uid == uid);
    list.edits.iter().rev().filter(|edit| edit.is_in_force()).find_map(|edit| {
        let gone = edit.still_removed().filter(|gone| gone.parent == parent && !alive(gone.item.uid));
        let mut gone = gone.filter(|gone| !apart.hides(gone.item.uid));
        gone.find(|gone| gone.item.content == content).map(|gone| (edit.id, gone.item.uid))
    })
}

/// Stores the memory of a caller that works step by step: its order is that of the list.
pub(super) fn remember(list: &mut List, caller: String, mut memory: CallerMemory) {
    memory.has_sent = true;
    memory.forget_missing_items(list);
    memory.last_sent_order =
        flat(&list.items).map(|(item, _)| item.uid).filter(|uid| memory.last_sent.contains_key(uid)).collect();
    list.callers.insert(caller, memory);
}

pub(super) fn insert(items: &mut Vec<Item>, slot: Slot, item: Item) {
    match slot {
        Slot::Top(at) => items.insert(at, item),
        Slot::Sub(parent, at) => items[parent].subtasks.insert(at, item),
    }
}
