//! Changes as data, and applying them.

mod add;
mod insist;
mod load;
mod place;
mod remove;
mod restore;
mod set;
mod undo;

pub(crate) use place::{put_in, take};
pub(crate) use set::slot_mut;

use crate::list::{Difference, Ids, Stamp, flat};
use crate::position::{Position, Positions, slot_of};
use crate::{Draft, Edit, EditAction, EditState, Error, Item, List, Removed, Result, depends, merge, rank, worked};
use std::collections::HashMap;
use uuid::Uuid;

/// Who changes a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// The user: the change is an edit, told to the agent and protected from its repetition.
    User {
        /// Which client did it; each window undoes its own.
        client: String,
    },
    /// An agent, step by step: its own decision.
    Agent {
        /// Whose memory of the list follows.
        caller: String,
    },
}

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
    /// An agent sends a part of its list: what is not in it stays.
    Merge {
        /// Whose base the merge takes.
        caller: String,
        /// What was sent; of each item the fields that were given.
        drafts: Vec<Draft>,
    },
    /// Items come in.
    Add {
        /// Where the first of them is to stand.
        position: Position,
        /// What; the user adds one at a time.
        drafts: Vec<Draft>,
        /// Who.
        by: By,
    },
    /// The user removes items with their subtasks.
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
    /// The status or other fields of items are set.
    Set {
        /// Which.
        target: Target,
        /// The fields that were given, as [`Draft::patch`] reads them.
        patch: Box<Draft>,
        /// Who.
        by: By,
    },
    /// The user puts an item elsewhere on its level.
    Move {
        /// Which: one.
        target: Target,
        /// Where it is to stand.
        to: Position,
        /// Which client did it.
        client: String,
    },
    /// The user brings an item back that is gone, whoever removed it.
    Restore {
        /// The item as it was last, and where it stood.
        gone: Box<Removed>,
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
    /// The user leaves the agent a line.
    Note {
        /// 1 to 2,000 characters.
        text: String,
        /// Which client did it.
        client: String,
    },
    /// The user insists on an edit that the agent overrode or ignores.
    Insist {
        /// Which; the newest such when `None`.
        edit: Option<Uuid>,
        /// Which client does it.
        client: String,
    },
    /// The list goes to the history as it is, and an empty one takes its place. An agent that does it begins anew: what
    /// it says after that is compared with nothing it said before.
    Archive {
        /// Who.
        by: By,
    },
    /// The user puts another list in the place of this one; the items keep their uids and statuses.
    Load {
        /// The items of the other list.
        items: Vec<Item>,
        /// Which client did it.
        client: String,
    },
}

/// Items as they are named in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// By place.
    At(Positions),
    /// By their uids, wherever they stand by now.
    Uids(Vec<Uuid>),
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
    /// Settled edits that count for nothing any more.
    pub forgotten: Vec<Uuid>,
    /// The edit that it made or took back.
    pub edit: Option<Uuid>,
    /// For people: `Added TODO at position 2: "x"`.
    pub message: String,
    /// For the agent: what its list did not change, and why. For the user: what an undo left.
    pub remarks: Vec<String>,
}

/// Applies a change: the list after it, or an error that says what to do. The list given is not touched.
///
/// # Errors
/// Those of positions, of drafts and of undo, each naming what to send instead.
pub fn apply(list: &List, change: Change, stamp: &mut Stamp<'_>) -> Result<Applied> {
    let is_undo = matches!(change, Change::Undo { .. });
    let mut next = list.clone();
    next.revision += 1;
    let mut done = step(next, change, stamp)?;
    let mut ids = Ids::of(&done.list.items, done.list.ids_given);
    ids.make_unique(&mut done.list.items, &flat(&list.items).map(|(item, _)| item.uid).collect());
    done.list.ids_given = ids.given;
    rank::assign(&mut done.list.items);
    place::note_new_ranks(&mut done);
    let refused = depends::resolve(&mut done.list.items, &|_| false, &HashMap::new());
    done.remarks.extend(refused.iter().map(depends::Refused::sentence));
    depends::derive(&mut done.list.items);
    worked::count(&list.items, &mut done.list.items, is_undo);
    done.forgotten = done.list.forget_old_edits();
    done.difference = Difference::between(&list.items, &done.list.items);
    Ok(done)
}

/// What a change makes of a list that is its own already; ids, ranks and what is derived come after it.
fn step(next: List, change: Change, stamp: &mut Stamp<'_>) -> Result<Applied> {
    Ok(match change {
        Change::Replace { caller, drafts } => merge::replace(next, &caller, drafts, stamp)?,
        Change::Merge { caller, drafts } => merge::part(next, &caller, drafts, stamp)?,
        Change::Add { position, drafts, by } => add::add(next, &position, drafts, by, stamp)?,
        Change::Delete { target, client } => remove::delete(next, &target, client, stamp)?,
        Change::Clear { client } => remove::clear(next, client, stamp),
        Change::Set { target, patch, by } => set::set(next, &target, &patch, by, stamp)?,
        Change::Move { target, to, client } => place::move_to(next, &target, &to, client, stamp)?,
        Change::Restore { gone, client } => restore::restore(next, *gone, client, stamp)?,
        Change::Undo { edit, client } => undo::undo(next, edit, &client, stamp)?,
        Change::Note { text, client } => insist::note(next, &text, client, stamp)?,
        Change::Insist { edit, client } => insist::insist(next, edit, client, stamp)?,
        Change::Archive { by } => load::archive(next, by, stamp),
        Change::Load { items, client } => load::load(next, items, client, stamp)?,
    })
}

impl Applied {
    /// Nothing came of it: the list, and what is known of the user's edits, is as it was.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.difference.is_empty() && self.edits.is_empty()
    }

    pub(crate) fn of(list: List, message: String) -> Self {
        let difference = Difference::default();
        Self { list, difference, edits: Vec::new(), forgotten: Vec::new(), edit: None, message, remarks: Vec::new() }
    }

    /// Notes a new edit of the user's, and the older ones whose place it takes.
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

    /// There is nothing for the agent to hear: it is as the edit says already, or it never knew otherwise.
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
