//! Reading an item from the JSON that an agent sends: known keys under any of their names, limits, other dialects.

use crate::{Draft, Error, Field, Fields, Priority, Result, Status, limits, short};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use uuid::Uuid;

/// Keys that only we write; a model that sends our own list back does not mean them.
const OURS: [&str; 10] = [
    "origin",
    "createdAt",
    "statusAt",
    "statusRaw",
    "position",
    "dependsOnUids",
    "waiting",
    "estimateMinutes",
    "workedMs",
    "reopened",
];

/// Keys under which agents send the content, best first. A `description` is the content only where none of them is
/// there (Gemini).
const CONTENT: [&str; 6] = ["content", "text", "title", "step", "subject", "task"];

pub(super) fn wrong(path: &str, problem: &str) -> Error {
    Error::Item { path: path.to_owned(), problem: problem.to_owned() }
}

/// The extent of the list that an item is sent in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// All of it: each item needs a content.
    Complete,
    /// The items that changed: an item needs a content or an identifier.
    Partial,
}

/// The keys of a sent item, from which the known ones are taken.
pub(crate) struct Sent<'a> {
    map: &'a mut Map<String, Value>,
    path: &'a str,
    given: BTreeSet<Field>,
}

impl Sent<'_> {
    /// Reads one item; `path` names it in errors.
    pub(super) fn item(value: &Value, path: &str, may_nest: bool, extent: Extent) -> Result<Draft> {
        let Value::Object(map) = value else {
            return Err(wrong(path, "must be an object with at least a \"content\""));
        };
        let mut map = map.clone();
        // Our own items carry unknown keys in "extra"; sent back to us they are those keys again.
        if let Some(Value::Object(extra)) = map.get("extra").cloned() {
            map.remove("extra");
            for (key, value) in extra {
                map.entry(key).or_insert(value);
            }
        }
        let mut sent = Sent { map: &mut map, path, given: BTreeSet::new() };
        let uid = sent.text(&["uid"], limits::WORD_CHARS)?.and_then(|uid| Uuid::try_parse(&uid).ok());
        let id = sent.text(&["id"], limits::WORD_CHARS)?.filter(|id| !id.trim().is_empty());
        let content = sent.content(extent)?;
        let (status, status_raw, deleted) = sent.status()?;
        let fields = Fields { content, status, status_raw, ..Fields::sent(&mut sent)? };
        let subtasks = sent.subtasks(may_nest, extent)?;
        let mut given = sent.given;
        for key in OURS {
            map.remove(key);
        }
        if let Some((key, _)) = map.iter().find(|(_, value)| limits::is_too_deep(value)) {
            let problem = format!("is nested more than {} levels deep; send it flatter", limits::DEPTH);
            return Err(wrong(&format!("{path}.{}", short(key)), &problem));
        }
        if !map.is_empty() {
            given.insert(Field::Extra);
        }
        if extent == Extent::Partial && uid.is_none() && id.is_none() && fields.content.is_empty() && may_nest {
            return Err(wrong(path, "names no item; send its \"id\", or \"content\" for a new one"));
        }
        Ok(Draft { uid, id, fields: Fields { extra: map, ..fields }, subtasks, deleted, given })
    }

    fn take(&mut self, names: &[&str]) -> Option<(String, Value)> {
        let says = |value: &Value| match value {
            Value::Null => false,
            Value::String(text) => !text.trim().is_empty(),
            Value::Array(values) => !values.is_empty(),
            _ => true,
        };
        let name = names.iter().copied().find(|name| self.map.get(*name).is_some_and(says));
        // An empty value hides no other name, and is no unknown key.
        for name in names {
            if self.map.get(*name).is_some_and(|value| !says(value)) {
                self.map.remove(*name);
            }
        }
        let name = name?;
        self.map.remove(name).map(|value| (name.to_owned(), value))
    }

    /// Notes that a field was sent, if only as null.
    fn note(&mut self, field: Field) {
        if field.keys().iter().any(|name| self.map.contains_key(*name)) {
            self.given.insert(field);
        }
    }

    /// Text of at most `limit` characters; a number is taken as its text.
    fn text(&mut self, names: &[&str], limit: usize) -> Result<Option<String>> {
        let Some((name, value)) = self.take(names) else { return Ok(None) };
        let path = format!("{}.{name}", self.path);
        let text = match value {
            Value::String(text) => text,
            Value::Number(number) if name != "content" => number.to_string(),
            other => return Err(wrong(&path, &format!("must be text, not {}", kind(&other)))),
        };
        let length = text.chars().count();
        if length > limit {
            return Err(wrong(
                &path,
                &format!("has {length} characters, it may have {limit}; shorten it and send it again"),
            ));
        }
        Ok(Some(text))
    }

    /// The text of a field; empty counts as missing.
    pub(crate) fn filled(&mut self, field: Field) -> Result<Option<String>> {
        self.note(field);
        Ok(self.text(field.keys(), limits::TEXT_CHARS)?.filter(|text| !text.trim().is_empty()))
    }

    /// The content, under the first of its names that is there; other names stay what they are.
    fn content(&mut self, extent: Extent) -> Result<String> {
        let named = |sent: &Self, name: &&&str| sent.map.get(**name).is_some_and(|value| !value.is_null());
        let mut name = CONTENT.iter().find(|name| named(self, name)).copied();
        if name.is_none() && extent == Extent::Complete && named(self, &&"description") {
            name = Some("description");
        }
        let expected = "it must be text of 1 to 2000 characters";
        let Some(name) = name else {
            let empty = self.map.contains_key("content");
            return match extent {
                Extent::Complete => Err(wrong(&format!("{}.content", self.path), &format!("is missing; {expected}"))),
                Extent::Partial if empty => {
                    Err(wrong(&format!("{}.content", self.path), &format!("is null; {expected}")))
                }
                Extent::Partial => Ok(String::new()),
            };
        };
        self.given.insert(Field::Content);
        // A null under another name says nothing.
        if name != CONTENT[0] && self.map.get(CONTENT[0]).is_some_and(Value::is_null) {
            self.map.remove(CONTENT[0]);
        }
        let content = self.text(&[name], limits::TEXT_CHARS)?.unwrap_or_default();
        // Control characters are never shown: made of nothing else, it would say nothing.
        if content.chars().all(|c| c.is_whitespace() || c.is_control()) {
            return Err(wrong(&format!("{}.{name}", self.path), &format!("is empty; {expected}")));
        }
        Ok(content)
    }

    /// The status, the sender's word for it where it is none of ours, and whether it says that the item is no more.
    fn status(&mut self) -> Result<(Status, Option<String>, bool)> {
        self.note(Field::Status);
        let raw =
            self.map.get("statusRaw").and_then(Value::as_str).filter(|raw| raw.chars().count() <= limits::WORD_CHARS);
        let raw = raw.map(str::to_owned);
        let Some(word) = self.text(&["status"], limits::WORD_CHARS)? else {
            // Some lists know only done and not done.
            let done =
                ["completed", "done"].into_iter().find(|name| self.map.get(*name).is_some_and(Value::is_boolean));
            let Some(name) = done else { return Ok((Status::Pending, None, false)) };
            self.given.insert(Field::Status);
            let done = self.map.remove(name).and_then(|value| value.as_bool()).unwrap_or_default();
            return Ok((if done { Status::Completed } else { Status::Pending }, None, false));
        };
        Ok(match Status::from_word(&word) {
            Status::Unknown if word == Status::Unknown.name() => (Status::Unknown, raw, false),
            Status::Unknown if Status::says_deleted(&word) => (Status::Cancelled, None, true),
            Status::Unknown => (Status::Unknown, Some(word), false),
            known => (known, None, false),
        })
    }

    /// One of our priorities; another word stays among the unknown keys.
    pub(crate) fn priority(&mut self) -> Option<Priority> {
        self.note(Field::Priority);
        let value = self.map.get("priority")?;
        if value.is_null() || value.as_str().is_some_and(|word| word.trim().is_empty()) {
            self.map.remove("priority");
            return None;
        }
        let priority = value.as_str().and_then(Priority::from_word)?;
        self.map.remove("priority");
        Some(priority)
    }

    /// The words of a field, sent as an array or alone.
    pub(crate) fn words(&mut self, field: Field) -> Result<Vec<String>> {
        self.note(field);
        let Some((name, value)) = self.take(field.keys()) else { return Ok(Vec::new()) };
        let path = format!("{}.{name}", self.path);
        let values = match value {
            Value::Array(values) => values,
            single => vec![single],
        };
        if values.len() > limits::ITEMS {
            return Err(wrong(&path, &format!("names {} items, it may name {}", values.len(), limits::ITEMS)));
        }
        values
            .into_iter()
            .filter(|value| value.as_str().is_none_or(|word| !word.trim().is_empty()))
            .map(|value| match value {
                Value::String(word) if word.chars().count() <= limits::TEXT_CHARS => Ok(word),
                Value::Number(number) => Ok(number.to_string()),
                other => Err(wrong(&path, &format!("must hold ids or texts of items, not {}", kind(&other)))),
            })
            .collect()
    }

    fn subtasks(&mut self, may_nest: bool, extent: Extent) -> Result<Vec<Draft>> {
        let Some((name, value)) = self.take(&["subtasks"]) else { return Ok(Vec::new()) };
        let path = format!("{}.{name}", self.path);
        let Value::Array(subtasks) = value else {
            return Err(wrong(&path, "must be an array of items"));
        };
        if !may_nest && !subtasks.is_empty() {
            return Err(wrong(&path, "is too deep: a subtask has no subtasks of its own"));
        }
        if subtasks.len() > limits::ITEMS {
            return Err(wrong(&path, "has too many subtasks, an item may have 256"));
        }
        subtasks.iter().enumerate().map(|(i, sub)| Sent::item(sub, &format!("{path}[{i}]"), false, extent)).collect()
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text of that length",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
