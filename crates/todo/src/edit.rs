//! The user's edits and how far each has come with the agent.

use crate::list::flat;
use crate::{Draft, Field, Item, List, Stamp, short};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashSet};
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
    /// The user brought it back since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub back: bool,
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
    /// The items that its dependencies meant before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub meant: Vec<Option<Uuid>>,
}

impl Touched {
    /// What an item is now, beside what it was.
    pub(crate) fn between(before: &Item, after: &Item, position: String) -> Option<Self> {
        let (from, to) = (Draft::of(before), Draft::of(after));
        let fields: BTreeSet<Field> = Field::ALL.into_iter().filter(|field| !from.same(*field, &to)).collect();
        let (from, to) = (from.only(&fields), to.only(&fields));
        let content = before.content.clone();
        let meant = before.depends_on_uids.clone();
        let asked = fields.clone();
        (!fields.is_empty()).then_some(Self { uid: after.uid, content, position, asked, fields, from, to, meant })
    }

    /// Sets the fields back that nobody has changed since; gives those that somebody has.
    pub(crate) fn take_back(&self, item: &mut Item, now: Timestamp) -> (BTreeSet<Field>, BTreeSet<Field>) {
        let (back, left): (BTreeSet<Field>, BTreeSet<Field>) =
            self.fields.iter().partition(|field| item.same(**field, &self.to));
        for field in &back {
            item.set(*field, &self.from, now);
        }
        if back.contains(&Field::DependsOn) {
            item.depends_on_uids.clone_from(&self.meant);
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
    /// Left the agent a line.
    Note {
        /// What it says.
        text: String,
    },
    /// Put another list in the place of the one there was.
    Load {
        /// What went, and where from.
        removed: Vec<Removed>,
        /// What came.
        added: Vec<Uuid>,
        /// What is in both, and was otherwise.
        changed: Vec<Touched>,
        /// What is in both, with the rank that it had.
        stayed: BTreeMap<Uuid, String>,
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
    /// The agent overrode or ignored it, and the user wants it all the same.
    #[serde(default)]
    pub insisted: bool,
    /// The opposite of that edit, which was undone before it was heard: told only when it turns out that it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dormant: Option<Uuid>,
}

impl Edit {
    /// One that the agent has yet to hear of.
    pub(crate) fn new(action: EditAction, client: String, revision: u64, stamp: &mut Stamp<'_>) -> Self {
        Self {
            id: (stamp.uid)(),
            client,
            revision,
            action,
            state: EditState::Queued,
            at: stamp.now,
            delivered: None,
            repeats: 0,
            undone: false,
            inverse: false,
            insisted: false,
            dormant: None,
        }
    }

    /// The items that it took out.
    #[must_use]
    pub fn removed(&self) -> &[Removed] {
        match &self.action {
            EditAction::Add { .. } | EditAction::Set { .. } | EditAction::Move { .. } | EditAction::Note { .. } => &[],
            EditAction::Delete { removed, .. } | EditAction::Clear { removed } | EditAction::Load { removed, .. } => {
                removed
            }
        }
    }

    /// Those of them that the user did not bring back.
    pub(crate) fn gone(&self) -> impl Iterator<Item = &Removed> {
        self.removed().iter().filter(|gone| !gone.back)
    }

    pub(crate) fn removed_mut(&mut self) -> &mut [Removed] {
        match &mut self.action {
            EditAction::Add { .. } | EditAction::Set { .. } | EditAction::Move { .. } | EditAction::Note { .. } => {
                &mut []
            }
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
            EditAction::Delete { .. } => {
                let mut gone = self.gone();
                gone.next().filter(|_| gone.next().is_none()).map(|one| one.item.uid)
            }
            EditAction::Set { items } => match items.as_slice() {
                [one] => Some(one.uid),
                _ => None,
            },
            EditAction::Clear { .. } | EditAction::Load { .. } | EditAction::Note { .. } => None,
        }
    }

    /// What it is about, in short: the text of one item, the texts of several.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.action {
            EditAction::Add { content, .. } | EditAction::Move { content, .. } => content.clone(),
            EditAction::Delete { .. } => named(self.gone().map(|gone| gone.item.content.as_str())),
            EditAction::Set { items } => named(items.iter().map(|touched| touched.content.as_str())),
            EditAction::Clear { .. } => format!("{} items", self.gone().count()),
            EditAction::Load { added, stayed, .. } => format!("{} items", added.len() + stayed.len()),
            EditAction::Note { text } => text.clone(),
        }
    }

    /// What was made of it, in words: `status completed, notes "…"`, `to 2`; `None` where the kind says all.
    #[must_use]
    pub fn detail(&self) -> Option<String> {
        match &self.action {
            EditAction::Set { items } => {
                let said: Vec<String> = items.iter().map(|touched| touched.to.said(&touched.asked)).collect();
                if said.windows(2).all(|pair| pair[0] == pair[1]) {
                    return said.into_iter().next();
                }
                // Each to a value of its own, as an undo does.
                let each =
                    items.iter().zip(said).map(|(touched, said)| format!("\"{}\" {said}", short(&touched.content)));
                Some(each.collect::<Vec<_>>().join("; "))
            }
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

    /// The agent has yet to hear of it, or to answer.
    pub(crate) fn is_unsettled(&self) -> bool {
        matches!(self.state, EditState::Queued | EditState::Delivered)
    }

    /// Items that the user put into the list and that silence does not remove.
    pub(crate) fn brought(&self) -> impl Iterator<Item = Uuid> {
        let added = match &self.action {
            EditAction::Add { uid, .. } => Some(*uid),
            _ => None,
        };
        added.into_iter().chain(self.loaded())
    }

    pub(crate) fn settle(&mut self, state: EditState, now: Timestamp) {
        self.state = state;
        self.at = now;
    }

    fn removes(&self, uid: Uuid) -> bool {
        self.gone().any(|gone| flat(std::slice::from_ref(&gone.item)).any(|(item, _)| item.uid == uid))
    }

    /// Whether a later edit took the place of this one altogether.
    fn is_covered_by(&self, later: &[&Self]) -> bool {
        let removed = |uid: Uuid| later.iter().any(|edit| edit.removes(uid));
        match &self.action {
            EditAction::Add { uid, .. } => removed(*uid),
            EditAction::Set { items } => items.iter().all(|touched| {
                let again = |field: &Field| later.iter().any(|edit| edit.sets(touched.uid, *field));
                removed(touched.uid) || touched.asked.iter().all(again)
            }),
            EditAction::Move { uid, .. } => {
                let moved = |edit: &&Self| match &edit.action {
                    EditAction::Move { uid: again, .. } => again == uid,
                    EditAction::Load { stayed, .. } => stayed.contains_key(uid),
                    _ => false,
                };
                removed(*uid) || later.iter().any(moved)
            }
            EditAction::Delete { .. } | EditAction::Clear { .. } => {
                let back: HashSet<Uuid> = later.iter().flat_map(|edit| edit.loaded()).collect();
                !self.removed().is_empty() && self.gone().all(|gone| back.contains(&gone.item.uid))
            }
            EditAction::Load { .. } => later.iter().any(|edit| matches!(edit.action, EditAction::Load { .. })),
            EditAction::Note { .. } => false,
        }
    }

    /// Items whose fields it set.
    pub(crate) fn set_items(&self) -> &[Touched] {
        match &self.action {
            EditAction::Set { items } => items,
            EditAction::Load { changed, .. } => changed,
            _ => &[],
        }
    }

    /// Whether it set that field of that item.
    pub(crate) fn sets(&self, uid: Uuid, field: Field) -> bool {
        self.set_items().iter().any(|touched| touched.uid == uid && touched.fields.contains(&field))
    }

    /// The items of the list that it loaded.
    pub(crate) fn loaded(&self) -> impl Iterator<Item = Uuid> {
        let (added, stayed) = match &self.action {
            EditAction::Load { added, stayed, .. } => (Some(added), Some(stayed)),
            _ => (None, None),
        };
        added.into_iter().flatten().copied().chain(stayed.into_iter().flat_map(|stayed| stayed.keys().copied()))
    }
}

/// One text as it is; several by their number and beginnings: `3 items: A, B, C`.
fn named<'a>(contents: impl Iterator<Item = &'a str>) -> String {
    const NAMED: usize = 8;
    let contents: Vec<&str> = contents.collect();
    if let [one] = contents.as_slice() {
        return (*one).to_owned();
    }
    let beginnings: Vec<String> = contents.iter().take(NAMED).map(|content| short(content)).collect();
    let more = if contents.len() > NAMED { ", …" } else { "" };
    format!("{} items: {}{more}", contents.len(), beginnings.join(", "))
}

impl List {
    /// A caller was sent an answer with these edits, and with the list as `told` where that was in it; gives the edits
    /// that changed.
    ///
    /// One that was undone while the answer was on its way is told the other way round.
    pub fn heard(
        &mut self,
        caller: &str,
        told: Option<Vec<Item>>,
        edits: &[Uuid],
        call: Option<&str>,
        now: Timestamp,
    ) -> Vec<Uuid> {
        match told {
            Some(_) => self.callers.entry(caller.to_owned()).or_default().told = told,
            None => self.learn(caller, edits, now),
        }
        let taken_back = |edit: &&Edit| (edit.undone || !edit.stands()) && edits.contains(&edit.id);
        let undone: HashSet<Uuid> = self.edits.iter().filter(taken_back).map(|edit| edit.id).collect();
        let mut changed = Vec::new();
        for edit in &mut self.edits {
            if edit.dormant.is_some_and(|of| undone.contains(&of)) {
                edit.dormant = None;
                edit.settle(EditState::Queued, now);
            } else if edit.state == EditState::Queued && edits.contains(&edit.id) {
                edit.settle(EditState::Delivered, now);
                edit.delivered = Some((now, call.map(str::to_owned)));
            } else {
                continue;
            }
            changed.push(edit.id);
        }
        changed
    }

    /// Closes edits whose place a later one took, and opens those again whose later one was taken back: told if they
    /// were told, otherwise to be told. Gives those that changed.
    pub(crate) fn supersede(&mut self, stamp: &Stamp<'_>) -> Vec<Uuid> {
        let mut changed = Vec::new();
        for at in (0..self.edits.len()).rev() {
            let (edit, later) = (&self.edits[at], &self.edits[at + 1..]);
            let later: Vec<&Edit> = later.iter().filter(|edit| edit.stands() && !edit.inverse).collect();
            let covered = edit.is_covered_by(&later);
            let state = match edit.state {
                _ if edit.undone || edit.dormant.is_some() => continue,
                _ if edit.is_open() && covered => EditState::Superseded,
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
