//! The user brings an item back that is gone, whoever removed it.

use super::place::put_back;
use super::{Applied, find, undo};
use crate::list::Stamp;
use crate::{EditAction, Error, List, Removed, Result, short};

pub(super) fn restore(mut list: List, mut gone: Removed, client: String, stamp: &mut Stamp<'_>) -> Result<Applied> {
    let uid = gone.item.uid;
    if find(&list.items, uid).is_some() {
        return Ok(Applied::of(list, format!("It is in the list: \"{}\"", short(&gone.item.content))));
    }
    // What the user removed himself is no more to be kept away.
    let standing =
        list.edits.iter().rposition(|edit| edit.stands() && edit.removed().iter().any(|r| r.item.uid == uid));
    if let Some(at) = standing {
        if list.edits[at].removed().len() == 1 {
            let edit = list.edits[at].id;
            return undo::undo(list, Some(edit), &client, stamp);
        }
        list.edits[at].forget_removed(uid);
    }
    gone.item.subtasks.retain(|sub| find(&list.items, sub.uid).is_none());
    let Some(slot) = put_back(&mut list.items, &gone) else {
        return Err(Error::NoHome(short(&gone.item.content)));
    };
    let (content, position) = (gone.item.content.clone(), slot.number());
    let message = format!("Restored TODO at position {position}: \"{content}\"");
    let changed = standing.map(|at| list.edits[at].id);
    let mut done = Applied::of(list, message).with_edit(EditAction::Add { uid, content, position }, client, stamp);
    done.edits.extend(changed);
    Ok(done)
}
