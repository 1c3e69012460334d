//! Reading an item from the JSON that an agent sends: known keys under any of their names, limits, other dialects.

use crate::{Draft, Error, Field, Fields, Priority, Result, Status, limits, short};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeSet;
use texts::all as say;
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
    Error::Item(format!("{path} {problem}").into())
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
    map: &'a Map<String, Value>,
    /// The keys that were taken, or that say nothing.
    taken: Vec<&'static str>,
    path: &'a str,
    given: BTreeSet<Field>,
}

impl Sent<'_> {
    /// Reads one item; `path` names it in errors.
    pub(super) fn item(value: &Value, path: &str, may_nest: bool, extent: Extent) -> Result<Draft> {
        let Value::Object(map) = value else {
            return Err(wrong(path, "must be an object with at least a \"content\""));
        };
        // Our own items carry unknown keys in "extra"; sent back to us they are those keys again.
        let mut map = Cow::Borrowed(map);
        if let Some(Value::Object(extra)) = map.get("extra").cloned() {
            let map = map.to_mut();
            map.remove("extra");
            for (key, value) in extra {
                map.entry(key).or_insert(value);
            }
        }
        let mut sent = Sent { map: &map, taken: Vec::with_capacity(8), path, given: BTreeSet::new() };
        let uid = sent.text(&["uid"], limits::WORD_CHARS)?.and_then(|uid| Uuid::try_parse(&uid).ok());
        let id = sent.text(&["id"], limits::WORD_CHARS)?.filter(|id| !id.trim().is_empty());
        let content = sent.content(extent)?;
        let (status, status_raw, deleted) = sent.status()?;
        let fields = Fields { content, status, status_raw, ..Fields::sent(&mut sent)? };
        let subtasks = sent.subtasks(may_nest, extent)?;
        let (mut given, taken) = (sent.given, sent.taken);
        let rest = map.iter().filter(|(key, _)| !taken.contains(&key.as_str()) && !OURS.contains(&key.as_str()));
        if let Some((key, _)) = rest.clone().find(|(_, value)| limits::is_too_deep(value)) {
            let problem = format!("is nested more than {} levels deep; send it flatter", limits::DEPTH);
            return Err(wrong(&format!("{path}.{}", short(key)), &problem));
        }
        let extra: Map<String, Value> = rest.map(|(key, value)| (key.clone(), value.clone())).collect();
        if !extra.is_empty() {
            given.insert(Field::Extra);
        }
        if extent == Extent::Partial && uid.is_none() && id.is_none() && fields.content.is_empty() && may_nest {
            return Err(wrong(path, "names no item; send its \"id\", or \"content\" for a new one"));
        }
        Ok(Draft { uid, id, fields: Fields { extra, ..fields }.into(), subtasks, deleted, given })
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.map.get(name).filter(|_| !self.taken.contains(&name))
    }

    fn take(&mut self, names: &[&'static str]) -> Option<(&'static str, Value)> {
        let says = |value: &Value| match value {
            Value::Null => false,
            Value::String(text) => !text.trim().is_empty(),
            Value::Array(values) => !values.is_empty(),
            _ => true,
        };
        let name = names.iter().copied().find(|name| self.get(name).is_some_and(says));
        // An empty value hides no other name, and is no unknown key.
        for name in names {
            if self.get(name).is_some_and(|value| !says(value)) {
                self.taken.push(name);
            }
        }
        let name = name?;
        self.taken.push(name);
        self.map.get(name).map(|value| (name, value.clone()))
    }

    /// Notes that a field was sent, if only as null.
    fn note(&mut self, field: Field) {
        if field.keys().iter().any(|name| self.get(name).is_some()) {
            self.given.insert(field);
        }
    }

    /// Text of at most `limit` characters; a number is taken as its text.
    fn text(&mut self, names: &[&'static str], limit: usize) -> Result<Option<String>> {
        let Some((name, value)) = self.take(names) else { return Ok(None) };
        let path = || format!("{}.{name}", self.path);
        let text = match value {
            Value::String(text) => text,
            Value::Number(number) if name != "content" => number.to_string(),
            other => return Err(wrong(&path(), &format!("must be text, not {}", kind(&other)))),
        };
        let length = text.chars().count();
        if length > limit {
            return Err(Error::Item(say::item_too_long(path(), length, limit)));
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
        let named = |sent: &Self, name: &&&'static str| sent.get(name).is_some_and(|value| !value.is_null());
        let mut name = CONTENT.iter().find(|name| named(self, name)).copied();
        if name.is_none() && extent == Extent::Complete && named(self, &&"description") {
            name = Some("description");
        }
        let Some(name) = name else {
            let empty = self.get("content").is_some();
            return match extent {
                Extent::Complete => {
                    Err(Error::Item(say::item_without_content(format!("{}.content", self.path), limits::TEXT_CHARS)))
                }
                Extent::Partial if empty => {
                    let expected = format!("is null; it must be text of 1 to {} characters", limits::TEXT_CHARS);
                    Err(wrong(&format!("{}.content", self.path), &expected))
                }
                Extent::Partial => Ok(String::new()),
            };
        };
        self.given.insert(Field::Content);
        // A null under another name says nothing.
        if name != CONTENT[0] && self.get(CONTENT[0]).is_some_and(Value::is_null) {
            self.taken.push(CONTENT[0]);
        }
        let content = self.text(&[name], limits::TEXT_CHARS)?.unwrap_or_default();
        // Control characters are never shown: made of nothing else, it would say nothing.
        if content.chars().all(|c| c.is_whitespace() || c.is_control()) {
            return Err(Error::Item(say::item_empty(format!("{}.{name}", self.path), limits::TEXT_CHARS)));
        }
        Ok(content)
    }

    /// The status, the sender's word for it where it is none of ours, and whether it says that the item is no more.
    fn status(&mut self) -> Result<(Status, Option<String>, bool)> {
        self.note(Field::Status);
        let raw = self.get("statusRaw").and_then(Value::as_str).filter(|raw| raw.chars().count() <= limits::WORD_CHARS);
        let raw = raw.map(str::to_owned);
        let Some(word) = self.text(&["status"], limits::WORD_CHARS)? else {
            // Some lists know only done and not done.
            let done = ["completed", "done"].into_iter().find(|name| self.get(name).is_some_and(Value::is_boolean));
            let Some(name) = done else { return Ok((Status::Pending, None, false)) };
            self.given.insert(Field::Status);
            let done = self.get(name).and_then(Value::as_bool).unwrap_or_default();
            self.taken.push(name);
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
        let value = self.get("priority")?;
        let is_empty = value.is_null() || value.as_str().is_some_and(|word| word.trim().is_empty());
        let priority = value.as_str().and_then(Priority::from_word);
        if is_empty || priority.is_some() {
            self.taken.push("priority");
        }
        priority
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
            return Err(Error::Item(say::item_too_deep(path)));
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
