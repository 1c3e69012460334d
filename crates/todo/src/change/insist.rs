//! Messages to the agent, and edits that are sent again.

use super::{Applied, By, Change, Target, find, step};
use crate::edit::Touched;
use crate::list::Stamp;
use crate::others::Apart;
use crate::position::slot_of;
use crate::{Draft, Edit, EditAction, EditState, Error, List, Position, Result, Status, limits, short};
use std::collections::HashSet;
use texts::{Text, all as say};
use uuid::Uuid;

pub(super) fn note(list: List, text: &str, client: String, stamp: &mut Stamp<'_>) -> Result<Applied> {
    let text = text.trim().to_owned();
    let length = text.chars().count();
    if text.is_empty() || length > limits::TEXT_CHARS {
        return Err(Error::Item(say::note_length(length, limits::TEXT_CHARS)));
    }
    let message = say::note_pending(short(&text));
    Ok(Applied::of(list, message).with_edit(EditAction::Note { text }, client, stamp))
}

/// Makes an edit again, as a new one in its place, which is delivered with emphasis.
/// Where none is named, it is the newest that the agent overrode or ignores.
pub(super) fn insist(mut list: List, edit: Option<Uuid>, client: String, stamp: &mut Stamp<'_>) -> Result<Applied> {
    let open = |edit: &Edit| edit.is_in_force() && matches!(edit.state, EditState::Overridden | EditState::Ignored);
    let meant = |known: &Edit| open(known) && edit.is_none_or(|edit| known.id == edit);
    let Some(at) = list.edits.iter().rposition(meant) else {
        return Err(edit.map_or(Error::NothingToInsist, |edit| Error::CannotInsist(edit.to_string())));
    };
    let old = list.edits[at].clone();
    let again = again(&list, &old, &client);
    // Its items are removed by the new edit, or still removed.
    list.edits[at].settle(EditState::Superseded, stamp.now);
    let before: HashSet<Uuid> = list.edits.iter().map(|edit| edit.id).collect();
    let mut done = if again.is_empty() {
        // The list is as the user wants it: the edit only has to be delivered again.
        let action = old.action.clone();
        Applied::of(list, Text::default()).with_edit(action, client, stamp)
    } else {
        let mut done = Applied::of(list, Text::default());
        for change in again {
            let next = step(done.list, change, &Apart::default(), stamp)?;
            done = Applied { edits: [done.edits, next.edits].concat(), ..next };
        }
        done
    };
    for edit in done.list.edits.iter_mut().filter(|edit| !before.contains(&edit.id)) {
        edit.insisted = true;
        edit.settle(EditState::Queued, stamp.now);
    }
    done.message = say::insisted(short(&old.text()));
    done.edits.push(old.id);
    Ok(done)
}

/// The changes that make an edit again, where the list is not as it left it.
fn again(list: &List, edit: &Edit, client: &str) -> Vec<Change> {
    let (client, by) = (client.to_owned(), By::User { client: client.to_owned() });
    let set = |uid: Uuid, patch: Draft| {
        let target = Target::Uids(vec![uid]);
        Change::Set { target, patch: Box::new(patch), by: by.clone() }
    };
    match &edit.action {
        EditAction::Add { uid, .. } => {
            let given_up = find(&list.items, *uid).is_some_and(|item| item.status.is_terminal());
            given_up.then(|| set(*uid, Draft::of_status(Status::Pending, None))).into_iter().collect()
        }
        EditAction::Set { items } => {
            let otherwise = |touched: &Touched| {
                let item = find(&list.items, touched.uid);
                item.is_some_and(|item| touched.asked.iter().any(|field| !item.same(*field, &touched.to)))
            };
            if !items.iter().any(otherwise) {
                return Vec::new();
            }
            let all_same = items.windows(2).all(|pair| pair[0].to == pair[1].to && pair[0].asked == pair[1].asked);
            let patched = |touched: &Touched| Draft {
                given: touched.asked.iter().copied().collect(),
                fields: touched.to.clone().into(),
                ..Draft::default()
            };
            let there = items.iter().filter(|touched| find(&list.items, touched.uid).is_some());
            match items.first().filter(|_| all_same) {
                Some(first) => {
                    let target = Target::Uids(there.map(|touched| touched.uid).collect());
                    vec![Change::Set { target, patch: Box::new(patched(first)), by }]
                }
                // Each item to a value of its own, as after an undo.
                None => there.map(|touched| set(touched.uid, patched(touched))).collect(),
            }
        }
        EditAction::Move { uid, position, .. } => {
            let elsewhere = slot_of(&list.items, *uid).filter(|here| here.number() != *position);
            let to = elsewhere.and_then(|_| Position::parse(position).ok());
            to.map(|to| Change::Move { target: Target::Uids(vec![*uid]), to, client }).into_iter().collect()
        }
        EditAction::Delete { .. } | EditAction::Clear { .. } => {
            let gone = edit.still_removed().map(|gone| gone.item.uid);
            let back: Vec<Uuid> = gone.filter(|uid| find(&list.items, *uid).is_some()).collect();
            match back.is_empty() {
                true => Vec::new(),
                false => vec![Change::Delete { target: Target::Uids(back), client }],
            }
        }
        // An item leaves its level by the user alone: what the agent made of it is another one.
        EditAction::Level { .. } | EditAction::Load { .. } | EditAction::Note { .. } => Vec::new(),
    }
}
