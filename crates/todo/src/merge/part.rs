//! A part of a list: what it names is changed or added, everything else stays as it is.

use super::graves::Grave;
use super::level::{Merge, Place};
use super::settle::{Sent, settle};
use super::{Base, finish};
use crate::change::Applied;
use crate::list::{Ids, Memory, Stamp};
use crate::{Draft, Item, List, short};
use std::collections::HashMap;
use uuid::Uuid;

/// Takes over the items that `caller` sends, by our uid, by their id, or by their text; unknown ones are new.
///
/// # Errors
/// When an item that is not there has no content.
pub(crate) fn part(mut list: List, caller: &str, drafts: Vec<Draft>, stamp: &mut Stamp<'_>) -> crate::Result<Applied> {
    let memory = list.callers.remove(caller).unwrap_or_default();
    let head = std::mem::take(&mut list.items);
    let base = Base::of(&list, &head, caller, &memory);
    let ids = Ids::of(&head, list.ids_given);
    let mut merge = Merge::new(&base, ids, stamp);
    let mut refused = Vec::new();
    let items = level(&mut merge, &head, None, drafts, &mut refused)?;
    let done = merge.done;
    list.ids_given = merge.ids.given;
    list.items = items;
    let mut remarks: Vec<String> = refused
        .iter()
        .map(|content| format!("\"{content}\" is the user's and stays until it is done or the user removes it."))
        .collect();
    remarks.extend(finish(&mut list, &base, stamp));
    let sent = Sent { caller, base: &base, head: &head, now: &done, whole: false };
    let edits = settle(&mut list, &sent, &mut remarks, stamp);
    // What it said before still stands beside what it says now.
    let mut said = memory.said.clone();
    let mut order = memory.order.clone();
    order.extend(done.order.iter().filter(|uid| !memory.said.contains_key(*uid)));
    said.extend(done.said);
    list.callers.insert(caller.to_owned(), Memory { told: memory.told.clone(), wrote: true, said, order });
    let mut applied = Applied::of(list, String::new());
    applied.edits = edits;
    applied.remarks = remarks;
    Ok(applied)
}

fn level(
    merge: &mut Merge<'_, '_>,
    head: &[Item],
    parent: Option<Uuid>,
    drafts: Vec<Draft>,
    refused: &mut Vec<String>,
) -> crate::Result<Vec<Item>> {
    let base = merge.base;
    let graves: &[Grave] = base.graves.level(parent);
    let mut taken = vec![false; head.len()];
    let mut raised = vec![false; graves.len()];
    let mut changed: HashMap<Uuid, Option<Item>> = HashMap::new();
    let mut new = Vec::new();
    for (at, draft) in drafts.into_iter().enumerate() {
        let living: Vec<Place<'_>> = head.iter().map(Place::Living).collect();
        let found = find(merge, &living, &draft).filter(|place| !taken[*place]);
        if let Some(place) = found {
            taken[place] = true;
            let item = &head[place];
            if draft.deleted && base.protected.contains(&item.uid) {
                refused.push(short(&item.content));
                continue;
            }
            let next = if draft.deleted { None } else { Some(known(merge, item, draft, refused)?) };
            changed.insert(item.uid, next);
            continue;
        }
        if draft.deleted {
            continue;
        }
        let removed: Vec<Place<'_>> = graves.iter().map(Place::Removed).collect();
        if let Some(grave) = find(merge, &removed, &draft).filter(|grave| !std::mem::replace(&mut raised[*grave], true))
        {
            new.extend(merge.removed(&graves[grave], &draft));
            continue;
        }
        if draft.content.is_empty() {
            let named = draft.id.clone().or_else(|| draft.uid.map(|uid| uid.to_string())).unwrap_or_default();
            return Err(crate::Error::Item {
                path: format!("todos[{at}]"),
                problem: format!("names \"{}\", which is not in the list; send a \"content\" to add it", short(&named)),
            });
        }
        new.push(merge.new_item(&draft));
    }
    let stay = head.iter().filter_map(|item| match changed.remove(&item.uid) {
        Some(next) => next,
        None => Some(item.clone()),
    });
    Ok(stay.chain(new).collect())
}

fn find(merge: &Merge<'_, '_>, places: &[Place<'_>], draft: &Draft) -> Option<usize> {
    let by_uid = places.iter().position(|place| Some(place.item().uid) == draft.uid);
    let by_id = || places.iter().position(|place| draft.id.as_deref() == Some(place.item().id.as_str()));
    let by_text = || {
        let named = draft.id.is_some() || draft.uid.is_some() || draft.content.is_empty();
        let mut alike = places.iter().enumerate().filter(|_| !named);
        let found = alike.find(|(_, place)| merge.candidate(place).texts.contains(&draft.content.as_str()));
        found.map(|(at, _)| at)
    };
    by_uid.or_else(by_id).or_else(by_text)
}

fn known(merge: &mut Merge<'_, '_>, head: &Item, draft: Draft, refused: &mut Vec<String>) -> crate::Result<Item> {
    // What it did not say of the item it says as before.
    let mut whole = merge.base.said(head.uid).cloned().unwrap_or_else(|| Draft::of(head).alone());
    for field in &draft.given {
        whole.copy(*field, &draft);
    }
    let mut item = merge.base.decide(head, &draft, draft.given.iter().copied(), merge.stamp.now);
    merge.note(head.uid, whole);
    if !draft.subtasks.is_empty() {
        item.subtasks = level(merge, &head.subtasks, Some(head.uid), draft.subtasks, refused)?;
    }
    Ok(item)
}
