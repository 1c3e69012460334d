//! Checks of an exported session before it is taken in.
//!
//! A problem is the rest of a sentence that begins with the session.

use super::{ExportedEdit, ExportedItem, ExportedList, ExportedRevision, ExportedSession};
use crate::evidence::{check_label, check_tool};
use crate::sessions::NAME_CHARS;
use crate::tags;
use jiff::Timestamp;
use session::{Identity, Life};
use std::collections::{BTreeMap, HashMap, HashSet};
use todo::check::{self, Checked, MOST};
use todo::limits;
use uuid::Uuid;

/// Characters of the id of a list, and of the name of a request.
const WORD_CHARS: usize = 200;

/// Checks that a session could have been written here, and that nothing in it is later than `latest`.
///
/// # Errors
/// The problem.
pub(crate) fn session(session: &ExportedSession, latest: Timestamp) -> Checked {
    if !is_id(&session.session_id) {
        return Err("has no id of a session for \"sessionId\"".to_owned());
    }
    let (first, last) = (session.list.first_revision, session.list.revision);
    identity(&session.who, &session.life, latest)?;
    if !tags::are_tags(&session.marks.tags) {
        return Err("has \"tags\" that are no tags of a session".to_owned());
    }
    revisions(&session.revisions, (first, last), latest)?;
    lists(&session.lists, last, latest)?;
    if session.list.ids_given > MOST {
        return Err(format!("has given {} ids, which are too many", session.list.ids_given));
    }
    items(&session.items, last, latest)?;
    evolution(&session.items, first)?;
    edits(&session.edits, last, latest)
}

/// An id as they are made here.
fn is_id(text: &str) -> bool {
    Uuid::try_parse(text).is_ok_and(|id| id.to_string() == text)
}

pub(crate) fn identity(who: &Identity, life: &Life, latest: Timestamp) -> Checked {
    if who.parent_session_id.as_deref().is_some_and(|parent| !is_id(parent)) {
        return Err("has no id of a session for \"parentSessionId\"".to_owned());
    }
    if let Some(label) = &who.label {
        check_label(label)
            .map_err(|_| "has a \"label\" that is no label: one line of 1 to 200 characters".to_owned())?;
    }
    if let Some(tool) = &who.own_tool {
        check_tool(tool).map_err(|_| "has an \"ownTool\" that is no name of a tool".to_owned())?;
    }
    for (name, text) in [
        ("a title", Some(&who.title)),
        ("an agent's name", Some(&who.agent_name)),
        ("an agent's version", who.agent_version.as_ref()),
        ("a prompt", who.prompt.as_ref()),
        ("a folder", who.folder.as_ref()),
        ("a project", who.project.as_ref()),
        ("a branch", who.branch.as_ref()),
        ("a reason for its state", life.state_reason.as_ref()),
    ] {
        check::length(name, text.map_or("", String::as_str), NAME_CHARS)?;
    }
    for (name, at) in [
        ("\"createdAt\"", who.created_at),
        ("\"stateAt\"", life.state_at),
        ("\"lastActivityAt\"", life.last_activity_at),
    ] {
        check::time(name, at, latest)?;
    }
    Ok(())
}

pub(crate) fn revisions(revisions: &[ExportedRevision], (first, last): (u64, u64), latest: Timestamp) -> Checked {
    let numbers = revisions.iter().map(|row| row.revision);
    if first == 0 || last > MOST || first > last.max(1) || !numbers.eq(first..=last) {
        return Err(format!("has revisions that are not {first} to {last}, each once and in their order"));
    }
    for row in revisions {
        let in_it = |problem: String| format!("has a revision {} that {problem}", row.revision);
        check::time("the time", row.at, latest).map_err(in_it)?;
        check::length("an agent's name", &row.name, NAME_CHARS).map_err(in_it)?;
        check::length("a cause", &row.cause, WORD_CHARS).map_err(in_it)?;
    }
    Ok(())
}

fn lists(lists: &[ExportedList], last: u64, latest: Timestamp) -> Checked {
    let Some(active) = lists.last() else { return Err("has no list".to_owned()) };
    let mut ids = HashSet::new();
    for list in lists {
        if list.list_id.trim().is_empty() || !ids.insert(&list.list_id) {
            return Err("has a list without an id, or with that of another one".to_owned());
        }
        check::length("the id of a list", &list.list_id, WORD_CHARS)?;
        if list.from > last.max(1) {
            return Err(format!("has a list that begins with the revision {}, of {last}", list.from));
        }
        if list.to.is_some_and(|to| to <= list.from || to > last || std::ptr::eq(list, active)) {
            return Err(format!("has a list from the revision {} that ends with none after it", list.from));
        }
        for at in std::iter::once(list.created_at).chain(list.archived_at) {
            check::time("a list of", at, latest)?;
        }
        if list.archived_at.is_none() != std::ptr::eq(list, active) {
            return Err("has lists of which not only the last one is active".to_owned());
        }
    }
    if !lists.is_sorted_by_key(|list| list.from) {
        return Err("has lists that are not in their order".to_owned());
    }
    Ok(())
}

pub(crate) fn items(items: &[ExportedItem], last: u64, latest: Timestamp) -> Checked {
    for state in items {
        let in_it = |problem: String| format!("has an item {} that {problem}", state.item.uid);
        let ends = state.to.unwrap_or(last + 1);
        if state.from == 0 || state.from > last || ends <= state.from || ends > last + 1 {
            return Err(in_it(format!("is there from {} to {ends}", state.from)));
        }
        check::rank(&state.rank).map_err(in_it)?;
        check::item(&state.item, latest).map_err(in_it)?;
    }
    Ok(())
}

/// Goes through the lists of all revisions: an item is in each of them once, a subtask is one of a step that is there, and
/// none of them is too long.
fn evolution(items: &[ExportedItem], first: u64) -> Checked {
    // States before the first revision that is kept begin with it.
    let mut events: BTreeMap<u64, (Vec<&ExportedItem>, Vec<&ExportedItem>)> = BTreeMap::new();
    for state in items.iter().filter(|state| state.to.is_none_or(|to| to > first)) {
        events.entry(state.from.max(first)).or_default().1.push(state);
        if let Some(to) = state.to {
            events.entry(to).or_default().0.push(state);
        }
    }
    let mut there: HashMap<Uuid, Option<Uuid>> = HashMap::new();
    let mut sizes: HashMap<Option<Uuid>, usize> = HashMap::new();
    for (revision, (ended, begun)) in events {
        for state in &ended {
            there.remove(&state.item.uid);
            if let Some(size) = sizes.get_mut(&state.parent) {
                *size -= 1;
            }
        }
        for state in &begun {
            if there.insert(state.item.uid, state.parent).is_some() {
                return Err(format!("has the item {} twice at revision {revision}", state.item.uid));
            }
            *sizes.entry(state.parent).or_default() += 1;
        }
        for state in ended.iter().chain(&begun) {
            let uid = state.item.uid;
            let is_step = there.get(&uid) == Some(&None);
            if !is_step && sizes.get(&Some(uid)).is_some_and(|size| *size > 0) {
                return Err(format!("has subtasks of {uid}, which is no step at revision {revision}"));
            }
        }
        for state in &begun {
            if state.parent.is_some_and(|parent| there.get(&parent) != Some(&None)) {
                return Err(format!("has a subtask {} of no step at revision {revision}", state.item.uid));
            }
            let size = sizes.get(&state.parent).copied().unwrap_or_default();
            if size > limits::LEVEL_ITEMS {
                return Err(format!(
                    "has more than {} steps on one level at revision {revision}, a list may have no more",
                    limits::LEVEL_ITEMS
                ));
            }
        }
    }
    Ok(())
}

pub(crate) fn edits(edits: &[ExportedEdit], last: u64, latest: Timestamp) -> Checked {
    let mut ids = HashSet::new();
    for ExportedEdit { edit, .. } in edits {
        let in_it = |problem: String| format!("has an edit {} that {problem}", edit.id);
        if !ids.insert(edit.id) {
            return Err(in_it("is there twice".to_owned()));
        }
        if edit.revision == 0 || edit.revision > last {
            return Err(in_it(format!("made the revision {}, of {last}", edit.revision)));
        }
        check::edit(edit, latest).map_err(in_it)?;
    }
    let counting = edits.iter().filter(|edit| !edit.forgotten).count();
    if counting > limits::EDITS {
        return Err(format!("has {counting} edits that count, it may have {}", limits::EDITS));
    }
    Ok(())
}
