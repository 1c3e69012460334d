//! The user brings an item back that is gone, whoever removed it.

use super::place::put_back;
use super::{Applied, find, undo};
use crate::list::Stamp;
use crate::{EditAction, Error, List, Removed, Result, short};
use uuid::Uuid;

pub(super) fn restore(mut list: List, mut gone: Removed, client: String, stamp: &mut Stamp<'_>) -> Result<Applied> {
    let uid = gone.item.uid;
    if find(&list.items, uid).is_some() {
        return Ok(Applied::of(list, format!("It is in the list: \"{}\"", short(&gone.item.content))));
    }
    // What the user took out by itself is undone. Of several taken out together the others stay away.
    let alone = list.edits.iter().rfind(|edit| edit.stands() && edit.gone().any(|gone| gone.item.uid == uid));
    if let Some(edit) = alone.filter(|edit| edit.removed().len() == 1).map(|edit| edit.id) {
        return undo::undo(list, Some(edit), &client, stamp);
    }
    gone.item.subtasks.retain(|sub| find(&list.items, sub.uid).is_none());
    let Some(slot) = put_back(&mut list.items, &gone) else {
        return Err(Error::NoHome(short(&gone.item.content)));
    };
    let changed = mark(&mut list, uid, true);
    let (content, position) = (gone.item.content.clone(), slot.number());
    let message = format!("Restored TODO at position {position}: \"{content}\"");
    let mut done = Applied::of(list, message).with_edit(EditAction::Add { uid, content, position }, client, stamp);
    done.edits.extend(changed);
    Ok(done)
}

/// Notes in the edits that took an item out that the user has it back, or no more; gives those edits.
pub(super) fn mark(list: &mut List, uid: Uuid, back: bool) -> Vec<Uuid> {
    let mut changed = Vec::new();
    for edit in list.edits.iter_mut().filter(|edit| edit.stands()) {
        let id = edit.id;
        for gone in edit.removed_mut().iter_mut().filter(|gone| gone.item.uid == uid && gone.back != back) {
            gone.back = back;
            changed.push(id);
        }
    }
    changed
}
