//! The user moves items to the other level: under the item above them, or out of the one that they belong to.

use super::add::insert;
use super::place::put_in;
use super::remove::numbers;
use super::{Applied, Target, take};
use crate::edit::{Leveled, Place};
use crate::list::{Stamp, flat};
use crate::position::{Slot, slot_of};
use crate::{EditAction, Error, Item, List, Result, short};
use smol_str::SmolStr;
use std::collections::{BTreeMap, HashMap};
use texts::{Text, all as say};
use uuid::Uuid;

pub(super) fn level(
    mut list: List,
    target: &Target,
    out: bool,
    client: String,
    stamp: &mut Stamp<'_>,
) -> Result<Applied> {
    let slots = target.slots(&list.items)?;
    // A subtask that is named beside its item comes along with it.
    let meant: Vec<Slot> = slots.iter().copied().filter(|slot| matches!(slot, Slot::Sub(..)) == out).collect();
    if meant.is_empty() {
        let position = slots.first().map(|slot| slot.number()).unwrap_or_default();
        return Err(if out { Error::OnTop(position) } else { Error::TooDeep(position) });
    }
    let mut items = if out { outdent(&mut list.items, &meant) } else { indent(&mut list.items, &meant)? };
    for item in &mut items {
        item.stands(&list.items);
    }
    let message = match (meant.as_slice(), out) {
        ([one], true) => say::outdented(one.number(), &items[0].content),
        ([one], false) => say::indented(one.number(), &items[0].content),
        (_, true) => say::outdented_several(meant.len(), numbers(&meant)),
        (_, false) => say::indented_several(meant.len(), numbers(&meant)),
    };
    Ok(Applied::of(list, message).with_edit(EditAction::Level { items }, client, stamp))
}

/// Each becomes the last subtask of the item above it, and its own subtasks follow it: there is no level below.
fn indent(items: &mut Vec<Item>, slots: &[Slot]) -> Result<Vec<Leveled>> {
    let mut went = Vec::new();
    let named: Vec<(Uuid, Slot)> =
        slots.iter().filter_map(|slot| slot.item(items).map(|item| (item.uid, *slot))).collect();
    for (uid, slot) in named {
        let at = items.iter().position(|item| item.uid == uid).unwrap_or_default();
        let above = at.checked_sub(1).ok_or_else(|| Error::NothingAbove(slot.number()))?;
        let mut item = items.remove(at);
        let subtasks = std::mem::take(&mut item.subtasks);
        went.push(Leveled::of(&item, None, slot.number()));
        let children = subtasks.iter().enumerate();
        went.extend(
            children.map(|(sub, child)| Leveled::of(child, Some(uid), format!("{}.{}", slot.number(), sub + 1))),
        );
        let come = std::iter::once(item).chain(subtasks).map(|item| Item { rank: SmolStr::default(), ..item });
        items[above].subtasks.extend(come);
    }
    Ok(went)
}

/// Each becomes a step of its own, right after the item that it belonged to.
fn outdent(items: &mut Vec<Item>, slots: &[Slot]) -> Vec<Leveled> {
    let mut went = Vec::new();
    // From the end, so that the places before stay what they are, and several keep their order.
    for slot in slots.iter().rev() {
        let Slot::Sub(parent, _) = slot else { continue };
        let gone = take(items, *slot);
        went.push(Leveled::of(&gone.item, gone.parent, slot.number()));
        insert(items, Slot::Top(parent + 1), Item { rank: SmolStr::default(), ..gone.item });
    }
    went.reverse();
    went
}

impl Leveled {
    /// An item that leaves its place; `to` is looked up when all are at theirs.
    fn of(item: &Item, parent: Option<Uuid>, position: String) -> Self {
        let from = Place { parent, rank: item.rank.clone(), position };
        Self { uid: item.uid, content: item.content.clone(), to: from.clone(), from, under: None }
    }

    /// Notes the place that it has now.
    fn stands(&mut self, items: &[Item]) {
        let Some(slot) = slot_of(items, self.uid) else { return };
        let parent = match slot {
            Slot::Top(_) => None,
            Slot::Sub(parent, _) => items.get(parent),
        };
        self.under = parent.map(|parent| parent.content.clone());
        let rank = slot.item(items).map(|item| item.rank.clone()).unwrap_or_default();
        self.to = Place { parent: parent.map(|parent| parent.uid), rank, position: slot.number() };
    }
}

/// Takes items back to the places from which they went, where they still are where they were put; returns the opposite
/// of what it did, and says which it left.
pub(super) fn level_back(items: &mut Vec<Item>, went: &[Leveled], left: &mut Vec<Text>) -> Vec<Leveled> {
    let mut back = Vec::new();
    for leveled in went {
        let name = short(&leveled.content);
        if !leveled.is_there(items) {
            left.push(say::left_moved(name));
        } else if put_at(items, leveled.uid, leveled.from.parent, Some(&leveled.from.rank)) {
            let again = Leveled { from: leveled.to.clone(), to: leveled.from.clone(), ..leveled.clone() };
            back.push(again);
        } else {
            left.push(say::left_no_level(name));
        }
    }
    for leveled in &mut back {
        leveled.stands(items);
    }
    // Those that went last come back first.
    back.reverse();
    back
}

/// Puts an item on a level, at the place of its rank. Left as it is where the item or its parent is not there, or where
/// its subtasks would be a level too deep.
pub(super) fn put_at(items: &mut Vec<Item>, uid: Uuid, parent: Option<Uuid>, rank: Option<&SmolStr>) -> bool {
    let has_home = parent.is_none_or(|parent| parent != uid && items.iter().any(|item| item.uid == parent));
    let is_whole = |item: &Item| parent.is_none() || item.subtasks.is_empty();
    let Some(slot) = slot_of(items, uid).filter(|slot| has_home && slot.item(items).is_some_and(is_whole)) else {
        return false;
    };
    let taken = take(items, slot);
    let rank = rank.cloned().unwrap_or(taken.rank);
    put_in(items, Item { rank, ..taken.item }, parent).is_some()
}

/// The levels of the items of one list that are on another one in a second list, by the item whose subtasks they are.
pub(super) fn levels_that_differ(of: &[Item], other: &[Item]) -> BTreeMap<Uuid, Option<Uuid>> {
    let there: HashMap<Uuid, Option<Uuid>> = flat(other).map(|(item, parent)| (item.uid, parent)).collect();
    let differs = |(item, parent): &(&Item, Option<Uuid>)| there.get(&item.uid).is_some_and(|under| under != parent);
    flat(of).filter(differs).map(|(item, parent)| (item.uid, parent)).collect()
}
