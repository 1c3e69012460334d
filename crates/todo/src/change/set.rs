//! The status or other fields of items are set.

use super::add::remember;
use super::remove::numbers;
use super::{Applied, By, Target};
use crate::edit::Touched;
use crate::list::{Stamp, flat};
use crate::others::Apart;
use crate::position::Slot;
use crate::{Draft, EditAction, Error, Field, Fields, Item, List, Result, Status, depends, merge, short};
use std::collections::{BTreeSet, HashMap};
use texts::{Text, all as say};
use uuid::Uuid;

pub(super) fn set(
    mut list: List,
    (target, patch): (&Target, &Draft),
    by: By,
    apart: &Apart,
    stamp: &mut Stamp<'_>,
) -> Result<Applied> {
    if patch.given.contains(Field::Status) && (patch.deleted || patch.status == Status::Unknown) {
        let word =
            patch.status_raw.clone().unwrap_or_else(|| if patch.deleted { "deleted" } else { "unknown" }.to_owned());
        return Err(Error::StatusWord(word));
    }
    if patch.given.contains(Field::Priority) && patch.extra.contains_key("priority") {
        return Err(Error::PriorityWord);
    }
    let slots = target.slots(&list.items)?;
    let sent = match &by {
        By::User { .. } => Vec::new(),
        By::Agent { caller } => merge::sent_with_patch(&mut list, caller, (&slots, patch), apart),
    };
    let mut items = Vec::with_capacity(slots.len());
    for slot in &slots {
        let Some(item) = slot_mut(&mut list.items, *slot) else { continue };
        items.push(touch(item, patch, slot.number(), stamp));
    }
    if patch.given.contains(Field::DependsOn)
        && let Some(refused) = depends::resolve(&mut list.items, &|_| false, &HashMap::new()).first()
    {
        return Err(Error::Circle { items: format!("\"{}\" waits for \"{}\"", refused.content, refused.on) });
    }
    let message = message(patch, &items, &numbers(&slots));
    match by {
        By::User { client } => {
            let nothing = items.iter().all(|touched| touched.from == touched.to);
            let done = Applied::of(list, message);
            Ok(if nothing { done } else { done.with_edit(EditAction::Set { items }, client, stamp) })
        }
        By::Agent { caller } => {
            let mut memory = list.callers.remove(&caller).unwrap_or_default();
            let mut edits = Vec::new();
            let parents: HashMap<Uuid, Option<Uuid>> =
                flat(&list.items).map(|(item, parent)| (item.uid, parent)).collect();
            for (uid, draft) in sent {
                memory.sends(uid, draft, parents.get(&uid).copied().flatten());
            }
            for touched in &items {
                edits.extend(merge::settle_explicit(&mut list, touched.uid, patch, stamp));
            }
            remember(&mut list, caller, memory);
            let mut done = Applied::of(list, message);
            done.edits = edits;
            Ok(done)
        }
    }
}

/// Sets the given fields; the values before go into the edit.
fn touch(item: &mut Item, patch: &Draft, position: String, stamp: &Stamp<'_>) -> Touched {
    let asked: BTreeSet<Field> = patch.given.iter().collect();
    let mut fields = asked.clone();
    let mut to = (*patch.fields).clone();
    if fields.contains(&Field::Content) && !fields.contains(&Field::ActiveForm) {
        // The old form is that of the old text.
        fields.insert(Field::ActiveForm);
    }
    if fields.contains(&Field::Extra) {
        to.extra = patch.extra_over(&item.extra);
    }
    let meant = item.depends_on_uids.clone();
    let from = item.only(&fields);
    for field in &fields {
        item.set(*field, &to, stamp.now);
    }
    let to = item.only(&fields);
    let content = item_text(&from, item);
    Touched { uid: item.uid, content, position, fields, asked, from, to, meant }
}

fn item_text(from: &Fields, item: &Item) -> String {
    if from.content.is_empty() { item.content.clone() } else { from.content.clone() }
}

fn message(patch: &Draft, items: &[Touched], numbers: &str) -> Text {
    let only_status = patch.given.iter().all(|field| matches!(field, Field::Status | Field::Reason))
        && patch.given.contains(Field::Status);
    let given = patch.given.iter().collect();
    let (status, what) = (patch.status.name(), named(&given));
    match items {
        [one] if only_status => say::set_status(numbers, status, &one.content),
        [one] if patch.given.contains(Field::Content) => {
            say::changed_content(numbers, short(&one.content), &patch.content)
        }
        [one] => say::changed_fields(words(&given), numbers, &one.content)
            .in_english(format!("Changed the {what} of TODO at {numbers}: \"{}\"", one.content)),
        _ if only_status => say::set_status_of_several(items.len(), numbers, status),
        _ => say::changed_fields_of_several(words(&given), items.len(), numbers)
            .in_english(format!("Changed the {what} of {} TODOs at {numbers}", items.len())),
    }
}

/// Fields as a parameter of a text.
pub(super) fn words(fields: &BTreeSet<Field>) -> String {
    let word = |field: &Field| field.name().to_lowercase().replace(' ', "_");
    fields.iter().map(word).collect::<Vec<_>>().join(",")
}

/// Fields in a sentence: `priority and notes`.
pub(super) fn named(fields: &BTreeSet<Field>) -> String {
    fields.iter().map(|field| field.name()).collect::<Vec<_>>().join(" and ")
}

pub(crate) fn slot_mut(items: &mut [Item], slot: Slot) -> Option<&mut Item> {
    match slot {
        Slot::Top(at) => items.get_mut(at),
        Slot::Sub(parent, at) => items.get_mut(parent)?.subtasks.get_mut(at),
    }
}
