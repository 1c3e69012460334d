//! The user's edits and how far each has come with the agent.

use crate::list::flat;
use crate::{Draft, Field, Item, List, Stamp};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use uuid::Uuid;

/// How far an edit has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EditState {
    /// The agent has not heard of it.
    Queued,
    /// It was in the result of one of the agent's calls.
    Delivered,
    /// The agent's list follows it.
    Reflected,
    /// The agent decided otherwise.
    Overridden,
    /// Two lists after delivery still go on as before.
    Ignored,
    /// Undone before anybody heard of it, or a later edit took its place.
    Superseded,
}

/// A removed item and where it stood.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Removed {
    /// The item as it was.
    pub item: Item,
    /// Its rank, to be put back at its place.
    pub rank: String,
    /// The item whose subtask it was.
    pub parent: Option<Uuid>,
    /// The callers that, once told, sent a list without it; if one of them sends the item again, it means it.
    #[serde(default)]
    pub dropped_by: BTreeSet<String>,
}

/// An item with fields that were set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Touched {
    /// Which.
    pub uid: Uuid,
    /// What it said before.
    pub content: String,
    /// Where it stood, as people count.
    pub position: String,
    /// What was set, with what follows from it: a new text has no old `activeForm`.
    pub fields: BTreeSet<Field>,
    /// What the user asked for, and the agent is held to.
    pub asked: BTreeSet<Field>,
    /// The values before, of those fields only.
    pub from: Draft,
    /// The values since.
    pub to: Draft,
}

impl Touched {
    /// What an item is now, beside what it was.
    pub(crate) fn between(before: &Item, after: &Item, position: String) -> Option<Self> {
        let (from, to) = (Draft::of(before), Draft::of(after));
        let fields: BTreeSet<Field> = Field::ALL.into_iter().filter(|field| !from.same(*field, &to)).collect();
        let (from, to) = (from.only(&fields), to.only(&fields));
        let content = before.content.clone();
        (!fields.is_empty()).then(|| Self {
            uid: after.uid,
            content,
            position,
            asked: fields.clone(),
            fields,
            from,
            to,
        })
    }

    /// Sets the fields back that nobody has changed since; gives those that somebody has.
    pub(crate) fn take_back(&self, item: &mut Item, now: Timestamp) -> (BTreeSet<Field>, BTreeSet<Field>) {
        let (back, left): (BTreeSet<Field>, BTreeSet<Field>) =
            self.fields.iter().partition(|field| item.same(**field, &self.to));
        for field in &back {
            item.set(*field, &self.from, now);
        }
        (back, left)
    }
}

/// What an edit did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum EditAction {
    /// Put an item in, or back in.
    Add {
        /// Which.
        uid: Uuid,
        /// What it said.
        content: String,
        /// Where, as people count.
        position: String,
    },
    /// Took items out, with their subtasks.
    Delete {
        /// Which, and where from.
        removed: Vec<Removed>,
        /// Where they stood, as people count.
        position: String,
    },
    /// Took all items out.
    Clear {
        /// Which, and where from.
        removed: Vec<Removed>,
    },
    /// Set the status or other fields of items.
    Set {
        /// Which, and what.
        items: Vec<Touched>,
    },
    /// Put an item elsewhere on its level.
    Move {
        /// Which.
        uid: Uuid,
        /// What it said.
        content: String,
        /// The rank that it had.
        rank: String,
        /// The rank that it has since.
        to_rank: String,
        /// Where it stood, as people count.
        from: String,
        /// Where it stands since.
        position: String,
    },
    /// Put another list in the place of the one there was.
    Load {
        /// What went, and where from.
        removed: Vec<Removed>,
        /// What came.
        added: Vec<Uuid>,
        /// What is in both, and was otherwise.
        changed: Vec<Touched>,
    },
}

/// One edit of the user's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Edit {
    /// Names it.
    pub id: Uuid,
    /// The client that made it; each window undoes its own.
    pub client: String,
    /// The revision it made.
    pub revision: u64,
    /// What it did.
    pub action: EditAction,
    /// How far it has come.
    pub state: EditState,
    /// Since when.
    pub at: Timestamp,
    /// When it was told, and by which call.
    pub delivered: Option<(Timestamp, Option<String>)>,
    /// How many lists after delivery went on as before.
    pub repeats: u8,
    /// It was taken back by an undo.
    pub undone: bool,
    /// It is the opposite of an edit that was taken back; a plain undo passes it over.
    pub inverse: bool,
}

impl Edit {
    /// The items that it took out.
    #[must_use]
    pub fn removed(&self) -> &[Removed] {
        match &self.action {
            EditAction::Add { .. } | EditAction::Set { .. } | EditAction::Move { .. } => &[],
            EditAction::Delete { removed, .. } | EditAction::Clear { removed } | EditAction::Load { removed, .. } => {
                removed
            }
        }
    }

    pub(crate) fn removed_mut(&mut self) -> &mut [Removed] {
        match &mut self.action {
            EditAction::Add { .. } | EditAction::Set { .. } | EditAction::Move { .. } => &mut [],
            EditAction::Delete { removed, .. } | EditAction::Clear { removed } | EditAction::Load { removed, .. } => {
                removed
            }
        }
    }

    /// The one item that it is about; `None` where there are several, or all.
    #[must_use]
    pub fn uid(&self) -> Option<Uuid> {
        match &self.action {
            EditAction::Add { uid, .. } | EditAction::Move { uid, .. } => Some(*uid),
            EditAction::Delete { removed, .. } => match removed.as_slice() {
                [one] => Some(one.item.uid),
                _ => None,
            },
            EditAction::Set { items } => match items.as_slice() {
                [one] => Some(one.uid),
                _ => None,
            },
            EditAction::Clear { .. } | EditAction::Load { .. } => None,
        }
    }

    /// What it is about, in short.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.action {
            EditAction::Add { content, .. } | EditAction::Move { content, .. } => content.clone(),
            EditAction::Delete { removed, .. } => match removed.as_slice() {
                [one] => one.item.content.clone(),
                several => format!("{} items", several.len()),
            },
            EditAction::Set { items } => match items.as_slice() {
                [one] => one.content.clone(),
                several => format!("{} items", several.len()),
            },
            EditAction::Clear { removed } => format!("{} items", removed.len()),
            EditAction::Load { added, .. } => format!("{} items", added.len()),
        }
    }

    /// What was made of it, in words: `status completed, notes "…"`, `to 2`; `None` where the kind says all.
    #[must_use]
    pub fn detail(&self) -> Option<String> {
        match &self.action {
            EditAction::Set { items } => items.first().map(|touched| touched.to.said(&touched.asked)),
            EditAction::Move { position, .. } => Some(format!("to {position}")),
            _ => None,
        }
    }

    /// It was not taken back and nothing took its place: what it removed stays away.
    pub(crate) fn stands(&self) -> bool {
        !self.undone && self.state != EditState::Superseded
    }

    /// The agent may still follow it.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.state, EditState::Queued | EditState::Delivered | EditState::Ignored)
    }

    pub(crate) fn settle(&mut self, state: EditState, now: Timestamp) {
        self.state = state;
        self.at = now;
    }

    fn removes(&self, uid: Uuid) -> bool {
        self.removed().iter().any(|gone| flat(std::slice::from_ref(&gone.item)).any(|(item, _)| item.uid == uid))
    }

    /// Whether a later edit took the place of this one altogether.
    fn is_covered_by(&self, later: &[&Self]) -> bool {
        let removed = |uid: Uuid| later.iter().any(|edit| edit.removes(uid));
        match &self.action {
            EditAction::Add { uid, .. } => removed(*uid),
            EditAction::Set { items } => items.iter().all(|touched| {
                let set_again = |field: &Field| {
                    later.iter().any(|edit| match &edit.action {
                        EditAction::Set { items } => {
                            items.iter().any(|again| again.uid == touched.uid && again.fields.contains(field))
                        }
                        _ => false,
                    })
                };
                removed(touched.uid) || touched.asked.iter().all(set_again)
            }),
            EditAction::Move { uid, .. } => {
                let moved = |edit: &&Self| matches!(edit.action, EditAction::Move { uid: again, .. } if again == *uid);
                removed(*uid) || later.iter().any(moved)
            }
            EditAction::Delete { .. } | EditAction::Clear { .. } | EditAction::Load { .. } => false,
        }
    }
}

impl List {
    /// Closes edits whose place a later one took, and opens those again whose later one was taken back: told if they
    /// were told, otherwise to be told. Gives those that changed.
    pub(crate) fn supersede(&mut self, stamp: &Stamp<'_>) -> Vec<Uuid> {
        let mut changed = Vec::new();
        for at in (0..self.edits.len()).rev() {
            let (edit, later) = (&self.edits[at], &self.edits[at + 1..]);
            let later: Vec<&Edit> = later.iter().filter(|edit| edit.stands() && !edit.inverse).collect();
            let covered = edit.is_covered_by(&later);
            let state = match edit.state {
                _ if edit.undone => continue,
                EditState::Queued | EditState::Delivered | EditState::Ignored if covered => EditState::Superseded,
                EditState::Superseded if !covered && edit.delivered.is_some() => EditState::Delivered,
                EditState::Superseded if !covered => EditState::Queued,
                _ => continue,
            };
            let edit = &mut self.edits[at];
            edit.settle(state, stamp.now);
            changed.push(edit.id);
        }
        changed
    }
}
