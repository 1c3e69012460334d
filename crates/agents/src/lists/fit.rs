//! Lists cut down to what the hub accepts: an agent cannot be asked to correct its built-in list.

use super::word;
use serde_json::{Map, Value};

/// The most characters of an item's text.
pub(crate) const TEXT_CHARS: usize = 2_000;
const WORD_CHARS: usize = 500;
const ITEMS: usize = 256;
const DEPENDENCIES: usize = 1_000;
const DEPTH: usize = 64;
/// A little less than a whole list may have.
const BYTES: usize = 250 * 1024;
/// The most characters of a text in a list that is too large.
const SHORT_CHARS: usize = 200;

const TEXTS: [&str; 7] = ["activeForm", "description", "owner", "notes", "reason", "category", "estimate"];
const WORDS: [&str; 2] = ["status", "priority"];
const DEPENDS: [&str; 4] = ["dependsOn", "depends_on", "blockedBy", "dependencies"];

/// Returns the items with their known fields. Longer texts are cut; values of another type, empty items and items beyond
/// the limit are left out.
#[must_use]
pub fn fit(items: Vec<Value>) -> Value {
    let mut items: Vec<Value> = items.into_iter().filter_map(|item| fit_item(item, true)).take(ITEMS).collect();
    let mut dependencies = 0;
    for item in &mut items {
        for name in DEPENDS {
            dependencies += item.get(name).and_then(Value::as_array).map_or(0, Vec::len);
            if dependencies > DEPENDENCIES
                && let Value::Object(fields) = &mut *item
            {
                fields.remove(name);
            }
        }
    }
    let bytes = |items: &[Value]| items.iter().map(|item| item.to_string().len() + 1).sum::<usize>();
    if bytes(&items) > BYTES {
        items.iter_mut().for_each(shorten);
    }
    while bytes(&items) > BYTES {
        items.pop();
    }
    Value::Array(items)
}

fn fit_item(item: Value, may_nest: bool) -> Option<Value> {
    let Value::Object(mut fields) = item else { return None };
    let content = word(fields.get("content")?)?;
    if content.chars().all(|c| c.is_whitespace() || c.is_control()) {
        return None;
    }
    fields.insert("content".to_owned(), cut(&content, TEXT_CHARS).into());
    // Fields of ours, in which an agent's would mean something else.
    for name in ["uid", "extra", "position"] {
        fields.remove(name);
    }
    fields.retain(|name, value| name == "subtasks" || !is_over(value, DEPTH));
    for name in TEXTS {
        keep(&mut fields, name, |value| Some(cut(&word(value)?, TEXT_CHARS).into()));
    }
    for name in WORDS {
        keep(&mut fields, name, |value| Some(cut(value.as_str()?, WORD_CHARS).into()));
    }
    keep(&mut fields, "id", |value| Some(cut(&word(value)?, WORD_CHARS).into()));
    for name in DEPENDS {
        keep(&mut fields, name, |value| {
            let named = value.as_array()?.iter().filter_map(word).map(|id| cut(&id, WORD_CHARS));
            Some(named.take(ITEMS).map(Value::String).collect())
        });
    }
    keep(&mut fields, "subtasks", |value| {
        let subtasks = value.as_array().filter(|_| may_nest)?.iter().cloned();
        Some(subtasks.filter_map(|sub| fit_item(sub, false)).take(ITEMS).collect())
    });
    Some(Value::Object(fields))
}

/// True if a value has more levels of arrays and objects than that.
fn is_over(value: &Value, levels: usize) -> bool {
    let over = |inner: &Value| levels == 0 || is_over(inner, levels - 1);
    match value {
        Value::Array(values) => levels == 0 || values.iter().any(over),
        Value::Object(map) => levels == 0 || map.values().any(over),
        _ => false,
    }
}

fn keep(fields: &mut Map<String, Value>, name: &str, fitting: impl FnOnce(&Value) -> Option<Value>) {
    let Some(value) = fields.remove(name) else { return };
    if let Some(value) = fitting(&value) {
        fields.insert(name.to_owned(), value);
    }
}

/// Keeps the essential fields only, with short texts.
fn shorten(item: &mut Value) {
    let Value::Object(fields) = item else { return };
    fields.retain(|name, _| ["id", "content", "status", "priority"].contains(&name.as_str()));
    for value in fields.values_mut() {
        if let Value::String(text) = value {
            *text = cut(text, SHORT_CHARS);
        }
    }
}

/// The text, or its beginning with "…" where it has more characters than that.
pub(crate) fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        None => text.to_owned(),
        Some(_) => text.chars().take(chars - 1).chain(['…']).collect(),
    }
}
