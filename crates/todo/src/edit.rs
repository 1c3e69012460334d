//! The user's edits and how far each has come with the agent.

use crate::Item;
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
    /// Took one item out, with its subtasks.
    Delete {
        /// Which, and where from.
        removed: Vec<Removed>,
        /// Where it stood, as people count.
        position: String,
    },
    /// Took all items out.
    Clear {
        /// Which, and where from.
        removed: Vec<Removed>,
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
            EditAction::Add { .. } => &[],
            EditAction::Delete { removed, .. } | EditAction::Clear { removed } => removed,
        }
    }

    pub(crate) fn removed_mut(&mut self) -> &mut [Removed] {
        match &mut self.action {
            EditAction::Add { .. } => &mut [],
            EditAction::Delete { removed, .. } | EditAction::Clear { removed } => removed,
        }
    }

    /// The one item that it is about.
    #[must_use]
    pub fn uid(&self) -> Option<Uuid> {
        match &self.action {
            EditAction::Add { uid, .. } => Some(*uid),
            EditAction::Delete { removed, .. } => removed.first().map(|r| r.item.uid),
            EditAction::Clear { .. } => None,
        }
    }

    /// What it is about, in short.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.action {
            EditAction::Add { content, .. } => content.clone(),
            EditAction::Delete { removed, .. } => removed.first().map(|r| r.item.content.clone()).unwrap_or_default(),
            EditAction::Clear { removed } => format!("{} items", removed.len()),
        }
    }

    /// It still keeps what it removed from coming back by repetition.
    pub(crate) fn stands(&self) -> bool {
        !self.undone && !matches!(self.state, EditState::Superseded)
    }

    pub(crate) fn settle(&mut self, state: EditState, now: Timestamp) {
        self.state = state;
        self.at = now;
    }
}
