//! The user moves an item.

use super::add::insert;
use super::remove::removed;
use super::{Applied, Target, find};
use crate::list::Stamp;
use crate::position::{Position, Slot};
use crate::{EditAction, Error, Item, List, Removed, Result};
use smol_str::SmolStr;
use texts::all as say;
use uuid::Uuid;

pub(super) fn move_to(
    mut list: List,
    target: &Target,
    to: &Position,
    client: String,
    stamp: &mut Stamp<'_>,
) -> Result<Applied> {
    let slots = target.slots(&list.items)?;
    let [from] = slots.as_slice() else { return Err(Error::MoveOne) };
    let to = to.existing(&list.items)?;
    let on_one_level = match (from, to) {
        (Slot::Top(_), Slot::Top(_)) => true,
        (Slot::Sub(one, _), Slot::Sub(other, _)) => *one == other,
        _ => false,
    };
    if !on_one_level {
        return Err(Error::MoveLevel { from: from.number(), to: to.number() });
    }
    if *from == to {
        let content = from.item(&list.items).map(|item| item.content.clone()).unwrap_or_default();
        let message = say::moved(from.number(), to.number(), &content);
        return Ok(Applied::of(list, message));
    }
    let moved = take(&mut list.items, *from);
    let (uid, content, rank) = (moved.item.uid, moved.item.content.clone(), moved.rank.clone());
    // Its neighbours keep their ranks; it gets a new one.
    insert(&mut list.items, to, Item { rank: SmolStr::default(), ..moved.item });
    let message = say::moved(from.number(), to.number(), &content);
    let action =
        EditAction::Move { uid, content, to_rank: rank.clone(), rank, from: from.number(), position: to.number() };
    Ok(Applied::of(list, message).with_edit(action, client, stamp))
}

/// Notes the ranks that moved items got, so that an undo sees whether somebody moved them since.
pub(super) fn note_new_ranks(done: &mut Applied) {
    let revision = done.list.revision;
    for edit in done.list.edits.iter_mut().filter(|edit| edit.revision == revision) {
        let moved: Vec<(Uuid, &mut SmolStr)> = match &mut edit.action {
            EditAction::Move { uid, to_rank, .. } => vec![(*uid, to_rank)],
            EditAction::Level { items } => items.iter_mut().map(|item| (item.uid, &mut item.to.rank)).collect(),
            _ => Vec::new(),
        };
        for (uid, rank) in moved {
            if let Some(item) = find(&done.list.items, uid) {
                rank.clone_from(&item.rank);
            }
        }
    }
}

/// Takes an item out of its slot.
pub(crate) fn take(items: &mut Vec<Item>, slot: Slot) -> Removed {
    match slot {
        Slot::Top(at) => removed(items.remove(at), None),
        Slot::Sub(parent, at) => {
            let uid = items[parent].uid;
            removed(items[parent].subtasks.remove(at), Some(uid))
        }
    }
}

/// Puts a removed item back at the place of its rank; `None` when its parent is gone.
pub(super) fn put_back(items: &mut Vec<Item>, gone: &Removed) -> Option<Slot> {
    put_in(items, Item { rank: gone.rank.clone(), ..gone.item.clone() }, gone.parent)
}

/// Inserts an item at the place of its rank; `None` when its parent is not there.
pub(crate) fn put_in(items: &mut Vec<Item>, item: Item, parent: Option<Uuid>) -> Option<Slot> {
    let place = |level: &[Item]| level.partition_point(|other| other.rank < item.rank);
    let slot = match parent {
        None => Slot::Top(place(items)),
        Some(parent) => {
            let at = items.iter().position(|item| item.uid == parent)?;
            Slot::Sub(at, place(&items[at].subtasks))
        }
    };
    insert(items, slot, item);
    Some(slot)
}
