//! What the user tells the agent beside the list: notes, and edits that it is to follow after all.

use super::{Applied, By, Change, Target, find, step};
use crate::list::Stamp;
use crate::position::slot_of;
use crate::{Draft, Edit, EditAction, EditState, Error, Field, Item, List, Position, Result, Status, limits, short};
use uuid::Uuid;

pub(super) fn note(list: List, text: &str, client: String, stamp: &mut Stamp<'_>) -> Result<Applied> {
    let text = text.trim().to_owned();
    let length = text.chars().count();
    if text.is_empty() || length > limits::TEXT_CHARS {
        return Err(Error::Item {
            path: "text".to_owned(),
            problem: format!("has {length} characters; a note has 1 to {}", limits::TEXT_CHARS),
        });
    }
    let message = format!("Told the agent: \"{}\"", short(&text));
    Ok(Applied::of(list, message).with_edit(EditAction::Note { text }, client, stamp))
}

/// Makes an edit again, as a new one in its place, and has it told with emphasis.
/// The edit is the newest that the agent went against, where none is named.
pub(super) fn insist(mut list: List, edit: Option<Uuid>, client: String, stamp: &mut Stamp<'_>) -> Result<Applied> {
    let open = |edit: &Edit| edit.stands() && matches!(edit.state, EditState::Overridden | EditState::Ignored);
    let meant = |known: &Edit| open(known) && edit.is_none_or(|edit| known.id == edit);
    let Some(at) = list.edits.iter().rposition(meant) else {
        return Err(edit.map_or(Error::NothingToInsist, |edit| Error::CannotInsist(edit.to_string())));
    };
    let old = list.edits[at].clone();
    let again = again(&list, &old, &client);
    // What it removed is removed by the new one, or still away.
    list.edits[at].settle(EditState::Superseded, stamp.now);
    let mut done = match again {
        Some(change) => step(list, change, stamp)?,
        // The list is as the user wants it: it only has to be told again.
        None => {
            let action = old.action.clone();
            Applied::of(list, String::new()).with_edit(action, client, stamp)
        }
    };
    let made = done.edit;
    for edit in done.list.edits.iter_mut().filter(|edit| Some(edit.id) == made) {
        edit.insisted = true;
        edit.settle(EditState::Queued, stamp.now);
    }
    done.message = format!("Insisted on: \"{}\"", short(&old.text()));
    done.edits.push(old.id);
    Ok(done)
}

/// The change that makes an edit again, where the list is not as it left it.
fn again(list: &List, edit: &Edit, client: &str) -> Option<Change> {
    let (client, by) = (client.to_owned(), By::User { client: client.to_owned() });
    let set = |uid: Uuid, patch: Draft| {
        let target = Target::Uids(vec![uid]);
        Change::Set { target, patch: Box::new(patch), by: by.clone() }
    };
    match &edit.action {
        EditAction::Add { uid, .. } => {
            let given_up = find(&list.items, *uid).is_some_and(|item| item.status.is_terminal());
            let mut patch = Draft { status: Status::Pending, ..Draft::default() };
            patch.given.insert(Field::Status);
            given_up.then(|| set(*uid, patch))
        }
        EditAction::Set { items } => {
            let touched = items.first()?;
            let otherwise = |item: &Item| touched.asked.iter().any(|field| !item.same(*field, &touched.to));
            let there: Vec<&Item> = items.iter().filter_map(|touched| find(&list.items, touched.uid)).collect();
            let mut patch = touched.to.clone();
            patch.given.clone_from(&touched.asked);
            let target = Target::Uids(there.iter().map(|item| item.uid).collect());
            there.into_iter().any(otherwise).then(|| Change::Set { target, patch: Box::new(patch), by })
        }
        EditAction::Move { uid, position, .. } => {
            let to = Position::parse(position).ok()?;
            let here = slot_of(&list.items, *uid)?;
            (here.number() != *position).then(|| Change::Move { target: Target::Uids(vec![*uid]), to, client })
        }
        EditAction::Delete { removed, .. } | EditAction::Clear { removed } => {
            let back: Vec<Uuid> =
                removed.iter().map(|gone| gone.item.uid).filter(|uid| find(&list.items, *uid).is_some()).collect();
            (!back.is_empty()).then_some(Change::Delete { target: Target::Uids(back), client })
        }
        EditAction::Load { .. } | EditAction::Note { .. } => None,
    }
}
