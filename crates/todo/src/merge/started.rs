//! Steps in progress: those that the user started stay so, and the agent's own give way to them.

use super::Base;
use super::level::Merged;
use crate::change::find;
use crate::list::Stamp;
use crate::{Edit, EditAction, EditState, Field, Item, List, Status, short};
use std::collections::HashSet;
use uuid::Uuid;

/// The items that the user started, by edits that the agent has not followed yet.
///
/// Of two choices the agent may follow one first. It stays a choice of the user's for as long as the other is open, or
/// the next list would set the one back in favour of the other.
pub(super) fn started(edits: &[Edit], head: &[Item]) -> HashSet<Uuid> {
    let in_progress = |uid: Uuid| find(head, uid).filter(|item| item.status == Status::InProgress);
    let mut started = HashSet::new();
    let mut followed = Vec::new();
    for edit in edits.iter().filter(|edit| edit.is_in_force()) {
        let starts = starts(edit);
        let is_of_several = matches!(&edit.action, EditAction::Set { items } if items.len() > 1);
        match edit.state {
            EditState::Reflected => followed.extend(starts.map(|uid| (uid, edit.at))),
            // Of several items, one that the agent overrode leaves the others as the user set them.
            EditState::Overridden if is_of_several => {
                started.extend(starts.filter(|uid| in_progress(*uid).is_some()));
            }
            _ if edit.is_open() => started.extend(starts),
            _ => {}
        }
    }
    let since = started.iter().filter_map(|uid| in_progress(*uid)).map(|item| item.status_at).min();
    let Some(since) = since else { return started };
    let stays = |(uid, at): (Uuid, jiff::Timestamp)| {
        in_progress(uid).filter(|item| at >= since && item.status_at <= at).map(|item| item.uid)
    };
    started.extend(followed.into_iter().filter_map(stays));
    started
}

/// The items that an edit may have started: their present status says whether they are.
fn starts(edit: &Edit) -> impl Iterator<Item = Uuid> {
    // An item that an undo put back was not chosen.
    let added = edit.added_items().filter(|_| !edit.inverse);
    let set = match &edit.action {
        EditAction::Set { items } => items.as_slice(),
        _ => &[],
    };
    let set = set.iter().filter(|touched| touched.asked.contains(&Field::Status));
    added.chain(set.filter(|touched| touched.to.status == Status::InProgress).map(|touched| touched.uid))
}

/// Keeps the user's item in progress where the agent has another one in progress.
pub(super) fn one_in_progress(
    list: &mut List,
    base: &Base<'_>,
    head: &[Item],
    done: &mut Merged,
    stamp: &Stamp<'_>,
) -> Vec<String> {
    let active = |item: &&Item| item.status == Status::InProgress;
    let users = |item: &Item| base.started.contains(&item.uid);
    let chosen: Vec<String> = list
        .items
        .iter()
        .filter(active)
        .filter(|item| users(item))
        .map(|item| format!("\"{}\"", short(&item.content)))
        .collect();
    if chosen.is_empty() {
        return match list.items.iter().filter(active).count() {
            0 | 1 => Vec::new(),
            count => {
                vec![format!("{count} items are in progress; one at a time is the norm, mark the others pending.")]
            }
        };
    }
    let mut put_back = Vec::new();
    let mut named = Vec::new();
    for item in list.items.iter_mut().filter(|item| item.status == Status::InProgress) {
        if users(item) {
            continue;
        }
        // A status that another caller set since stays: "in progress" may be mere repetition.
        let was = head.iter().find(|was| was.uid == item.uid && was.status != Status::InProgress);
        let others = |was: &&Item| base.last_sent(was.uid).is_none_or(|last| last.status != was.status);
        match was.filter(|was| was.status == Status::Pending || others(was)) {
            Some(was) => {
                (item.status, item.status_at) = (was.status, was.status_at);
                item.status_raw.clone_from(&was.status_raw);
            }
            None => (item.status, item.status_at) = (Status::Pending, stamp.now),
        }
        if item.status == Status::Pending {
            put_back.push(item.uid);
        }
        let name = item.status.name();
        named.push(format!("\"{}\" is {name}{}", short(&item.content), if name == "pending" { " again" } else { "" }));
    }
    // This counts as if the agent had sent it: once the user's choice is done, its own status is a decision again.
    for uid in &put_back {
        if let Some(last) = done.sent.get_mut(uid).filter(|last| last.status == Status::InProgress) {
            last.status = Status::Pending;
        }
    }
    match named.is_empty() {
        true => Vec::new(),
        false => vec![format!(
            "The user wants {} done now, so {}; work on the user's choice first.",
            chosen.join(" and "),
            named.join(" and ")
        )],
    }
}
