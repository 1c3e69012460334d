//! The states of the user's edits, as the agent's list follows them or not.

use super::Base;
use super::level::Merged;
use crate::edit::{Leveled, Touched};
use crate::list::{Stamp, flat};
use crate::{Draft, Edit, EditAction, EditState, Field, Item, List, Status, short};
use std::collections::HashSet;
use uuid::Uuid;

/// Lists after delivery that do not follow an edit, until it counts as ignored.
const IGNORED_AFTER: u8 = 2;

/// The list that a caller sent, and the base that it was merged with.
pub(super) struct Sent<'a> {
    pub(super) caller: &'a str,
    pub(super) base: &'a Base<'a>,
    /// The list before.
    pub(super) head: &'a [Item],
    pub(super) merged: &'a Merged,
    /// The list is complete: an item that is not in it was left out.
    pub(super) complete: bool,
}

/// The answer of a list to an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// The list follows the edit.
    Follows,
    /// The agent decided otherwise.
    Otherwise,
    /// The list repeats the value from before the edit.
    Repeats,
    /// The list has nothing about it.
    Silent,
}

/// Updates the states of the user's edits, and returns the edits that changed.
pub(super) fn settle(list: &mut List, sent: &Sent<'_>, remarks: &mut Vec<String>, stamp: &Stamp<'_>) -> Vec<Uuid> {
    let mut changed = Vec::new();
    let List { items, edits, .. } = list;
    for edit in edits.iter_mut().filter(|edit| edit.is_in_force() && sent.base.apart.concerns(edit)) {
        let before = (edit.state, edit.repeats);
        let mut dropped = false;
        let verdict = match &edit.action {
            EditAction::Add { uid, .. } => verdict_on_add(sent, *uid),
            EditAction::Set { items: touched } => {
                let seen = touched.iter().filter(|touched| !sent.base.apart.hides(touched.uid));
                let verdicts = seen.map(|touched| verdict_on_set(touched, sent, items));
                together(&verdicts.collect::<Vec<_>>())
            }
            EditAction::Move { uid, .. } => verdict_on_move(*uid, sent),
            EditAction::Level { items: went } => {
                let seen = went.iter().filter(|leveled| !sent.base.apart.hides(leveled.uid));
                together(&seen.map(|leveled| verdict_on_level(leveled, sent, items)).collect::<Vec<_>>())
            }
            // A message to the agent is settled by its delivery.
            EditAction::Note { .. } => Verdict::Silent,
            EditAction::Delete { .. } | EditAction::Clear { .. } | EditAction::Load { .. } => {
                dropped = note_dropped(edit, sent);
                verdict_on_removal(edit, sent, items, remarks)
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

/// Updates the states of the edits of one item, where an agent sets its fields one by one: that is a decision, never
/// repetition.
pub(crate) fn settle_explicit(list: &mut List, uid: Uuid, now: &Draft, stamp: &Stamp<'_>) -> Vec<Uuid> {
    let mut changed = Vec::new();
    for edit in list.edits.iter_mut().filter(|edit| edit.is_in_force() && edit.is_open()) {
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
            fields.filter(|(field, _)| now.given.contains(*field)).map(|(field, to)| to.same(field, now)).collect();
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
    // The removal of an item that came back is overridden, whatever state it had before.
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

/// One verdict for several: "otherwise" wins, then "repeats"; it follows where all that are not silent follow.
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

fn verdict_on_add(sent: &Sent<'_>, uid: Uuid) -> Verdict {
    let given_up = |draft: &Draft| matches!(draft.status, Status::Skipped | Status::Cancelled);
    let was = sent.base.last_sent(uid).is_some_and(given_up);
    match sent.merged.sent.get(&uid) {
        Some(draft) if given_up(draft) && !was => Verdict::Otherwise,
        Some(_) => Verdict::Follows,
        // Only a caller that knows of the item can leave it out.
        None if sent.complete && sent.base.known(uid).is_some() => Verdict::Repeats,
        None => Verdict::Silent,
    }
}

fn verdict_on_set(touched: &Touched, sent: &Sent<'_>, items: &[Item]) -> Verdict {
    let Some(now) = sent.merged.sent.get(&touched.uid) else {
        let alive = flat(items).any(|(item, _)| item.uid == touched.uid);
        // The agent left the item out, which is what the user asked for where the user closed it.
        let closed = touched.asked.contains(&Field::Status) && touched.to.status.is_terminal();
        if sent.base.removed.contains(touched.uid) {
            return Verdict::Silent;
        }
        return match (alive, closed) {
            (true, _) if sent.complete && !is_assignment(touched) => Verdict::Repeats,
            (true, _) => Verdict::Silent,
            (false, true) => Verdict::Follows,
            (false, false) => Verdict::Otherwise,
        };
    };
    let before = sent.base.last_sent(touched.uid);
    let verdict = |field: &Field| {
        if touched.to.same(*field, now) {
            return Verdict::Follows;
        }
        // An agent need not say whose its step is.
        if *field == Field::Owner && now.is_unset(*field) {
            return Verdict::Follows;
        }
        // Where the caller never sent a value, the value before the first of the user's edits counts.
        let was = before.map(|before| &*before.fields);
        let was = was.or_else(|| sent.base.before_edits.get(&(touched.uid, *field))).unwrap_or(&touched.from);
        let known = sent.base.known(touched.uid);
        match was.same(*field, now) || known.is_some_and(|known| known.same(*field, now)) {
            true if now.is_unset(*field) => Verdict::Silent,
            true => Verdict::Repeats,
            // Never sent before and left out now: no decision.
            false if before.is_none() && now.is_unset(*field) => Verdict::Silent,
            false => Verdict::Otherwise,
        }
    };
    together(&touched.asked.iter().map(verdict).collect::<Vec<_>>())
}

/// True if nothing but the owner was set.
fn is_assignment(touched: &Touched) -> bool {
    touched.asked.iter().all(|field| *field == Field::Owner)
}

fn verdict_on_level(leveled: &Leveled, sent: &Sent<'_>, items: &[Item]) -> Verdict {
    let uid = leveled.uid;
    if !sent.merged.sent.contains_key(&uid) {
        let is_alive = flat(items).any(|(item, _)| item.uid == uid);
        let was = flat(sent.head).find(|(item, _)| item.uid == uid);
        return match (is_alive, was) {
            (true, _) if sent.complete => Verdict::Repeats,
            // A step that is done may go.
            (false, Some((item, _))) if !item.status.is_terminal() => Verdict::Otherwise,
            _ => Verdict::Silent,
        };
    }
    match sent.merged.parents.get(&uid).copied() == leveled.to.parent {
        true => Verdict::Follows,
        false => Verdict::Repeats,
    }
}

fn verdict_on_move(uid: Uuid, sent: &Sent<'_>) -> Verdict {
    let level = match sent.head.iter().any(|item| item.uid == uid) {
        true => sent.head,
        false => match sent.head.iter().find(|item| item.subtasks.iter().any(|sub| sub.uid == uid)) {
            Some(parent) => &parent.subtasks,
            None => return Verdict::Otherwise,
        },
    };
    if !sent.merged.mentioned.contains(&uid) {
        return if sent.complete { Verdict::Repeats } else { Verdict::Silent };
    }
    let here: HashSet<Uuid> = level.iter().map(|item| item.uid).collect();
    let before = |order: &mut dyn Iterator<Item = Uuid>| {
        let mut before = None;
        for next in order.filter(|next| here.contains(next) && sent.merged.mentioned.contains(next)) {
            if next == uid {
                break;
            }
            before = Some(next);
        }
        before
    };
    let users = before(&mut level.iter().map(|item| item.uid));
    if users == before(&mut sent.merged.order.iter().copied()) {
        Verdict::Follows
    } else if sent.merged.moved.contains(&uid) {
        Verdict::Otherwise
    } else {
        Verdict::Repeats
    }
}

/// Notes the removed items that the caller left out after it received their removal; returns whether that was new.
fn note_dropped(edit: &mut Edit, sent: &Sent<'_>) -> bool {
    let mut new = false;
    if edit.state == EditState::Queued {
        return false;
    }
    let left_out = |uid: &Uuid| sent.complete && heard_gone(sent, *uid) && !sent.merged.mentioned.contains(uid);
    for gone in edit.removed_mut() {
        if left_out(&gone.item.uid) && !sent.base.alive.contains(&gone.item.uid) {
            new |= gone.dropped_by.insert(sent.caller.to_owned());
        }
    }
    new
}

/// True if the list as the caller knows it is without the item.
fn heard_gone(sent: &Sent<'_>, uid: Uuid) -> bool {
    sent.base.known.as_ref().is_some_and(|known| !known.contains_key(&uid))
}

fn verdict_on_removal(edit: &Edit, sent: &Sent<'_>, items: &[Item], remarks: &mut Vec<String>) -> Verdict {
    // An item that is back in the list, by a load or an undo, is not removed any more.
    let gone: Vec<_> = edit.still_removed().filter(|gone| !sent.base.alive.contains(&gone.item.uid)).collect();
    if gone.iter().any(|gone| sent.merged.returned.contains(&gone.item.uid)) {
        return Verdict::Otherwise;
    }
    let missing = match &edit.action {
        EditAction::Load { .. } => {
            let loaded: HashSet<Uuid> = edit.loaded().collect();
            let mut open = items.iter().filter(|item| !item.status.is_terminal() && loaded.contains(&item.uid));
            open.any(|item| !sent.merged.mentioned.contains(&item.uid))
        }
        _ => false,
    };
    let repeated: Vec<_> = gone.iter().filter(|gone| sent.merged.mentioned.contains(&gone.item.uid)).collect();
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
    if !sent.complete || edit.state == EditState::Queued {
        return Verdict::Silent;
    }
    // Only a caller that sent the item follows its removal, or any caller where none sent it.
    let its = |uid: Uuid| sent.base.last_sent(uid).is_some() || !sent.base.sent_by_others.contains(&uid);
    let follows = gone.iter().all(|gone| gone.dropped_by.contains(sent.caller) && its(gone.item.uid));
    match (missing, follows) {
        (true, _) => Verdict::Repeats,
        (false, true) if !edit.removed().is_empty() || matches!(edit.action, EditAction::Load { .. }) => {
            Verdict::Follows
        }
        (false, _) => Verdict::Silent,
    }
}
