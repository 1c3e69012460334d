//! A list goes to the history, and another takes its place.

use super::remove::grave;
use super::{Applied, By, remove};
use crate::edit::Touched;
use crate::list::{Memory, Stamp, flat};
use crate::{Edit, EditAction, EditState, Error, Item, List, Result, depends, limits};
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

pub(super) fn archive(mut list: List, by: By, stamp: &mut Stamp<'_>) -> Applied {
    let message = "TODO list archived".to_owned();
    match by {
        By::User { client } => Applied { message, ..remove::clear(list, client, stamp) },
        By::Agent { caller } => {
            // What the user did to the list goes with it; what is meant for the agent it still hears.
            let is_of_list = |edit: &&mut Edit| edit.is_open() && !matches!(edit.action, EditAction::Note { .. });
            let mut edits = Vec::new();
            for edit in list.edits.iter_mut().filter(is_of_list) {
                edit.settle(EditState::Reflected, stamp.now);
                edits.push(edit.id);
            }
            list.items.clear();
            list.callers.insert(caller, Memory { told: Some(Vec::new()), wrote: true, ..Memory::default() });
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
        // What it is called, and whose it is, is not a matter of the past.
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
            grave(gone, parent)
        })
        .collect();
    let message = format!("Loaded a TODO list of {} item(s)", list.items.len());
    if old == list.items {
        return Ok(Applied::of(list, message));
    }
    let action = EditAction::Load { removed, added, changed, stayed };
    Ok(Applied::of(list, message).with_edit(action, client, stamp))
}
