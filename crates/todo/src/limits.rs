//! Limits of a list. Those of a sent list are checked as it comes in, and never on the result of a merge, which also has
//! what the sender does not know of; the result has wider ones, so that nothing grows without end.

use crate::list::flat;
use crate::{Difference, Error, Item, List, Result};
use serde_json::Value;
use std::collections::HashSet;
use uuid::Uuid;

/// Top-level items in one list, and subtasks in one item.
pub const ITEMS: usize = 256;

/// Characters in the content of one item, and in each of its other texts.
pub const TEXT_CHARS: usize = 2_000;

/// Bytes of a whole list as JSON.
pub const LIST_BYTES: usize = 256 * 1024;

/// Characters in an id or a status word.
pub const WORD_CHARS: usize = 500;

/// Dependencies that one list may name, since each is looked for in all of it.
pub const DEPENDENCIES: usize = 1_024;

/// Items on one level of a list, however they came together.
pub const LEVEL_ITEMS: usize = 1_024;

/// The user's edits of one list that count for its next change.
pub const EDITS: usize = 4_096;

/// Levels of arrays and objects in a value that is kept as it was sent. Readers of JSON stop at 128, and what is stored
/// stands deeper than what was sent.
pub const DEPTH: usize = 64;

/// Characters of a rank; longer ones are given anew at the next change.
pub(crate) const RANK_CHARS: usize = 1_000;

/// True if a value has more levels than [`DEPTH`].
#[must_use]
pub fn is_too_deep(value: &Value) -> bool {
    fn is_over(value: &Value, levels: usize) -> bool {
        let over = |inner: &Value| levels == 0 || is_over(inner, levels - 1);
        match value {
            Value::Array(values) => levels == 0 || values.iter().any(over),
            Value::Object(map) => levels == 0 || map.values().any(over),
            _ => false,
        }
    }
    is_over(value, DEPTH)
}

/// The most items on one level.
pub(crate) fn longest_level(items: &[Item]) -> usize {
    items.iter().map(|item| item.subtasks.len()).fold(items.len(), usize::max)
}

/// Bytes that the unknown keys of an item take as JSON.
pub(crate) fn extra_bytes(item: &Item) -> usize {
    serde_json::to_string(&item.extra).map_or(0, |json| json.len())
}

/// Refuses a change that made something longer than it may be; what was longer before stays as it is.
pub(crate) fn check_growth(before: &List, after: &List, touched: &Difference) -> Result<()> {
    let items = longest_level(&after.items);
    if items > LEVEL_ITEMS && items > longest_level(&before.items) {
        return Err(Error::ListFull { items });
    }
    if after.edits.len() > EDITS.max(before.edits.len()) {
        return Err(Error::TooManyEdits { edits: after.edits.len() });
    }
    if flat(&after.items).all(|(item, _)| item.extra.is_empty()) {
        return Ok(());
    }
    let touched: HashSet<Uuid> = touched.added.iter().chain(&touched.changed).copied().collect();
    let with_extra = flat(&after.items).filter(|(item, _)| !item.extra.is_empty() && touched.contains(&item.uid));
    match with_extra.map(|(item, _)| extra_bytes(item)).max() {
        Some(sent) if sent > LIST_BYTES => Err(Error::ListTooLarge { sent }),
        _ => Ok(()),
    }
}
