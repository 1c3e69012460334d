//! The attributes of an element, as the fields of an item.

use super::escape::{Context, escape, unescape};
use crate::{Draft, Field, Item, Priority, Result, Status};
use serde_json::{Map, Value};

/// The key of the field that an attribute sets; its name may be in any case and have no `_` and `-`.
fn known(name: &str) -> Option<&'static str> {
    const OTHERS: [&[&str]; 3] = [&["id"], &["uid"], &["subtasks"]];
    let letters = |name: &str| name.replace(['_', '-'], "").to_ascii_lowercase();
    let name = letters(name);
    let mut keys = Field::ALL.into_iter().map(Field::keys).chain(OTHERS);
    keys.find(|keys| keys.iter().any(|key| letters(key) == name)).map(|keys| keys[0])
}

/// The attributes in what stands after the name of a tag, each with its value as it was written. The first of a name
/// stands; quotes may be single, missing or never closed.
pub(super) fn attributes(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '='));
        if rest.is_empty() {
            return found;
        }
        let end = rest.find(|c: char| c.is_ascii_whitespace() || c == '=').unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let mut value = "";
        rest = after;
        if let Some(value_text) = after.trim_ascii_start().strip_prefix('=') {
            let value_text = value_text.trim_ascii_start();
            let quoted = value_text.strip_prefix(['"', '\'']);
            let inside = quoted.unwrap_or(value_text);
            let end = match quoted {
                Some(_) => inside.find(value_text.chars().next().unwrap_or('"')),
                None => inside.find(|c: char| c.is_ascii_whitespace()),
            };
            value = end.and_then(|end| inside.get(..end)).unwrap_or(inside);
            rest = inside.get(value.len() + usize::from(quoted.is_some())..).unwrap_or_default();
        }
        found.push((name, value));
    }
}

/// An item from the attributes and the text of its element, which a `content` says where there is none; `path` names
/// it in errors.
pub(super) fn draft(attributes: &[(&str, &str)], content: String, path: &str) -> Result<Draft> {
    let mut map = Map::new();
    if !content.is_empty() {
        map.insert("content".to_owned(), Value::String(content));
    }
    for (name, raw) in attributes {
        match known(name) {
            // These are elements, which an attribute cannot say.
            Some("subtasks") => {}
            Some("dependsOn") => {
                let parts = raw.split(',').map(|part| Value::String(unescape(part.trim_ascii())));
                map.entry("dependsOn").or_insert_with(|| parts.collect());
            }
            key => {
                map.entry(key.unwrap_or(name)).or_insert_with(|| Value::String(unescape(raw)));
            }
        }
    }
    // Empty, and so refused, rather than said by another attribute.
    map.entry("content").or_insert_with(|| Value::String(String::new()));
    Draft::one(&Value::Object(map), path)
}

/// An item's fields as attributes, with a space before each: those that are set, and unknown ones where they are text
/// under a name that an attribute can have.
pub(super) fn written(item: &Item) -> String {
    let status = match (&item.status_raw, item.status) {
        (Some(raw), Status::Unknown) => raw,
        (_, status) => status.name(),
    };
    let depends_on: Vec<String> = item.depends_on.iter().map(|on| escape(on, Context::Part)).collect();
    let mut out = String::new();
    let mut put = |name: &str, value: &str| out.push_str(&format!(" {name}=\"{value}\""));
    put("id", &escape(&item.id, Context::Attribute));
    put("status", &escape(status, Context::Attribute));
    if let Some(priority) = item.priority {
        put("priority", priority.name());
    }
    if !depends_on.is_empty() {
        put("depends_on", &depends_on.join(","));
    }
    let is_other = |field: &Field| !matches!(field, Field::Content | Field::Status | Field::Priority);
    for field in Field::ALL.into_iter().filter(is_other) {
        if let (Value::String(text), [.., name]) = (item.value(field), field.keys()) {
            put(name, &escape(&text, Context::Attribute));
        }
    }
    for (key, value) in &item.extra {
        if let Some(text) = value.as_str().filter(|text| sayable(item, key, text)) {
            put(key, &escape(text, Context::Attribute));
        }
    }
    out
}

/// True if an unknown key can be an attribute that is read as the same unknown key.
fn sayable(item: &Item, key: &str, text: &str) -> bool {
    let own_word = key == "priority" && item.priority.is_none() && Priority::from_word(text).is_none();
    let begins = key.starts_with(|c: char| c.is_alphabetic() || c == '_');
    begins
        && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':'))
        && (own_word || known(key).is_none())
}
