//! Reading an item from the JSON that an agent sends: known keys under any of their names, limits, other dialects.

use crate::{Draft, Error, Field, FieldSet, Fields, Priority, Result, Status, limits, short};
use serde_json::{Map, Number, Value};
use serde_json_borrow::{KeyStrType, Value as Json};
use smallvec::SmallVec;
use smol_str::SmolStr;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::{Arguments, Display};
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

pub(super) fn wrong(path: impl Display, problem: &str) -> Error {
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

/// A key with its value. Of several with one key the last counts.
type Entry<'a> = (KeyStrType<'a>, Json<'a>);

fn find<'a>(entries: &'a [Entry<'a>], name: &str) -> Option<&'a Json<'a>> {
    entries.iter().rev().find(|(key, _)| **key == *name).map(|(_, value)| value)
}

/// The keys of an item. Our own items carry unknown keys in "extra"; sent back to us they are those keys again.
fn with_extra<'a>(entries: &'a [Entry<'a>]) -> Cow<'a, [Entry<'a>]> {
    let Some(Json::Object(extra)) = find(entries, "extra") else { return Cow::Borrowed(entries) };
    let own: HashSet<&str> = entries.iter().map(|(key, _)| &**key).collect();
    let extra = extra.as_vec().iter().filter(|(key, _)| !own.contains(&**key) || **key == *"extra");
    entries.iter().filter(|(key, _)| **key != *"extra").chain(extra).cloned().collect()
}

/// The keys of a sent item, from which the known ones are taken.
pub(crate) struct Sent<'a> {
    entries: &'a [Entry<'a>],
    /// The keys that were taken, or that say nothing.
    taken: SmallVec<[&'static str; 12]>,
    path: Arguments<'a>,
    given: FieldSet,
}

impl<'a> Sent<'a> {
    /// Reads one item; `path` names it in errors.
    pub(super) fn item(value: &Json<'_>, path: Arguments<'_>, may_nest: bool, extent: Extent) -> Result<Draft> {
        let Json::Object(object) = value else {
            return Err(wrong(path, "must be an object with at least a \"content\""));
        };
        let entries = with_extra(object.as_vec());
        let mut sent = Sent { entries: &entries, taken: SmallVec::new(), path, given: FieldSet::default() };
        let uid = sent.text(&["uid"], limits::WORD_CHARS)?.and_then(|uid| Uuid::try_parse(&uid).ok());
        let id = sent.text(&["id"], limits::WORD_CHARS)?.filter(|id| !id.trim().is_empty()).map(SmolStr::from);
        let content = sent.content(extent)?;
        let (status, status_raw, deleted) = sent.status()?;
        let fields = Fields { content, status, status_raw, ..Fields::sent(&mut sent)? };
        let subtasks = sent.subtasks(may_nest, extent)?;
        let (mut given, taken) = (sent.given, sent.taken);
        let rest = entries.iter().filter(|(key, _)| !taken.contains(&&**key) && !OURS.contains(&&**key));
        let extra: Map<String, Value> = rest.map(|(key, value)| (key.to_string(), value.into())).collect();
        if let Some((key, _)) = extra.iter().find(|(_, value)| limits::is_too_deep(value)) {
            let problem = format!("is nested more than {} levels deep; send it flatter", limits::DEPTH);
            return Err(wrong(format!("{path}.{}", short(key)), &problem));
        }
        if !extra.is_empty() {
            given.insert(Field::Extra);
        }
        if extent == Extent::Partial && uid.is_none() && id.is_none() && fields.content.is_empty() && may_nest {
            return Err(wrong(path, "names no item; send its \"id\", or \"content\" for a new one"));
        }
        Ok(Draft { uid, id, fields: Fields { extra, ..fields }.into(), subtasks, deleted, given })
    }

    fn get(&self, name: &str) -> Option<&'a Json<'a>> {
        find(self.entries, name).filter(|_| !self.taken.contains(&name))
    }

    fn take(&mut self, names: &[&'static str]) -> Option<(&'static str, &'a Json<'a>)> {
        let says = |value: &Json<'_>| match value {
            Json::Null => false,
            Json::Str(text) => !text.trim().is_empty(),
            Json::Array(values) => !values.is_empty(),
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
        find(self.entries, name).map(|value| (name, value))
    }

    /// Notes that a field was sent, if only as null.
    fn note(&mut self, field: Field) {
        if field.keys().iter().any(|name| self.get(name).is_some()) {
            self.given.insert(field);
        }
    }

    /// Text of at most `limit` characters; a number is taken as its text.
    fn text(&mut self, names: &[&'static str], limit: usize) -> Result<Option<Cow<'a, str>>> {
        let Some((name, value)) = self.take(names) else { return Ok(None) };
        let path = || format!("{}.{name}", self.path);
        let text = match value {
            Json::Str(text) => Cow::Borrowed(&**text),
            Json::Number(number) if name != "content" => Cow::Owned(Number::from(*number).to_string()),
            other => return Err(wrong(path(), &format!("must be text, not {}", kind(other)))),
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
        let text = self.text(field.keys(), limits::TEXT_CHARS)?;
        Ok(text.filter(|text| !text.trim().is_empty()).map(Cow::into_owned))
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
                    Err(wrong(format!("{}.content", self.path), &expected))
                }
                Extent::Partial => Ok(String::new()),
            };
        };
        self.given.insert(Field::Content);
        // A null under another name says nothing.
        if name != CONTENT[0] && self.get(CONTENT[0]).is_some_and(Json::is_null) {
            self.taken.push(CONTENT[0]);
        }
        let content = self.text(&[name], limits::TEXT_CHARS)?.unwrap_or_default();
        // Control characters are never shown: made of nothing else, it would say nothing.
        if content.chars().all(|c| c.is_whitespace() || c.is_control()) {
            return Err(Error::Item(say::item_empty(format!("{}.{name}", self.path), limits::TEXT_CHARS)));
        }
        Ok(content.into_owned())
    }

    /// The status, the sender's word for it where it is none of ours, and whether it says that the item is no more.
    fn status(&mut self) -> Result<(Status, Option<String>, bool)> {
        self.note(Field::Status);
        let raw = self.get("statusRaw").and_then(Json::as_str).filter(|raw| raw.chars().count() <= limits::WORD_CHARS);
        let raw = raw.map(str::to_owned);
        let Some(word) = self.text(&["status"], limits::WORD_CHARS)? else {
            // Some lists know only done and not done.
            let done = ["completed", "done"].into_iter().find(|name| self.get(name).is_some_and(Json::is_bool));
            let Some(name) = done else { return Ok((Status::Pending, None, false)) };
            self.given.insert(Field::Status);
            let done = self.get(name).and_then(Json::as_bool).unwrap_or_default();
            self.taken.push(name);
            return Ok((if done { Status::Completed } else { Status::Pending }, None, false));
        };
        Ok(match Status::from_word(&word) {
            Status::Unknown if word == Status::Unknown.name() => (Status::Unknown, raw, false),
            Status::Unknown if Status::says_deleted(&word) => (Status::Cancelled, None, true),
            Status::Unknown => (Status::Unknown, Some(word.into_owned()), false),
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
            Json::Array(values) => values.as_slice(),
            single => std::slice::from_ref(single),
        };
        if values.len() > limits::ITEMS {
            return Err(wrong(&path, &format!("names {} items, it may name {}", values.len(), limits::ITEMS)));
        }
        values
            .iter()
            .filter(|value| value.as_str().is_none_or(|word| !word.trim().is_empty()))
            .map(|value| match value {
                Json::Str(word) if word.chars().count() <= limits::TEXT_CHARS => Ok(word.to_string()),
                Json::Number(number) => Ok(Number::from(*number).to_string()),
                other => Err(wrong(&path, &format!("must hold ids or texts of items, not {}", kind(other)))),
            })
            .collect()
    }

    fn subtasks(&mut self, may_nest: bool, extent: Extent) -> Result<Vec<Draft>> {
        let Some((name, value)) = self.take(&["subtasks"]) else { return Ok(Vec::new()) };
        let path = format!("{}.{name}", self.path);
        let Json::Array(subtasks) = value else {
            return Err(wrong(&path, "must be an array of items"));
        };
        if !may_nest && !subtasks.is_empty() {
            return Err(Error::Item(say::item_too_deep(path)));
        }
        if subtasks.len() > limits::ITEMS {
            return Err(wrong(&path, "has too many subtasks, an item may have 256"));
        }
        subtasks
            .iter()
            .enumerate()
            .map(|(i, sub)| Sent::item(sub, format_args!("{path}[{i}]"), false, extent))
            .collect()
    }
}

fn kind(value: &Json<'_>) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "true or false",
        Json::Number(_) => "a number",
        Json::Str(_) => "a text of that length",
        Json::Array(_) => "an array",
        Json::Object(_) => "an object",
    }
}
