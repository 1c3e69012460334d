//! The user's edits, and the state of each with the agent.

use crate::list::flat;
use crate::{Field, Fields, Item, List, Stamp, short};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use uuid::Uuid;

/// The state of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EditState {
    /// The agent has not received it.
    Queued,
    /// It was in the result of one of the agent's calls.
    Delivered,
    /// The agent's list follows it.
    Reflected,
    /// The agent set it otherwise after it was delivered.
    Overridden,
    /// Two lists after delivery still do not follow it.
    Ignored,
    /// Undone before it was delivered, or replaced by a later edit.
    Superseded,
}

/// A removed item and its place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Removed {
    /// The item as it was.
    pub item: Item,
    /// Its rank, by which it is put back at its place.
    pub rank: SmolStr,
    /// The item whose subtask it was.
    pub parent: Option<Uuid>,
    /// The callers that sent a list without it after the removal was delivered; if one of them sends the item again,
    /// that is a decision.
    #[serde(default)]
    pub dropped_by: BTreeSet<String>,
    /// The user brought it back since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub back: bool,
}

/// An item with fields that were set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Touched {
    /// The item.
    pub uid: Uuid,
    /// Its content before.
    pub content: String,
    /// Its position, counted from 1.
    pub position: String,
    /// The fields that were set, and those that follow from them: a new text drops the old `activeForm`.
    pub fields: BTreeSet<Field>,
    /// The fields that the user asked for, and that the agent is expected to follow.
    pub asked: BTreeSet<Field>,
    /// The values before, of those fields only.
    pub from: Fields,
    /// The values after it.
    pub to: Fields,
    /// The items that its dependencies meant before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub meant: Vec<Option<Uuid>>,
}

impl Touched {
    /// The difference between two states of an item; `None` where they have the same fields.
    pub(crate) fn between(before: &Item, after: &Item, position: String) -> Option<Self> {
        let fields: BTreeSet<Field> = Field::ALL.into_iter().filter(|field| !before.same(*field, after)).collect();
        let (from, to) = (before.only(&fields), after.only(&fields));
        let content = before.content.clone();
        let meant = before.depends_on_uids.clone();
        let asked = fields.clone();
        (!fields.is_empty()).then_some(Self { uid: after.uid, content, position, asked, fields, from, to, meant })
    }

    /// Sets the fields back that nobody has changed since; returns those, and the others.
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

/// An item that went to the other level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Leveled {
    /// The item.
    pub uid: Uuid,
    /// Its content.
    pub content: String,
    /// Its place before.
    pub from: Place,
    /// Its place since.
    pub to: Place,
    /// The content of the item that it is a subtask of since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under: Option<String>,
}

/// A place in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The item whose subtasks it is among.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Uuid>,
    /// The rank there.
    pub rank: SmolStr,
    /// The position, counted from 1.
    pub position: String,
}

impl Leveled {
    /// True if the item is where the edit put it.
    pub(crate) fn is_there(&self, items: &[Item]) -> bool {
        let there = flat(items).find(|(item, _)| item.uid == self.uid);
        there.is_some_and(|(item, parent)| parent == self.to.parent && item.rank == self.to.rank)
    }
}

/// The action of an edit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum EditAction {
    /// Added an item, or put it back.
    Add {
        /// The item.
        uid: Uuid,
        /// Its content.
        content: String,
        /// Its position, counted from 1.
        position: String,
    },
    /// Removed items, with their subtasks.
    Delete {
        /// The items and their places.
        removed: Vec<Removed>,
        /// Their positions, counted from 1.
        position: String,
    },
    /// Removed all items.
    Clear {
        /// The items and their places.
        removed: Vec<Removed>,
    },
    /// Set the status or other fields of items.
    Set {
        /// The items and their values.
        items: Vec<Touched>,
    },
    /// Moved an item within its level.
    Move {
        /// The item.
        uid: Uuid,
        /// Its content.
        content: String,
        /// The rank that it had.
        rank: SmolStr,
        /// The rank that it has since.
        to_rank: SmolStr,
        /// Its former position.
        from: String,
        /// Where it stands since.
        position: String,
    },
    /// Moved items to the other level, each after the one whose subtask it becomes.
    Level {
        /// The items and their places.
        items: Vec<Leveled>,
    },
    /// Left a message to the agent.
    Note {
        /// Its text.
        text: String,
    },
    /// Replaced the list by another one.
    Load {
        /// The items that were removed, and their places.
        removed: Vec<Removed>,
        /// The items that came.
        added: Vec<Uuid>,
        /// Items in both lists with other values.
        changed: Vec<Touched>,
        /// Items in both lists, with the ranks that they had.
        stayed: BTreeMap<Uuid, SmolStr>,
        /// Those of them that were on another level, with the item that they were subtasks of.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        levels: BTreeMap<Uuid, Option<Uuid>>,
    },
}

/// An edit of the user's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Edit {
    /// Its identifier.
    pub id: Uuid,
    /// The client that made it; each window undoes its own.
    pub client: String,
    /// The revision that it made.
    pub revision: u64,
    /// Its action.
    pub action: EditAction,
    /// Its state.
    pub state: EditState,
    /// The time since which it is in that state.
    pub at: Timestamp,
    /// The time of its delivery, and the call whose result had it.
    pub delivered: Option<(Timestamp, Option<String>)>,
    /// The number of lists after delivery that did not follow it.
    pub repeats: u8,
    /// It was undone.
    pub undone: bool,
    /// It is the opposite of an edit that was undone; an undo without an id skips it.
    pub inverse: bool,
    /// The agent overrode or ignored it, and the user sent it again.
    #[serde(default)]
    pub insisted: bool,
    /// The edit that this one is the opposite of, where that was undone before it was delivered: this one is delivered
    /// only if the other turns out to have been delivered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dormant: Option<Uuid>,
}

impl Edit {
    /// An edit that is not delivered.
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

    /// The items that it removed.
    #[must_use]
    pub fn removed(&self) -> &[Removed] {
        match &self.action {
            EditAction::Add { .. }
            | EditAction::Set { .. }
            | EditAction::Move { .. }
            | EditAction::Level { .. }
            | EditAction::Note { .. } => &[],
            EditAction::Delete { removed, .. } | EditAction::Clear { removed } | EditAction::Load { removed, .. } => {
                removed
            }
        }
    }

    /// The removed items that the user did not bring back.
    pub(crate) fn still_removed(&self) -> impl Iterator<Item = &Removed> {
        self.removed().iter().filter(|gone| !gone.back)
    }

    pub(crate) fn removed_mut(&mut self) -> &mut [Removed] {
        match &mut self.action {
            EditAction::Add { .. }
            | EditAction::Set { .. }
            | EditAction::Move { .. }
            | EditAction::Level { .. }
            | EditAction::Note { .. } => &mut [],
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
                let mut gone = self.still_removed();
                gone.next().filter(|_| gone.next().is_none()).map(|one| one.item.uid)
            }
            EditAction::Set { items } => match items.as_slice() {
                [one] => Some(one.uid),
                _ => None,
            },
            EditAction::Level { items } => match items.as_slice() {
                [one] => Some(one.uid),
                _ => None,
            },
            EditAction::Clear { .. } | EditAction::Load { .. } | EditAction::Note { .. } => None,
        }
    }

    /// Its subject in short: the text of one item, the beginnings of several.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.action {
            EditAction::Add { content, .. } | EditAction::Move { content, .. } => content.clone(),
            EditAction::Delete { .. } => named(self.still_removed().map(|gone| gone.item.content.as_str())),
            EditAction::Set { items } => named(items.iter().map(|touched| touched.content.as_str())),
            EditAction::Level { items } => named(items.iter().map(|leveled| leveled.content.as_str())),
            EditAction::Clear { .. } => format!("{} items", self.still_removed().count()),
            EditAction::Load { added, stayed, .. } => format!("{} items", added.len() + stayed.len()),
            EditAction::Note { text } => text.clone(),
        }
    }

    /// The new values in words: `status completed, notes "…"`, `to 2`; `None` where the kind is enough.
    #[must_use]
    pub fn detail(&self) -> Option<String> {
        match &self.action {
            EditAction::Set { items } => {
                let said: Vec<String> = items.iter().map(|touched| touched.to.in_words(&touched.asked)).collect();
                if said.windows(2).all(|pair| pair[0] == pair[1]) {
                    return said.into_iter().next();
                }
                // Each item to a value of its own, as after an undo.
                let each =
                    items.iter().zip(said).map(|(touched, said)| format!("\"{}\" {said}", short(&touched.content)));
                Some(each.collect::<Vec<_>>().join("; "))
            }
            EditAction::Move { position, .. } => Some(format!("to {position}")),
            EditAction::Level { items } => Some(places(items)),
            _ => None,
        }
    }

    /// It was neither undone nor superseded: items that it removed stay removed.
    pub(crate) fn is_in_force(&self) -> bool {
        !self.undone && self.state != EditState::Superseded
    }

    /// The agent may still follow it.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.state, EditState::Queued | EditState::Delivered | EditState::Ignored)
    }

    /// It is not delivered, or the agent has not answered it; a message to the agent needs no answer.
    pub(crate) fn is_unsettled(&self) -> bool {
        match self.state {
            EditState::Queued => true,
            EditState::Delivered => !matches!(self.action, EditAction::Note { .. }),
            _ => false,
        }
    }

    /// Items that the user put into the list and that stay although an agent leaves them out.
    pub(crate) fn added_items(&self) -> impl Iterator<Item = Uuid> {
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
        self.still_removed().any(|gone| flat(std::slice::from_ref(&gone.item)).any(|(item, _)| item.uid == uid))
    }

    /// True if later edits replace this one altogether.
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
                    _ => edit.levels(*uid),
                };
                removed(*uid) || later.iter().any(moved)
            }
            EditAction::Level { items } => {
                items.iter().all(|leveled| removed(leveled.uid) || later.iter().any(|edit| edit.levels(leveled.uid)))
            }
            EditAction::Delete { .. } | EditAction::Clear { .. } => {
                let back: HashSet<Uuid> = later.iter().flat_map(|edit| edit.loaded()).collect();
                !self.removed().is_empty() && self.still_removed().all(|gone| back.contains(&gone.item.uid))
            }
            EditAction::Load { .. } => later.iter().any(|edit| matches!(edit.action, EditAction::Load { .. })),
            EditAction::Note { .. } => false,
        }
    }

    /// True if it put that item on a level, or all of them on theirs.
    fn levels(&self, uid: Uuid) -> bool {
        match &self.action {
            EditAction::Level { items } => items.iter().any(|leveled| leveled.uid == uid),
            EditAction::Load { stayed, .. } => stayed.contains_key(&uid),
            _ => false,
        }
    }

    /// The levels on which items were before it, by the item whose subtasks they were.
    pub(crate) fn levels_before(&self) -> Vec<(Uuid, Option<Uuid>)> {
        match &self.action {
            EditAction::Level { items } => items.iter().map(|leveled| (leveled.uid, leveled.from.parent)).collect(),
            EditAction::Load { levels, .. } => levels.iter().map(|(uid, parent)| (*uid, *parent)).collect(),
            _ => Vec::new(),
        }
    }

    /// Items whose fields it set.
    pub(crate) fn touched(&self) -> &[Touched] {
        match &self.action {
            EditAction::Set { items } => items,
            EditAction::Load { changed, .. } => changed,
            _ => &[],
        }
    }

    /// True if it set that field of that item.
    pub(crate) fn sets(&self, uid: Uuid, field: Field) -> bool {
        self.touched().iter().any(|touched| touched.uid == uid && touched.fields.contains(&field))
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

/// The places of items on their new level: `to 1.2, 1.3, as subtasks of "A"`.
fn places(items: &[Leveled]) -> String {
    const NAMED: usize = 8;
    let end = |under: Option<&String>, count: usize| match (under, count) {
        (Some(under), 1) => format!("as a subtask of \"{}\"", short(under)),
        (Some(under), _) => format!("as subtasks of \"{}\"", short(under)),
        (None, 1) => "as a step of its own".to_owned(),
        (None, _) => "as steps of their own".to_owned(),
    };
    let more = if items.len() > NAMED { ", …" } else { "" };
    if items.windows(2).all(|pair| pair[0].to.parent == pair[1].to.parent) {
        let to: Vec<&str> = items.iter().take(NAMED).map(|leveled| leveled.to.position.as_str()).collect();
        let under = items.first().and_then(|leveled| leveled.under.as_ref());
        return format!("to {}{more}, {}", to.join(", "), end(under, items.len()));
    }
    let each = items.iter().take(NAMED).map(|leveled| {
        format!("\"{}\" to {}, {}", short(&leveled.content), leveled.to.position, end(leveled.under.as_ref(), 1))
    });
    format!("{}{more}", each.collect::<Vec<_>>().join("; "))
}

/// One text as it is; several as their number and beginnings: `3 items: A, B, C`.
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
    /// Notes that a caller received an answer with these edits, and with the list where that was in it, without the
    /// steps of others; returns the edits that changed.
    ///
    /// Of an edit that was undone while the answer was on its way, the opposite is delivered next.
    pub fn delivered(
        &mut self,
        caller: &str,
        known_list: Option<Vec<Item>>,
        edits: &[Uuid],
        call: Option<&str>,
        now: Timestamp,
    ) -> Vec<Uuid> {
        match known_list {
            Some(items) => {
                let others = self.others(caller);
                let memory = self.callers.entry(caller.to_owned()).or_default();
                memory.was_given(&items, &others.hidden(&items));
                let is_whole = others.is_empty();
                memory.known_list = Some(Arc::new(if is_whole { items } else { others.visible(&items) }));
            }
            None => self.delivered_without_list(caller, edits, now),
        }
        let taken_back = |edit: &&Edit| (edit.undone || !edit.is_in_force()) && edits.contains(&edit.id);
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

    /// Closes edits that a later one replaced, and opens those again whose later one was undone: as delivered if they
    /// were delivered, otherwise as queued. Returns those that changed.
    pub(crate) fn supersede(&mut self, stamp: &Stamp<'_>) -> Vec<Uuid> {
        let mut changed = Vec::new();
        for at in (0..self.edits.len()).rev() {
            let (edit, later) = (&self.edits[at], &self.edits[at + 1..]);
            let later: Vec<&Edit> = later.iter().filter(|edit| edit.is_in_force() && !edit.inverse).collect();
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
