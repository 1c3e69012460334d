//! A list goes to the history, and another takes its place.

use super::remove::grave;
use super::{Applied, remove};
use crate::edit::Touched;
use crate::list::{Stamp, flat};
use crate::{EditAction, Error, Item, List, Result, limits};
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

pub(super) fn archive(mut list: List, client: Option<String>, stamp: &mut Stamp<'_>) -> Applied {
    match client {
        Some(client) => Applied { message: "TODO list archived".to_owned(), ..remove::clear(list, client, stamp) },
        None => {
            list.items.clear();
            Applied::of(list, "TODO list archived".to_owned())
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
    let added = flat(&list.items).map(|(item, _)| item.uid).filter(|uid| !before.contains_key(uid)).collect();
    let changed = flat(&list.items)
        .filter_map(|(item, _)| Touched::between(before.get(&item.uid)?, item, String::new()))
        .collect();
    let gone = |item: &Item| !after.contains(&item.uid);
    let removed = flat(&old)
        .filter(|(item, parent)| gone(item) && parent.is_none_or(|parent| after.contains(&parent)))
        .map(|(item, parent)| grave(item.clone(), parent))
        .collect();
    let count = list.items.len();
    let message = format!("Loaded a TODO list of {count} item(s)");
    let nothing = old == list.items;
    let done = Applied::of(list, message).with_edit(EditAction::Load { removed, added, changed }, client, stamp);
    Ok(if nothing { done.settled(stamp) } else { done })
}
