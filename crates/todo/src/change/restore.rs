//! The user brings a removed item back, whoever removed it.

use super::place::put_back;
use super::{Applied, find};
use crate::list::Stamp;
use crate::{Edit, EditAction, EditState, Error, List, Removed, Result, short};
use texts::all as say;
use uuid::Uuid;

pub(super) fn restore(mut list: List, mut gone: Removed, client: String, stamp: &mut Stamp<'_>) -> Result<Applied> {
    let uid = gone.item.uid;
    if find(&list.items, uid).is_some() {
        return Ok(Applied::of(list, say::already_there(short(&gone.item.content))));
    }
    gone.item.subtasks.retain(|sub| find(&list.items, sub.uid).is_none());
    let Some(slot) = put_back(&mut list.items, &gone) else {
        return Err(Error::NoHome(short(&gone.item.content)));
    };
    let marked = mark(&mut list, uid, true);
    // The agent knows nothing of a removal that was not delivered, unless the answer with it is on its way.
    let unheard = |id: &Uuid| list.edits.iter().any(|edit| edit.id == *id && edit.state == EditState::Queued);
    let dormant = marked.first().copied().filter(|_| marked.iter().all(unheard));
    let (content, position) = (gone.item.content.clone(), slot.number());
    let message = say::restored(&position, &content);
    let edit = Edit::new(EditAction::Add { uid, content, position }, client, list.revision, stamp);
    let state = if dormant.is_some() { EditState::Superseded } else { EditState::Queued };
    let mut done = Applied::of(list, message).with(Edit { dormant, state, ..edit }, stamp);
    done.edits.extend(marked);
    Ok(done)
}

/// Notes in the edits that removed an item that the user has it back, or no more; returns those edits.
pub(super) fn mark(list: &mut List, uid: Uuid, back: bool) -> Vec<Uuid> {
    let mut changed = Vec::new();
    for edit in list.edits.iter_mut().filter(|edit| !edit.undone) {
        let id = edit.id;
        for gone in edit.removed_mut().iter_mut().filter(|gone| gone.item.uid == uid && gone.back != back) {
            gone.back = back;
            changed.push(id);
        }
    }
    changed
}
