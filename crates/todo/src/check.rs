//! Checks of items, edits and lists that come from elsewhere as they were stored: only what could have been written here
//! passes.
//!
//! A problem is the rest of a sentence that begins with the thing's name.

use crate::limits::{self, DEPENDENCIES, ITEMS, LEVEL_ITEMS, LIST_BYTES, TEXT_CHARS, WORD_CHARS};
use crate::list::flat;
use crate::{Edit, EditAction, Field, Fields, Item, Leveled, Removed, Touched, depends, rank, short};
use jiff::Timestamp;
use serde_json::Value;
use std::collections::HashSet;
use uuid::Uuid;

/// Counts, and milliseconds at work, at most: sums of them stay numbers that every reader of JSON holds.
pub const MOST: u64 = 1 << 42;

/// Characters of a rank. One that stands between two of [`limits::RANK_CHARS`] is a little longer than they are.
const RANK_CHARS: usize = 4 * limits::RANK_CHARS;

/// The outcome of a check: nothing, or the problem.
pub type Checked = Result<(), String>;

/// Checks a time, which cannot be after `latest`.
///
/// # Errors
/// The problem.
pub fn time(name: &str, at: Timestamp, latest: Timestamp) -> Checked {
    if at < Timestamp::UNIX_EPOCH || at > latest {
        return Err(format!("has {name} {at}, which is before 1970 or still to come"));
    }
    Ok(())
}

/// Checks the length of a text.
///
/// # Errors
/// The problem.
pub fn length(name: &str, text: &str, most: usize) -> Checked {
    match text.chars().count() {
        count if count > most => {
            Err(format!("has {name} of {count} characters, which is too long: it may have {most}"))
        }
        _ => Ok(()),
    }
}

/// Checks a state of an item, without its subtasks.
///
/// # Errors
/// The problem.
pub fn item(item: &Item, latest: Timestamp) -> Checked {
    if item.content.chars().all(|c| c.is_whitespace() || c.is_control()) {
        return Err("says nothing: its content is empty".to_owned());
    }
    if item.content.chars().count() > TEXT_CHARS {
        return Err(format!("says too much: its content may have {TEXT_CHARS} characters"));
    }
    if item.id.trim().is_empty() {
        return Err("has an empty id".to_owned());
    }
    length("an id", &item.id, WORD_CHARS)?;
    fields(&item.fields)?;
    if item.depends_on_uids.len() > item.depends_on.len() {
        return Err("depends on items that it does not name".to_owned());
    }
    if limits::extra_bytes(item) > LIST_BYTES {
        return Err(format!("has other keys of more than {LIST_BYTES} bytes"));
    }
    if item.worked_ms > MOST || item.reopened > MOST {
        return Err(format!("was worked on for {} ms and taken up again {} times", item.worked_ms, item.reopened));
    }
    time("a creation at", item.created_at, latest)?;
    time("its status since", item.status_at, latest)
}

/// Checks the length and the depth of what an item's author decides.
fn fields(fields: &Fields) -> Checked {
    for field in Field::ALL {
        if let Value::String(text) = fields.value(field) {
            length(&format!("a value of {}", field.name()), &text, TEXT_CHARS)?;
        }
    }
    if fields.extra.values().any(limits::is_too_deep) {
        return Err(format!("has other keys that are nested more than {} levels deep", limits::DEPTH));
    }
    length("a status word", fields.status_raw.as_deref().unwrap_or_default(), WORD_CHARS)?;
    if fields.depends_on.len() > ITEMS {
        return Err(format!("depends on {} items, it may on {ITEMS}", fields.depends_on.len()));
    }
    fields.depends_on.iter().try_for_each(|name| length("a dependency", name, TEXT_CHARS))
}

/// Checks the rank of an item.
///
/// # Errors
/// The problem.
pub fn rank(text: &str) -> Checked {
    let is_rank = text.len() <= RANK_CHARS && rank::is_rank(text);
    if is_rank { Ok(()) } else { Err(format!("has \"{}\" for a rank", short(text))) }
}

/// Checks what only a list as a whole shows; its items were checked each.
///
/// # Errors
/// The problem.
pub fn list(items: &[Item]) -> Checked {
    let open = flat(items).map(|(item, _)| item.depends_on.len() - item.depends_on_uids.len()).sum::<usize>();
    if open > DEPENDENCIES {
        return Err(format!("has {open} dependencies that were never looked up, a list may have {DEPENDENCIES}"));
    }
    match depends::circle_in_words(items) {
        Some(circle) => Err(format!("has items that wait for each other: {circle}")),
        None => Ok(()),
    }
}

/// Checks an edit.
///
/// # Errors
/// The problem.
pub fn edit(edit: &Edit, latest: Timestamp) -> Checked {
    length("a client", &edit.client, TEXT_CHARS)?;
    time("its state since", edit.at, latest)?;
    if let Some((at, call)) = &edit.delivered {
        time("a delivery at", *at, latest)?;
        length("a call", call.as_deref().unwrap_or_default(), TEXT_CHARS)?;
    }
    for gone in edit.removed() {
        removed(gone, latest).map_err(|problem| format!("removes the item {}, which {problem}", gone.item.uid))?;
    }
    for item in edit.touched() {
        touched(item).map_err(|problem| format!("changes the item {}, and {problem}", item.uid))?;
    }
    match &edit.action {
        EditAction::Add { content, position, .. } => {
            length("a content", content, TEXT_CHARS)?;
            length("a position", position, WORD_CHARS)
        }
        EditAction::Move { content, rank: old, to_rank, from, position, .. } => {
            length("a content", content, TEXT_CHARS)?;
            length("a position", from, WORD_CHARS)?;
            length("a position", position, WORD_CHARS)?;
            rank(old)?;
            rank(to_rank)
        }
        EditAction::Level { items } => items.iter().try_for_each(leveled),
        EditAction::Note { text } if text.trim().is_empty() => Err("is an empty message".to_owned()),
        EditAction::Note { text } => length("a message", text, TEXT_CHARS),
        EditAction::Load { stayed, .. } => stayed.values().try_for_each(|text| rank(text)),
        EditAction::Delete { position, .. } => length("a position", position, LIST_BYTES),
        EditAction::Clear { .. } | EditAction::Set { .. } => Ok(()),
    }
}

fn removed(gone: &Removed, latest: Timestamp) -> Checked {
    rank(&gone.rank)?;
    if gone.item.subtasks.len() > LEVEL_ITEMS {
        return Err(format!("has {} subtasks, it may have {LEVEL_ITEMS}", gone.item.subtasks.len()));
    }
    if gone.parent.is_some() && !gone.item.subtasks.is_empty() {
        return Err("is a subtask with subtasks".to_owned());
    }
    let mut uids: HashSet<Uuid> = HashSet::new();
    for (part, parent) in flat(std::slice::from_ref(&gone.item)) {
        if parent.is_some() && !part.subtasks.is_empty() {
            return Err("has subtasks with subtasks".to_owned());
        }
        if !uids.insert(part.uid) {
            return Err(format!("has the subtask {} twice", part.uid));
        }
        item(part, latest)?;
    }
    Ok(())
}

fn leveled(leveled: &Leveled) -> Checked {
    length("a content", &leveled.content, TEXT_CHARS)?;
    length("a content", leveled.under.as_deref().unwrap_or_default(), TEXT_CHARS)?;
    for place in [&leveled.from, &leveled.to] {
        length("a position", &place.position, WORD_CHARS)?;
        rank(&place.rank)?;
    }
    Ok(())
}

fn touched(touched: &Touched) -> Checked {
    length("a content", &touched.content, TEXT_CHARS)?;
    length("a position", &touched.position, WORD_CHARS)?;
    if touched.meant.len() > ITEMS {
        return Err(format!("its dependencies meant {} items", touched.meant.len()));
    }
    for values in [&touched.from, &touched.to] {
        fields(values)?;
        // An undo would set it.
        if touched.fields.contains(&Field::Content) && values.content.trim().is_empty() {
            return Err("empties its content".to_owned());
        }
    }
    Ok(())
}
