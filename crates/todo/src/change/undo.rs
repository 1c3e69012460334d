//! The user undoes an edit: its inverse is applied to the present list, as a new revision.

use super::level::{level_back, levels_that_differ, put_at};
use super::place::put_back;
use super::restore::mark;
use super::set::{named, slot_mut, words};
use super::{Applied, NextList, find, take};
use crate::edit::Touched;
use crate::list::{Stamp, flat};
use crate::position::slot_of;
use crate::{Edit, EditAction, EditState, Error, Item, List, Removed, Result, short};
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use texts::{Text, all as say};
use uuid::Uuid;

pub(super) fn undo(mut list: List, edit: Option<Uuid>, client: &str, stamp: &mut Stamp<'_>) -> Result<Applied> {
    let found = match edit {
        Some(id) => list.edits.iter().position(|e| e.id == id).ok_or_else(|| Error::CannotUndo(id.to_string()))?,
        None => list.edits.iter().rposition(|e| own_to_undo(e, client, &list.items)).ok_or(Error::NothingToUndo)?,
    };
    let undone = list.edits[found].clone();
    let refused = || Error::CannotUndo(undone.id.to_string());
    if undone.undone {
        return Err(refused());
    }
    let delivered = undone.state != EditState::Queued;
    list.edits[found].undone = true;
    list.edits[found].settle(EditState::Superseded, stamp.now);
    let mut back = Back { left: Vec::new(), inverse: Vec::new(), marked: Vec::new() };
    let message = match &undone.action {
        EditAction::Add { uid, content, .. } => {
            let slot = slot_of(&list.items, *uid).ok_or_else(refused)?;
            let removed = take(&mut list.items, slot);
            back.marked = mark(&mut list, *uid, false);
            back.inverse.push(EditAction::Delete { removed: vec![removed], position: slot.number() });
            say::undone_add(content)
        }
        EditAction::Delete { removed, .. } | EditAction::Clear { removed } => {
            let restored = restore(&mut list.items, removed, &mut back);
            if !removed.is_empty() && restored.is_empty() {
                return Err(refused());
            }
            back.inverse.extend(restored);
            match removed.as_slice() {
                [one] => say::undone_delete(&one.item.content),
                several => say::undone_delete_of_several(several.len()),
            }
        }
        EditAction::Set { items } => {
            let restored = back.fields(&mut list.items, items, stamp);
            if restored.is_empty() {
                return Err(Error::ChangedSince(joined(&back.left)));
            }
            let fields: BTreeSet<_> = items.iter().flat_map(|touched| touched.asked.iter().copied()).collect();
            let message = match items.as_slice() {
                [one] => say::undone_set(words(&fields), &one.content).in_english(format!(
                    "Undone: changed the {} of \"{}\"",
                    named(&fields),
                    one.content
                )),
                several => say::undone_set_of_several(words(&fields), several.len()).in_english(format!(
                    "Undone: changed the {} of {} items",
                    named(&fields),
                    several.len()
                )),
            };
            back.inverse.push(EditAction::Set { items: restored });
            message
        }
        EditAction::Move { uid, content, rank, to_rank, .. } => {
            let inverse = move_back(&mut list.items, *uid, rank, to_rank)
                .ok_or_else(|| Error::ChangedSince(say::left_moved(short(content))))?;
            back.inverse.push(inverse);
            say::undone_move(content)
        }
        EditAction::Level { items } => {
            let inverse = level_back(&mut list.items, items, &mut back.left);
            if inverse.is_empty() {
                return Err(Error::ChangedSince(joined(&back.left)));
            }
            back.inverse.push(EditAction::Level { items: inverse });
            say::undone_move(undone.text())
        }
        // A message that was delivered cannot be undone.
        EditAction::Note { .. } if delivered => return Err(refused()),
        EditAction::Note { text } => say::undone_note(text),
        EditAction::Load { removed, added, changed, stayed, levels } => {
            let loaded = list.items.clone();
            let mut gone = Vec::new();
            for uid in added {
                if let Some(slot) = slot_of(&list.items, *uid) {
                    gone.push(take(&mut list.items, slot));
                }
            }
            let restored = back.fields(&mut list.items, changed, stamp);
            let mut ranks = BTreeMap::new();
            order_back(&mut list.items, stayed, &mut ranks);
            // An item that had subtasks is on the top before they come back, and one that was a subtask has its parent.
            for (uid, _) in levels.iter().filter(|(_, parent)| parent.is_none()) {
                put_at(&mut list.items, *uid, None, None);
            }
            let brought = restore(&mut list.items, removed, &mut back);
            // Subtasks leave first an item that becomes one.
            let is_top = |uid: &Uuid| list.items.iter().any(|item| item.uid == *uid);
            let mut under: Vec<_> =
                levels.iter().filter_map(|(uid, parent)| parent.map(|under| (is_top(uid), *uid, under))).collect();
            under.sort_unstable();
            for (_, uid, parent) in under {
                put_at(&mut list.items, uid, Some(parent), None);
            }
            let levels = levels_that_differ(&loaded, &list.items);
            let added = brought.iter().filter_map(EditAction::added).collect();
            back.inverse.push(EditAction::Load { removed: gone, added, changed: restored, stayed: ranks, levels });
            say::undone_load()
        }
    };
    let mut edits = vec![undone.id];
    edits.append(&mut back.marked);
    edits.extend(list.supersede(stamp));
    // Edits that are queued again need no inverse edit to be delivered.
    let queued: Vec<Edit> =
        list.edits.iter().filter(|e| edits.contains(&e.id) && e.state == EditState::Queued).cloned().collect();
    let mut done = Applied::of(list, message);
    done.edits = edits;
    done.remarks = back.left;
    // The opposite of a delivered edit is queued. An edit that was not delivered may be in an answer on its way.
    for action in back.inverse {
        if !is_queued_anyway(&action, &queued) {
            let edit = Edit::new(action, client.to_owned(), done.list.revision, stamp);
            let state = if delivered { EditState::Queued } else { EditState::Superseded };
            let inverse = Edit { inverse: true, dormant: (!delivered).then_some(undone.id), state, ..edit };
            done = done.with(inverse, stamp);
        }
    }
    done.edit = Some(undone.id);
    // The list counts one revision more by now.
    let is_newest = undone.revision + 1 == done.list.revision;
    done.next = match &undone.action {
        _ if is_newest => NextList::Back(undone.revision),
        // A list that was loaded and worked at since would be lost.
        EditAction::Load { .. } => NextList::New,
        _ => NextList::Same,
    };
    Ok(done)
}

fn is_queued_anyway(action: &EditAction, queued: &[Edit]) -> bool {
    let sets = |uid, field| queued.iter().any(|edit| edit.sets(uid, field));
    match action {
        EditAction::Add { uid, .. } => queued.iter().any(|edit| edit.action.added() == Some(*uid)),
        EditAction::Set { items } => {
            items.iter().all(|touched| touched.asked.iter().all(|field| sets(touched.uid, *field)))
        }
        EditAction::Move { uid, .. } => {
            queued.iter().any(|edit| matches!(edit.action, EditAction::Move { uid: moved, .. } if moved == *uid))
        }
        EditAction::Level { items } => {
            let levels_it = |edit: &Edit, uid| matches!(&edit.action, EditAction::Level { items } if items.iter().any(|item| item.uid == uid));
            items.iter().all(|leveled| queued.iter().any(|edit| levels_it(edit, leveled.uid)))
        }
        EditAction::Delete { removed, .. } => {
            let is_queued = |uid: Uuid| queued.iter().any(|edit| edit.still_removed().any(|gone| gone.item.uid == uid));
            removed.iter().all(|gone| is_queued(gone.item.uid))
        }
        _ => false,
    }
}

/// The parts that an undo left, and the edits that inform the agent of the others.
struct Back {
    left: Vec<Text>,
    inverse: Vec<EditAction>,
    /// Edits that removed items which the user had brought back.
    marked: Vec<Uuid>,
}

impl Back {
    /// Sets fields back that nobody has changed since; returns the fields that were set.
    fn fields(&mut self, items: &mut [Item], touched: &[Touched], stamp: &Stamp<'_>) -> Vec<Touched> {
        let mut restored = Vec::new();
        for touched in touched {
            let name = short(&touched.content);
            let Some(slot) = slot_of(items, touched.uid) else {
                self.left.push(say::left_gone(name));
                continue;
            };
            let Some(item) = slot_mut(items, slot) else { continue };
            let (back, left) = touched.take_back(item, stamp.now);
            if !left.is_empty() {
                let english = format!("the {} of \"{name}\" was changed since", named(&left));
                self.left.push(say::left_changed(words(&left), &name).in_english(english));
            }
            if !back.is_empty() {
                restored.push(Touched {
                    uid: touched.uid,
                    content: item.content.clone(),
                    position: slot.number(),
                    asked: touched.asked.intersection(&back).copied().collect(),
                    from: touched.to.only(&back),
                    to: touched.from.only(&back),
                    fields: back,
                    meant: Vec::new(),
                });
            }
        }
        restored
    }
}

/// The reasons in one text: all of them in English, the first one and the number of the others elsewhere.
fn joined(left: &[Text]) -> Text {
    let english = left.iter().map(|left| left.english.as_str()).collect::<Vec<_>>().join("; ");
    let first = left.first().cloned().unwrap_or_default();
    match left.len() {
        0 | 1 => first,
        count => say::and_others(&first, count - 1).with("problem", &first).in_english(english),
    }
}

/// Puts items back; returns an add for each.
fn restore(items: &mut Vec<Item>, removed: &[Removed], back: &mut Back) -> Vec<EditAction> {
    let mut restored = Vec::new();
    let mut alive: HashSet<Uuid> = flat(items).map(|(item, _)| item.uid).collect();
    for gone in removed {
        let content = gone.item.content.clone();
        // An item that the agent brought back itself is there already.
        if alive.contains(&gone.item.uid) {
            continue;
        }
        let mut gone = gone.clone();
        gone.item.subtasks.retain(|sub| !alive.contains(&sub.uid));
        match put_back(items, &gone) {
            Some(slot) => {
                alive.extend(flat(std::slice::from_ref(&gone.item)).map(|(item, _)| item.uid));
                restored.push(EditAction::Add { uid: gone.item.uid, content, position: slot.number() });
            }
            None => back.left.push(say::left_no_home(short(&content))),
        }
    }
    restored
}

/// Gives items the ranks that they had, and puts them in that order; the ranks until now go into `ranks`.
fn order_back(items: &mut [Item], had: &BTreeMap<Uuid, SmolStr>, ranks: &mut BTreeMap<Uuid, SmolStr>) {
    for item in items.iter_mut() {
        if let Some(rank) = had.get(&item.uid) {
            ranks.insert(item.uid, std::mem::replace(&mut item.rank, rank.clone()));
        }
        order_back(&mut item.subtasks, had, ranks);
    }
    items.sort_by(|a, b| a.rank.cmp(&b.rank));
}

fn move_back(items: &mut Vec<Item>, uid: Uuid, rank: &SmolStr, to_rank: &SmolStr) -> Option<EditAction> {
    let slot = slot_of(items, uid)?;
    if slot.item(items)?.rank != *to_rank {
        return None;
    }
    let mut moved = take(items, slot);
    moved.rank = rank.clone();
    let content = moved.item.content.clone();
    let to = put_back(items, &moved)?;
    let (rank, to_rank) = (to_rank.clone(), rank.clone());
    Some(EditAction::Move { uid, content, rank, to_rank, from: slot.number(), position: to.number() })
}

/// True if an undo without an id takes this edit: it is the client's own, and can still be undone.
fn own_to_undo(edit: &Edit, client: &str, items: &[Item]) -> bool {
    let same = |touched: &Touched| {
        let item = find(items, touched.uid);
        item.is_some_and(|item| touched.fields.iter().any(|field| item.same(*field, &touched.to)))
    };
    let there = match &edit.action {
        EditAction::Add { uid, .. } => find(items, *uid).is_some(),
        EditAction::Move { uid, to_rank, .. } => find(items, *uid).is_some_and(|item| item.rank == *to_rank),
        EditAction::Set { items } => items.iter().any(same),
        EditAction::Level { items: went } => went.iter().any(|leveled| leveled.is_there(items)),
        EditAction::Note { .. } => edit.state == EditState::Queued,
        EditAction::Delete { removed, .. } | EditAction::Clear { removed } => removed.iter().any(|gone| {
            let place = gone.parent.is_none_or(|parent| find(items, parent).is_some());
            place && find(items, gone.item.uid).is_none()
        }),
        EditAction::Load { .. } => true,
    };
    edit.client == client && !edit.undone && !edit.inverse && there
}

impl EditAction {
    fn added(&self) -> Option<Uuid> {
        match self {
            Self::Add { uid, .. } => Some(*uid),
            _ => None,
        }
    }
}
