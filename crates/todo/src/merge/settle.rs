//! How far the user's edits have come, by what the agent's list does with them.

use super::Base;
use super::level::Found;
use crate::edit::Touched;
use crate::list::{Stamp, flat};
use crate::{Draft, Edit, EditAction, EditState, Field, Item, List, Status, short};
use std::collections::HashSet;
use uuid::Uuid;

/// Lists after delivery that go on as before, until an edit counts as ignored.
const IGNORED_AFTER: u8 = 2;

/// What a caller sent, beside what it knew.
pub(super) struct Sent<'a> {
    pub(super) caller: &'a str,
    pub(super) base: &'a Base<'a>,
    /// The list before.
    pub(super) head: &'a [Item],
    pub(super) now: &'a Found,
    /// A whole list: what is not in it was left out.
    pub(super) whole: bool,
}

/// What a list says to an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// It follows it.
    Follows,
    /// It decides otherwise.
    Otherwise,
    /// It goes on as before.
    Repeats,
    /// It says nothing of it.
    Silent,
}

/// Moves the user's edits on; gives those that changed.
pub(super) fn settle(list: &mut List, sent: &Sent<'_>, remarks: &mut Vec<String>, stamp: &Stamp<'_>) -> Vec<Uuid> {
    let mut changed = Vec::new();
    let List { items, edits, .. } = list;
    for edit in edits.iter_mut().filter(|edit| edit.stands()) {
        let before = (edit.state, edit.repeats);
        let mut dropped = false;
        let verdict = match &edit.action {
            EditAction::Add { uid, .. } => verdict_of_add(sent, *uid),
            EditAction::Set { items: touched } => {
                let verdicts = touched.iter().map(|touched| verdict_of_set(touched, sent, items));
                together(&verdicts.collect::<Vec<_>>())
            }
            EditAction::Move { uid, .. } => verdict_of_move(*uid, sent),
            // It ends when it is told.
            EditAction::Note { .. } => Verdict::Silent,
            EditAction::Delete { .. } | EditAction::Clear { .. } | EditAction::Load { .. } => {
                dropped = note_dropped(edit, sent);
                verdict_of_removal(edit, sent, items, remarks)
            }
        };
        take(edit, verdict, stamp);
        if edit.state == EditState::Delivered && edit.repeats >= IGNORED_AFTER {
            edit.settle(EditState::Ignored, stamp.now);
        }
        if dropped || before != (edit.state, edit.repeats) {
            changed.push(edit.id);
        }
    }
    changed
}

/// Moves the edits of one item on, where an agent sets fields of it outright: that is a decision, never repetition.
pub(crate) fn explicit(list: &mut List, uid: Uuid, now: &Draft, stamp: &Stamp<'_>) -> Vec<Uuid> {
    let mut changed = Vec::new();
    for edit in list.edits.iter_mut().filter(|edit| edit.stands() && edit.is_open()) {
        let items = match &edit.action {
            EditAction::Add { uid: added, .. } if *added == uid => {
                let given_up = matches!(now.status, Status::Skipped | Status::Cancelled);
                edit.settle(if given_up { EditState::Overridden } else { EditState::Reflected }, stamp.now);
                changed.push(edit.id);
                continue;
            }
            EditAction::Set { items } => items,
            _ => continue,
        };
        let touched = items.iter().filter(|touched| touched.uid == uid);
        let fields = touched.flat_map(|touched| touched.asked.iter().map(move |field| (*field, &touched.to)));
        let decided: Vec<bool> =
            fields.filter(|(field, _)| now.given.contains(field)).map(|(field, to)| to.same(field, now)).collect();
        if decided.is_empty() {
            continue;
        }
        let follows = decided.into_iter().all(|same| same);
        edit.settle(if follows { EditState::Reflected } else { EditState::Overridden }, stamp.now);
        changed.push(edit.id);
    }
    changed
}

fn take(edit: &mut Edit, verdict: Verdict, stamp: &Stamp<'_>) {
    // What was removed and came back is overridden, however it was settled before.
    let came_back = verdict == Verdict::Otherwise && !edit.removed().is_empty() && edit.state == EditState::Reflected;
    if !edit.is_open() && !came_back {
        return;
    }
    match verdict {
        Verdict::Follows => edit.settle(EditState::Reflected, stamp.now),
        Verdict::Otherwise => edit.settle(EditState::Overridden, stamp.now),
        Verdict::Repeats if edit.state != EditState::Queued => edit.repeats = edit.repeats.saturating_add(1),
        Verdict::Repeats | Verdict::Silent => {}
    }
}

/// One verdict over several: one that is otherwise decides, then one that repeats; all that speak have to follow.
fn together(verdicts: &[Verdict]) -> Verdict {
    let any = |verdict| verdicts.contains(&verdict);
    if any(Verdict::Otherwise) {
        Verdict::Otherwise
    } else if any(Verdict::Repeats) {
        Verdict::Repeats
    } else if any(Verdict::Follows) {
        Verdict::Follows
    } else {
        Verdict::Silent
    }
}

fn verdict_of_add(sent: &Sent<'_>, uid: Uuid) -> Verdict {
    let given_up = |draft: &Draft| matches!(draft.status, Status::Skipped | Status::Cancelled);
    let was = sent.base.said(uid).is_some_and(given_up);
    match sent.now.said.get(&uid) {
        Some(draft) if given_up(draft) && !was => Verdict::Otherwise,
        Some(_) => Verdict::Follows,
        // Only who was told of it can leave it out.
        None if sent.whole && sent.base.told(uid).is_some() => Verdict::Repeats,
        None => Verdict::Silent,
    }
}

fn verdict_of_set(touched: &Touched, sent: &Sent<'_>, items: &[Item]) -> Verdict {
    let Some(now) = sent.now.said.get(&touched.uid) else {
        let alive = flat(items).any(|(item, _)| item.uid == touched.uid);
        // Left out by the agent: of a step that the user closed that is what was asked for.
        let closed = touched.asked.contains(&Field::Status) && touched.to.status.is_terminal();
        if sent.base.graves.hold(touched.uid) {
            return Verdict::Silent;
        }
        return match (alive, closed) {
            (true, _) if sent.whole => Verdict::Repeats,
            (true, _) => Verdict::Silent,
            (false, true) => Verdict::Follows,
            (false, false) => Verdict::Otherwise,
        };
    };
    let before = sent.base.said(touched.uid);
    let verdict = |field: &Field| {
        if touched.to.same(*field, now) {
            return Verdict::Follows;
        }
        // Its value before the first of the user's edits, where it never said any.
        let was = before.or_else(|| sent.base.set.get(&(touched.uid, *field))).unwrap_or(&touched.from);
        let told = sent.base.told(touched.uid);
        match was.same(*field, now) || told.is_some_and(|told| told.same(*field, now)) {
            true if now.is_silent(*field) => Verdict::Silent,
            true => Verdict::Repeats,
            // Never said before and left out now: no decision.
            false if before.is_none() && now.is_silent(*field) => Verdict::Silent,
            false => Verdict::Otherwise,
        }
    };
    together(&touched.asked.iter().map(verdict).collect::<Vec<_>>())
}

fn verdict_of_move(uid: Uuid, sent: &Sent<'_>) -> Verdict {
    let level = match sent.head.iter().any(|item| item.uid == uid) {
        true => sent.head,
        false => match sent.head.iter().find(|item| item.subtasks.iter().any(|sub| sub.uid == uid)) {
            Some(parent) => &parent.subtasks,
            None => return Verdict::Otherwise,
        },
    };
    if !sent.now.mentioned.contains(&uid) {
        return if sent.whole { Verdict::Repeats } else { Verdict::Silent };
    }
    let here: HashSet<Uuid> = level.iter().map(|item| item.uid).collect();
    let before = |order: &mut dyn Iterator<Item = Uuid>| {
        let mut before = None;
        for next in order.filter(|next| here.contains(next) && sent.now.mentioned.contains(next)) {
            if next == uid {
                break;
            }
            before = Some(next);
        }
        before
    };
    let users = before(&mut level.iter().map(|item| item.uid));
    if users == before(&mut sent.now.order.iter().copied()) {
        Verdict::Follows
    } else if sent.now.moved.contains(&uid) {
        Verdict::Otherwise
    } else {
        Verdict::Repeats
    }
}

/// Notes what the caller, which was told that it is gone, left out; whether that was new.
fn note_dropped(edit: &mut Edit, sent: &Sent<'_>) -> bool {
    let mut new = false;
    if edit.state == EditState::Queued {
        return false;
    }
    let left_out = |uid: &Uuid| sent.whole && heard_gone(sent, *uid) && !sent.now.mentioned.contains(uid);
    for gone in edit.removed_mut() {
        if left_out(&gone.item.uid) && !sent.base.alive.contains(&gone.item.uid) {
            new |= gone.dropped_by.insert(sent.caller.to_owned());
        }
    }
    new
}

/// The caller was told a list without it.
fn heard_gone(sent: &Sent<'_>, uid: Uuid) -> bool {
    sent.base.told.as_ref().is_some_and(|told| !told.contains_key(&uid))
}

fn verdict_of_removal(edit: &Edit, sent: &Sent<'_>, items: &[Item], remarks: &mut Vec<String>) -> Verdict {
    // What is in the list again, by a load or an undo of its own, is not removed any more.
    let gone: Vec<_> = edit.gone().filter(|gone| !sent.base.alive.contains(&gone.item.uid)).collect();
    if gone.iter().any(|gone| sent.now.returned.contains(&gone.item.uid)) {
        return Verdict::Otherwise;
    }
    let missing = match &edit.action {
        EditAction::Load { .. } => {
            let loaded: HashSet<Uuid> = edit.loaded().collect();
            let mut open = items.iter().filter(|item| !item.status.is_terminal() && loaded.contains(&item.uid));
            open.any(|item| !sent.now.mentioned.contains(&item.uid))
        }
        _ => false,
    };
    let repeated: Vec<_> = gone.iter().filter(|gone| sent.now.mentioned.contains(&gone.item.uid)).collect();
    if !repeated.is_empty() {
        let heard = edit.state != EditState::Queued && repeated.iter().any(|gone| heard_gone(sent, gone.item.uid));
        if heard {
            remarks.extend(repeated.iter().map(|gone| {
                let content = short(&gone.item.content);
                format!("The user removed \"{content}\"; it stays removed, leave it out of your list.")
            }));
        }
        return if heard { Verdict::Repeats } else { Verdict::Silent };
    }
    if !sent.whole || edit.state == EditState::Queued {
        return Verdict::Silent;
    }
    // Only who said it, or nobody, can be the one that follows.
    let its = |uid: Uuid| sent.base.said(uid).is_some() || !sent.base.others.contains(&uid);
    let follows = gone.iter().all(|gone| gone.dropped_by.contains(sent.caller) && its(gone.item.uid));
    match (missing, follows) {
        (true, _) => Verdict::Repeats,
        (false, true) if !edit.removed().is_empty() || matches!(edit.action, EditAction::Load { .. }) => {
            Verdict::Follows
        }
        (false, _) => Verdict::Silent,
    }
}
