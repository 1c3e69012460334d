//! The user removes items.

use super::{Applied, Target, take};
use crate::list::{Stamp, flat};
use crate::position::Slot;
use crate::{EditAction, EditState, Item, List, Removed, Result};
use std::collections::BTreeSet;
use texts::all as say;
use uuid::Uuid;

pub(super) fn delete(mut list: List, target: &Target, client: String, stamp: &mut Stamp<'_>) -> Result<Applied> {
    let slots = target.slots(&list.items)?;
    let known = slots.iter().filter_map(|slot| slot.item(&list.items)).any(|item| may_be_known(&list, item));
    // From the end, so that the places before stay what they are.
    let mut removed: Vec<Removed> = slots.iter().rev().map(|slot| take(&mut list.items, *slot)).collect();
    removed.reverse();
    let position = numbers(&slots);
    let message = match (slots.as_slice(), removed.as_slice()) {
        ([slot], [one]) => {
            let content = &one.item.content;
            match (slot, one.item.subtasks.len()) {
                (Slot::Sub(..), _) => say::deleted_subtask(&position, content),
                (Slot::Top(_), 0) => say::deleted(&position, content),
                (Slot::Top(_), count) => say::deleted_with_subtasks(&position, content, count),
            }
        }
        _ => say::deleted_several(removed.len(), &position),
    };
    let done = Applied::of(list, message).with_edit(EditAction::Delete { removed, position }, client, stamp);
    // The removal of an item that the agent never knew of is not delivered either.
    Ok(if known { done } else { done.settled(stamp) })
}

pub(super) fn clear(mut list: List, client: String, stamp: &mut Stamp<'_>) -> Applied {
    let removed: Vec<Removed> = std::mem::take(&mut list.items).into_iter().map(|item| removed(item, None)).collect();
    let done = Applied::of(list, say::cleared());
    if removed.is_empty() { done } else { done.with_edit(EditAction::Clear { removed }, client, stamp) }
}

pub(super) fn removed(item: Item, parent: Option<Uuid>) -> Removed {
    let rank = item.rank.clone();
    Removed { item, rank, parent, dropped_by: BTreeSet::new(), back: false }
}

/// True if the agent may know an item: any but those that the user added and that are not delivered.
fn may_be_known(list: &List, item: &Item) -> bool {
    let unheard = |uid: Uuid| {
        list.edits.iter().any(|edit| {
            let adds_it = matches!(edit.action, EditAction::Add { uid: added, .. } if added == uid);
            adds_it && edit.is_in_force() && edit.state == EditState::Queued
        })
    };
    flat(std::slice::from_ref(item)).any(|(item, _)| !unheard(item.uid))
}

/// Slots as positions: `2`, or `2-4`.
pub(super) fn numbers(slots: &[Slot]) -> String {
    match slots {
        [first, .., last] => format!("{}-{}", first.number(), last.number()),
        one => one.iter().map(|slot| slot.number()).collect(),
    }
}
