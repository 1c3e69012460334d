//! Changes as data, and applying them.

use crate::list::{Difference, Stamp, flat};
use crate::position::{Position, Slot, slot_of};
use crate::{Draft, Edit, EditAction, EditState, Error, Item, List, Origin, Priority, Removed, Result, merge, rank};
use std::collections::BTreeSet;
use uuid::Uuid;

/// One change of one list.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// An agent sends its whole list; merged as [`merge`] says.
    Replace {
        /// Whose base the merge takes.
        caller: String,
        /// What was sent.
        drafts: Vec<Draft>,
    },
    /// The user adds an item.
    Add {
        /// Where.
        position: Position,
        /// What.
        draft: Box<Draft>,
        /// Which client did it.
        client: String,
    },
    /// The user removes an item with its subtasks.
    Delete {
        /// Which.
        target: Target,
        /// Which client did it.
        client: String,
    },
    /// The user removes all items.
    Clear {
        /// Which client did it.
        client: String,
    },
    /// The user takes an edit back.
    Undo {
        /// Which; the client's newest when `None`.
        edit: Option<Uuid>,
        /// Which client does it.
        client: String,
    },
}

/// An item as it is named in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// By its place.
    At(Position),
    /// By its uid, wherever it stands by now.
    Uid(Uuid),
}

/// What a change made of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// The list after it, one revision further.
    pub list: List,
    /// Which items it touched.
    pub difference: Difference,
    /// The edits that came or changed their state.
    pub edits: Vec<Uuid>,
    /// The edit that it made or took back.
    pub edit: Option<Uuid>,
    /// For people: `Added TODO at position 2: "x"`.
    pub message: String,
    /// For the agent: what its list did not change, and why.
    pub remarks: Vec<String>,
}

/// Applies a change: the list after it, or an error that says what to do. The list given is not touched.
///
/// # Errors
/// Those of [`Position`], and those of undo.
pub fn apply(list: &List, change: Change, stamp: &mut Stamp<'_>) -> Result<Applied> {
    let mut next = list.clone();
    next.revision += 1;
    let mut done = match change {
        Change::Replace { caller, drafts } => merge::replace(next, &caller, drafts, stamp),
        Change::Add { position, draft, client } => add(next, &position, *draft, client, stamp)?,
        Change::Delete { target, client } => delete(next, &target, client, stamp)?,
        Change::Clear { client } => clear(next, client, stamp),
        Change::Undo { edit, client } => undo(next, edit, &client, stamp)?,
    };
    rank::assign(&mut done.list.items);
    done.list.forget_old_edits();
    done.difference = Difference::between(&list.items, &done.list.items);
    Ok(done)
}

impl Applied {
    pub(crate) fn of(list: List, message: String) -> Self {
        let difference = Difference::default();
        Self { list, difference, edits: Vec::new(), edit: None, message, remarks: Vec::new() }
    }

    /// Notes a new edit of the user's.
    fn with_edit(mut self, action: EditAction, client: String, stamp: &mut Stamp<'_>) -> Self {
        let id = (stamp.uid)();
        self.list.edits.push(Edit {
            id,
            client,
            revision: self.list.revision,
            action,
            state: EditState::Queued,
            at: stamp.now,
            delivered: None,
            repeats: 0,
            undone: false,
            inverse: false,
        });
        self.edits.push(id);
        self.edit = Some(id);
        self
    }
}

/// The item with that uid, on whichever level.
#[must_use]
pub fn find(items: &[Item], uid: Uuid) -> Option<&Item> {
    slot_of(items, uid).and_then(|slot| slot.item(items))
}

fn add(mut list: List, position: &Position, draft: Draft, client: String, stamp: &mut Stamp<'_>) -> Result<Applied> {
    let slot = position.insertion(&list.items)?;
    if matches!(slot, Slot::Sub(..)) && !draft.subtasks.is_empty() {
        return Err(Error::Item {
            path: "subtasks".to_owned(),
            problem: "is too deep: a subtask has no subtasks of its own".to_owned(),
        });
    }
    let mut item = list.item(Draft { id: None, ..draft }, Origin::User, stamp);
    item.priority = item.priority.or(Some(Priority::Medium));
    let (uid, content) = (item.uid, item.content.clone());
    insert(&mut list.items, slot, item);
    let number = slot.number();
    let message = format!("Added TODO at position {number}: \"{content}\"");
    Ok(Applied::of(list, message).with_edit(EditAction::Add { uid, content, position: number }, client, stamp))
}

fn delete(mut list: List, target: &Target, client: String, stamp: &mut Stamp<'_>) -> Result<Applied> {
    let slot = match target {
        Target::At(position) => position.existing(&list.items)?,
        Target::Uid(uid) => slot_of(&list.items, *uid).ok_or_else(|| Error::NoItem(uid.to_string()))?,
    };
    let removed = take(&mut list.items, slot);
    let content = &removed.item.content;
    let number = slot.number();
    let message = match (slot, removed.item.subtasks.len()) {
        (Slot::Sub(..), _) => format!("Deleted subtask at {number}: \"{content}\""),
        (Slot::Top(_), 0) => format!("Deleted TODO at {number}: \"{content}\""),
        (Slot::Top(_), subtasks) => format!("Deleted TODO at {number}: \"{content}\" (and {subtasks} subtask(s))"),
    };
    let mut superseded = Vec::new();
    let told = supersede_add(&mut list, removed.item.uid, stamp, &mut superseded);
    let mut done = Applied::of(list, message);
    done.edits = superseded;
    let mut done = done.with_edit(EditAction::Delete { removed: vec![removed], position: number }, client, stamp);
    if !told {
        // The agent never knew of the item, so there is nothing to tell either.
        settle_newest(&mut done.list, stamp);
    }
    Ok(done)
}

/// Closes the add of an item that the user now removes; whether the agent has heard of the item.
fn supersede_add(list: &mut List, uid: Uuid, stamp: &Stamp<'_>, changed: &mut Vec<Uuid>) -> bool {
    let mut told = true;
    for edit in &mut list.edits {
        if matches!(edit.action, EditAction::Add { uid: added, .. } if added == uid) && edit.stands() {
            told = edit.state != EditState::Queued;
            if matches!(edit.state, EditState::Queued | EditState::Delivered | EditState::Ignored) {
                edit.settle(EditState::Superseded, stamp.now);
                changed.push(edit.id);
            }
        }
    }
    told
}

/// The add of an item that is back counts again: told if it was told, else to be told. Whether it is to be told.
fn restate_add(list: &mut List, uid: Uuid, stamp: &Stamp<'_>, changed: &mut Vec<Uuid>) -> bool {
    let mut queued = false;
    for edit in &mut list.edits {
        let adds_it = matches!(edit.action, EditAction::Add { uid: added, .. } if added == uid);
        if adds_it && !edit.undone && edit.state == EditState::Superseded {
            let state = if edit.delivered.is_some() { EditState::Delivered } else { EditState::Queued };
            edit.settle(state, stamp.now);
            changed.push(edit.id);
            queued |= state == EditState::Queued;
        }
    }
    queued
}

fn settle_newest(list: &mut List, stamp: &Stamp<'_>) {
    if let Some(edit) = list.edits.last_mut() {
        edit.settle(EditState::Reflected, stamp.now);
    }
}

fn clear(mut list: List, client: String, stamp: &mut Stamp<'_>) -> Applied {
    let removed: Vec<Removed> = std::mem::take(&mut list.items).into_iter().map(|item| grave(item, None)).collect();
    let mut superseded = Vec::new();
    for gone in &removed {
        for (item, _) in flat(std::slice::from_ref(&gone.item)) {
            supersede_add(&mut list, item.uid, stamp, &mut superseded);
        }
    }
    let nothing = removed.is_empty();
    let mut done = Applied::of(list, "TODO list cleared".to_owned());
    done.edits = superseded;
    let mut done = done.with_edit(EditAction::Clear { removed }, client, stamp);
    if nothing {
        settle_newest(&mut done.list, stamp);
    }
    done
}

/// An edit that this client's plain undo takes back: its own, and one that can still be taken back.
fn own_to_undo(edit: &Edit, client: &str, items: &[Item]) -> bool {
    let there = match edit.action {
        EditAction::Add { uid, .. } => find(items, uid).is_some(),
        EditAction::Delete { .. } | EditAction::Clear { .. } => true,
    };
    edit.client == client && !edit.undone && !edit.inverse && there
}

fn undo(mut list: List, edit: Option<Uuid>, client: &str, stamp: &mut Stamp<'_>) -> Result<Applied> {
    let found = match edit {
        Some(id) => list.edits.iter().position(|e| e.id == id).ok_or_else(|| Error::CannotUndo(id.to_string()))?,
        None => list.edits.iter().rposition(|e| own_to_undo(e, client, &list.items)).ok_or(Error::NothingToUndo)?,
    };
    if list.edits[found].undone {
        return Err(Error::CannotUndo(list.edits[found].id.to_string()));
    }
    let undone = list.edits[found].clone();
    let heard = undone.state != EditState::Queued;
    list.edits[found].undone = true;
    list.edits[found].settle(EditState::Superseded, stamp.now);
    let mut actions = Vec::new();
    let mut restated = Vec::new();
    let message = match &undone.action {
        EditAction::Add { uid, content, .. } => {
            let slot = slot_of(&list.items, *uid).ok_or_else(|| Error::CannotUndo(undone.id.to_string()))?;
            let removed = take(&mut list.items, slot);
            actions.push(EditAction::Delete { removed: vec![removed], position: slot.number() });
            format!("Undone: added \"{content}\"")
        }
        EditAction::Delete { removed, .. } | EditAction::Clear { removed } => {
            let before = flat(&list.items).count();
            for gone in removed {
                // An item that the agent brought back itself is there already.
                if find(&list.items, gone.item.uid).is_some() {
                    continue;
                }
                let Some(slot) = put_back(&mut list.items, gone) else { continue };
                if restate_add(&mut list, gone.item.uid, stamp, &mut restated) {
                    continue;
                }
                let content = gone.item.content.clone();
                actions.push(EditAction::Add { uid: gone.item.uid, content, position: slot.number() });
            }
            if !removed.is_empty() && flat(&list.items).count() == before {
                return Err(Error::CannotUndo(undone.id.to_string()));
            }
            match removed.len() {
                1 => format!("Undone: deleted \"{}\"", removed[0].item.content),
                count => format!("Undone: {count} items are back"),
            }
        }
    };
    let mut done = Applied::of(list, message);
    done.edits.push(undone.id);
    done.edits.append(&mut restated);
    if heard {
        // What the agent was told is taken back by telling it the opposite.
        for action in actions {
            done = done.with_edit(action, client.to_owned(), stamp);
            if let Some(edit) = done.list.edits.last_mut() {
                edit.inverse = true;
            }
        }
    }
    done.edit = Some(undone.id);
    Ok(done)
}

fn grave(item: Item, parent: Option<Uuid>) -> Removed {
    let rank = item.rank.clone();
    Removed { item, rank, parent, dropped_by: BTreeSet::new() }
}

fn take(items: &mut Vec<Item>, slot: Slot) -> Removed {
    match slot {
        Slot::Top(at) => grave(items.remove(at), None),
        Slot::Sub(parent, at) => {
            let uid = items[parent].uid;
            grave(items[parent].subtasks.remove(at), Some(uid))
        }
    }
}

fn insert(items: &mut Vec<Item>, slot: Slot, item: Item) {
    match slot {
        Slot::Top(at) => items.insert(at, item),
        Slot::Sub(parent, at) => items[parent].subtasks.insert(at, item),
    }
}

/// Puts a removed item back where its rank says; `None` when the item it belonged to is gone.
fn put_back(items: &mut Vec<Item>, gone: &Removed) -> Option<Slot> {
    let place = |level: &[Item]| level.partition_point(|item| item.rank < gone.rank);
    let slot = match gone.parent {
        None => Slot::Top(place(items)),
        Some(parent) => {
            let at = items.iter().position(|item| item.uid == parent)?;
            Slot::Sub(at, place(&items[at].subtasks))
        }
    };
    insert(items, slot, Item { rank: gone.rank.clone(), ..gone.item.clone() });
    Some(slot)
}
