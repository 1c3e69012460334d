//! Changes as data, and applying them.

mod add;
mod insist;
mod level;
mod load;
mod place;
mod remove;
mod restore;
mod set;
mod undo;

pub(crate) use place::{put_in, take};
pub(crate) use set::slot_mut;

use crate::list::{Difference, Ids, Stamp, flat, has_unique_ids};
use crate::others::Apart;
use crate::position::{Position, Positions, slot_of};
use crate::{Draft, Edit, EditAction, EditState, Error, Item, List, Removed, Result};
use crate::{depends, limits, merge, rank, worked};
use std::collections::HashMap;
use texts::Text;
use uuid::Uuid;

/// The author of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// The user: the change is an edit, delivered to the agent and protected from its repetition.
    User {
        /// The client that made it; each window undoes its own.
        client: String,
    },
    /// An agent, step by step: its own decision.
    Agent {
        /// The caller whose memory of the list follows.
        caller: String,
    },
}

/// One change of one list.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// An agent sends its complete list, which is merged as [`merge`] describes.
    Replace {
        /// The caller whose memory is the base of the merge.
        caller: String,
        /// The items that were sent.
        drafts: Vec<Draft>,
    },
    /// An agent sends a part of its list: items that are not in it stay.
    Merge {
        /// The caller whose memory is the base of the merge.
        caller: String,
        /// The items that were sent, each with the fields that were given.
        drafts: Vec<Draft>,
    },
    /// Items are added.
    Add {
        /// The position of the first of them.
        position: Position,
        /// The items; the user adds one at a time.
        drafts: Vec<Draft>,
        /// The author.
        by: By,
    },
    /// The user removes items with their subtasks.
    Delete {
        /// The items.
        target: Target,
        /// The client that made it.
        client: String,
    },
    /// The user removes all items.
    Clear {
        /// The client that made it.
        client: String,
    },
    /// The status or other fields of items are set.
    Set {
        /// The items.
        target: Target,
        /// The fields that were given, as [`Draft::patch`] reads them.
        patch: Box<Draft>,
        /// The author.
        by: By,
    },
    /// The user moves an item within its level.
    Move {
        /// The item: one.
        target: Target,
        /// Its new position.
        to: Position,
        /// The client that made it.
        client: String,
    },
    /// The user moves items to the other level.
    Level {
        /// The items.
        target: Target,
        /// Out of the item whose subtasks they are, or else under the one above them.
        out: bool,
        /// The client that made it.
        client: String,
    },
    /// The user brings a removed item back, whoever removed it.
    Restore {
        /// The item as it was last, and its place.
        gone: Box<Removed>,
        /// The client that made it.
        client: String,
    },
    /// The user undoes an edit.
    Undo {
        /// The edit; the client's newest when `None`.
        edit: Option<Uuid>,
        /// The client that does it.
        client: String,
    },
    /// The user leaves a message to the agent.
    Note {
        /// 1 to 2,000 characters.
        text: String,
        /// The client that made it.
        client: String,
    },
    /// The user sends an edit again that the agent overrode or ignores.
    Insist {
        /// The edit; the newest such when `None`.
        edit: Option<Uuid>,
        /// The client that does it.
        client: String,
    },
    /// The list is archived as it is, and an empty one takes its place. An agent that does this begins anew: later lists
    /// are not compared with those that it sent before.
    Archive {
        /// The author.
        by: By,
    },
    /// The user replaces the list by another one; the items keep their uids and statuses.
    Load {
        /// The items of the other list.
        items: Vec<Item>,
        /// The client that made it.
        client: String,
    },
}

/// Items as they are named in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// By position.
    At(Positions),
    /// By their uids, whatever their positions are by now.
    Uids(Vec<Uuid>),
}

/// The result of a change.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// The list after it, one revision further.
    pub list: List,
    /// The items that it touched.
    pub difference: Difference,
    /// The edits that came or changed their state.
    pub edits: Vec<Uuid>,
    /// Settled edits that do not matter any more.
    pub forgotten: Vec<Uuid>,
    /// The edit that it made or undid.
    pub edit: Option<Uuid>,
    /// For people: `Added TODO at position 2: "x"`.
    pub message: Text,
    /// For the agent: parts of its list that were not taken over, and why. For the user: parts that an undo left.
    pub remarks: Vec<Text>,
    /// The list that the session has after it.
    pub next: NextList,
}

/// The list that a session has after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NextList {
    /// The same one.
    #[default]
    Same,
    /// Another one: that of before ends as it was.
    New,
    /// The one of before that revision, whose edit was undone while nothing had come after it.
    Back(u64),
}

/// Returns the list after a change, or an error that tells what to do. The list given is not touched.
///
/// # Errors
/// Those of positions, of drafts and of undo, each naming what to send instead.
pub fn apply(list: &List, change: Change, stamp: &mut Stamp<'_>) -> Result<Applied> {
    let is_undo = matches!(change, Change::Undo { .. });
    let is_replaced = matches!(change, Change::Archive { .. } | Change::Load { .. });
    let mut next = list.clone();
    next.revision += 1;
    let apart = Apart::take(&mut next, &change);
    let mut done = step(next, change, &apart, stamp)?;
    apart.put_back(&mut done.list);
    if !has_unique_ids(&done.list.items) {
        let mut ids = Ids::of(&done.list.items, done.list.ids_given);
        ids.make_unique(&mut done.list.items, &flat(&list.items).map(|(item, _)| item.uid).collect());
        done.list.ids_given = ids.given;
    }
    rank::assign(&mut done.list.items);
    place::note_new_ranks(&mut done);
    let refused = depends::resolve(&mut done.list.items, &|_| false, &HashMap::new());
    done.remarks.extend(refused.iter().map(depends::Refused::sentence));
    depends::derive(&mut done.list.items);
    worked::count(&list.items, &mut done.list.items, is_undo);
    done.forgotten = done.list.forget_old_edits();
    done.difference = Difference::between(&list.items, &done.list.items);
    if done.next == NextList::Same {
        done.next = next_list(list, &done.list, is_replaced);
    }
    limits::check_growth(list, &done.list, &done.difference)?;
    Ok(done)
}

/// A list ends when another one takes its place, and when it is emptied: by a clear, or by an agent that sends none.
fn next_list(before: &List, after: &List, is_replaced: bool) -> NextList {
    let (was_empty, is_empty) = (before.items.is_empty(), after.items.is_empty());
    let is_ended = if is_replaced { !(was_empty && is_empty) } else { is_empty && !was_empty };
    if is_ended { NextList::New } else { NextList::Same }
}

/// Makes a change to a list that may be consumed; ids, ranks and derived values follow after it.
fn step(next: List, change: Change, apart: &Apart, stamp: &mut Stamp<'_>) -> Result<Applied> {
    Ok(match change {
        Change::Replace { caller, drafts } => merge::replace(next, &caller, drafts, apart, stamp)?,
        Change::Merge { caller, drafts } => merge::part(next, &caller, drafts, apart, stamp)?,
        Change::Add { position, drafts, by } => add::add(next, (&position, drafts), by, apart, stamp)?,
        Change::Delete { target, client } => remove::delete(next, &target, client, stamp)?,
        Change::Clear { client } => remove::clear(next, client, stamp),
        Change::Set { target, patch, by } => set::set(next, (&target, &patch), by, apart, stamp)?,
        Change::Move { target, to, client } => place::move_to(next, &target, &to, client, stamp)?,
        Change::Level { target, out, client } => level::level(next, &target, out, client, stamp)?,
        Change::Restore { gone, client } => restore::restore(next, *gone, client, stamp)?,
        Change::Undo { edit, client } => undo::undo(next, edit, &client, stamp)?,
        Change::Note { text, client } => insist::note(next, &text, client, stamp)?,
        Change::Insist { edit, client } => insist::insist(next, edit, client, stamp)?,
        Change::Archive { by } => load::archive(next, by, apart, stamp),
        Change::Load { items, client } => load::load(next, items, client, stamp)?,
    })
}

impl Applied {
    /// Nothing changed: the list and the states of the user's edits are as before.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.difference.is_empty() && self.edits.is_empty()
    }

    pub(crate) fn of(list: List, message: Text) -> Self {
        let difference = Difference::default();
        let (edits, forgotten, remarks) = Default::default();
        Self { list, difference, edits, forgotten, edit: None, message, remarks, next: NextList::Same }
    }

    /// Adds a new edit of the user's, and closes the older ones that it replaces.
    fn with_edit(self, action: EditAction, client: String, stamp: &mut Stamp<'_>) -> Self {
        let edit = Edit::new(action, client, self.list.revision, stamp);
        self.with(edit, stamp)
    }

    fn with(mut self, edit: Edit, stamp: &Stamp<'_>) -> Self {
        let id = edit.id;
        self.list.edits.push(edit);
        self.edits.extend(self.list.supersede(stamp));
        self.edits.push(id);
        self.edit = Some(id);
        self
    }

    /// Settles the newest edit at once, since the agent never knew the items otherwise.
    fn settled(mut self, stamp: &Stamp<'_>) -> Self {
        if let Some(edit) = self.list.edits.last_mut() {
            edit.settle(EditState::Reflected, stamp.now);
        }
        self
    }
}

/// The item with that uid, on whichever level.
#[must_use]
pub fn find(items: &[Item], uid: Uuid) -> Option<&Item> {
    slot_of(items, uid).and_then(|slot| slot.item(items))
}

impl Target {
    /// The slots of the items that are meant, top to bottom.
    ///
    /// # Errors
    /// Those of [`Positions::slots`], or [`Error::NoItem`].
    pub fn slots(&self, items: &[Item]) -> Result<Vec<crate::position::Slot>> {
        match self {
            Self::At(positions) => positions.slots(items),
            Self::Uids(uids) => {
                let slot = |uid: &Uuid| slot_of(items, *uid).ok_or_else(|| Error::NoItem(uid.to_string()));
                let mut slots = uids.iter().map(slot).collect::<Result<Vec<_>>>()?;
                slots.sort_unstable();
                slots.dedup();
                Ok(slots)
            }
        }
    }
}
