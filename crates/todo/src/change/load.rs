//! A list is archived, and another takes its place.

use super::level::levels_that_differ;
use super::remove::removed;
use super::{Applied, By, remove};
use crate::edit::Touched;
use crate::list::{Stamp, flat};
use crate::others::Apart;
use crate::{CallerMemory, Edit, EditAction, EditState, Error, Item, List, Result, depends, limits};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use texts::all as say;
use uuid::Uuid;

pub(super) fn archive(mut list: List, by: By, apart: &Apart, stamp: &mut Stamp<'_>) -> Applied {
    let message = say::archived();
    match by {
        By::User { client } => Applied { message, ..remove::clear(list, client, stamp) },
        By::Agent { caller } => {
            // The user's edits of the list are settled with it; messages to the agent are still delivered.
            let is_of_list = |edit: &&mut Edit| edit.is_open() && !matches!(edit.action, EditAction::Note { .. });
            let mut edits = Vec::new();
            for edit in list.edits.iter_mut().filter(is_of_list).filter(|edit| apart.concerns(edit)) {
                edit.settle(EditState::Reflected, stamp.now);
                edits.push(edit.id);
            }
            list.items.clear();
            list.callers.insert(
                caller,
                CallerMemory { known_list: Some(Arc::default()), has_sent: true, ..CallerMemory::default() },
            );
            Applied { edits, ..Applied::of(list, message) }
        }
    }
}

/// Items that are in both lists stay and become what they are in the other one.
pub(super) fn load(mut list: List, items: Vec<Item>, client: String, stamp: &mut Stamp<'_>) -> Result<Applied> {
    if items.len() > limits::ITEMS {
        return Err(Error::TooManyItems { sent: items.len() });
    }
    let old = std::mem::replace(&mut list.items, items);
    let before: HashMap<Uuid, &Item> = flat(&old).map(|(item, _)| (item.uid, item)).collect();
    let after: HashSet<Uuid> = flat(&list.items).map(|(item, _)| item.uid).collect();
    depends::each(&mut list.items, &mut |item| {
        // The id and the author are the present ones, not those of the past list.
        if let Some(now) = before.get(&item.uid) {
            item.id.clone_from(&now.id);
            item.origin = now.origin;
        }
    });
    let added = flat(&list.items).map(|(item, _)| item.uid).filter(|uid| !before.contains_key(uid)).collect();
    let changed = flat(&list.items)
        .filter_map(|(item, _)| Touched::between(before.get(&item.uid)?, item, String::new()))
        .collect();
    let stayed = before.values().filter(|item| after.contains(&item.uid));
    let stayed = stayed.map(|item| (item.uid, item.rank.clone())).collect();
    let gone = |item: &Item| !after.contains(&item.uid);
    let removed = flat(&old)
        .filter(|(item, parent)| gone(item) && parent.is_none_or(|parent| after.contains(&parent)))
        .map(|(item, parent)| {
            let mut gone = item.clone();
            gone.subtasks.retain(|sub| !after.contains(&sub.uid));
            removed(gone, parent)
        })
        .collect();
    let message = say::loaded(list.items.len());
    if old == list.items {
        return Ok(Applied::of(list, message));
    }
    let levels = levels_that_differ(&old, &list.items);
    let action = EditAction::Load { removed, added, changed, stayed, levels };
    Ok(Applied::of(list, message).with_edit(action, client, stamp))
}
