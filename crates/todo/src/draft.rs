//! An item as somebody sends it: everything optional but the content, unknown keys kept.

use crate::{Error, Field, Item, Priority, Result, Status, limits};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use uuid::Uuid;

/// Keys that we write ourselves; a model that sends our own list back does not mean them.
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

/// What agents call the content, best first. `description` says it only where nothing else does (Gemini).
const CONTENT: [&str; 6] = ["content", "text", "title", "step", "subject", "task"];

/// An item before it has a place in a list.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Draft {
    /// Our name for it, when the sender repeats what we told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uid: Option<Uuid>,
    /// The sender's name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What it says.
    pub content: String,
    /// See [`Item::active_form`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_form: Option<String>,
    /// See [`Item::status`].
    pub status: Status,
    /// See [`Item::status_raw`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_raw: Option<String>,
    /// See [`Item::priority`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// See [`Item::category`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// See [`Item::depends_on`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    /// See [`Item::estimate`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<String>,
    /// See [`Item::description`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// See [`Item::notes`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// See [`Item::owner`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// See [`Item::reason`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// One level.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subtasks: Vec<Draft>,
    /// Unknown keys.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
    /// Its status says that it is no more: left out of a whole list, taken out by a part of one.
    #[serde(skip)]
    pub deleted: bool,
    /// The fields that were sent, for those who send parts; an empty one counts.
    #[serde(skip)]
    pub given: BTreeSet<Field>,
}

impl Draft {
    /// Reads a whole list as an agent sends it.
    ///
    /// # Errors
    /// When it is not an array of items, or over a limit of [`limits`]; the message names the place.
    pub fn list(value: &Value) -> Result<Vec<Self>> {
        Self::read_list(value, Whole::Yes)
    }

    /// Reads the changed part of a list: an item that names its `id` or `uid` may leave everything else out.
    ///
    /// # Errors
    /// Those of [`Draft::list`].
    pub fn part(value: &Value) -> Result<Vec<Self>> {
        Self::read_list(value, Whole::No)
    }

    fn read_list(value: &Value, whole: Whole) -> Result<Vec<Self>> {
        let Value::Array(items) = value else {
            return Err(wrong("todos", "must be an array of items, each with at least a \"content\""));
        };
        if items.len() > limits::ITEMS {
            return Err(Error::TooManyItems { sent: items.len() });
        }
        let sent = value.to_string().len();
        let drafts: Vec<Self> = items
            .iter()
            .enumerate()
            .map(|(i, item)| Self::item(item, &format!("todos[{i}]"), true, whole))
            .collect::<Result<_>>()?;
        if sent > limits::LIST_BYTES {
            return Err(Error::ListTooLarge { sent });
        }
        let named = |draft: &Self| draft.depends_on.len();
        let dependencies: usize =
            drafts.iter().map(|draft| named(draft) + draft.subtasks.iter().map(named).sum::<usize>()).sum();
        if dependencies > limits::DEPENDENCIES {
            return Err(wrong(
                "todos",
                &format!("names {dependencies} dependencies, a list may have {}", limits::DEPENDENCIES),
            ));
        }
        Ok(drafts)
    }

    /// Reads one item that is sent by itself.
    ///
    /// # Errors
    /// Those of [`Draft::item`], and when it is larger than a whole list may be.
    pub fn one(value: &Value, path: &str) -> Result<Self> {
        let draft = Self::item(value, path, true, Whole::Yes)?;
        match value.to_string().len() {
            sent if sent > limits::LIST_BYTES => Err(Error::ListTooLarge { sent }),
            _ => Ok(draft),
        }
    }

    /// Reads new values for some fields of an item that there is; `null` and `""` empty a field.
    ///
    /// # Errors
    /// When a field is of the wrong type or too long, or none is given.
    pub fn patch(value: &Value, path: &str) -> Result<Self> {
        if value.get("subtasks").is_some() {
            return Err(wrong(
                &format!("{path}.subtasks"),
                "cannot be set here; change each subtask by its own position",
            ));
        }
        let draft = Self::item(value, path, false, Whole::No)?;
        if draft.given.is_empty() {
            return Err(wrong(path, "changes nothing; send at least one field, such as \"content\" or \"priority\""));
        }
        Ok(draft)
    }

    /// Reads one item; `path` is where it stands in the message, for errors.
    fn item(value: &Value, path: &str, may_nest: bool, whole: Whole) -> Result<Self> {
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
        let mut fields = Fields { map: &mut map, path, given: BTreeSet::new() };
        let uid = match fields.text(&["uid"], limits::WORD_CHARS)? {
            Some(uid) => Uuid::try_parse(&uid).ok(),
            None => None,
        };
        let id = fields.text(&["id"], limits::WORD_CHARS)?.filter(|id| !id.trim().is_empty());
        let content = fields.content(whole)?;
        let (status, status_raw, deleted) = fields.status()?;
        let draft = Self {
            uid,
            id,
            content,
            active_form: fields.filled(Field::ActiveForm, &["activeForm", "active_form"])?,
            status,
            status_raw,
            priority: fields.priority(),
            category: fields.filled(Field::Category, &["category"])?,
            depends_on: fields.words(&["dependsOn", "depends_on", "blockedBy", "dependencies"])?,
            estimate: fields.filled(Field::Estimate, &["estimate", "estimatedTime", "estimated_time"])?,
            description: fields.filled(Field::Description, &["description"])?,
            notes: fields.filled(Field::Notes, &["notes"])?,
            owner: fields.filled(Field::Owner, &["owner"])?,
            reason: fields.filled(Field::Reason, &["reason"])?,
            subtasks: fields.subtasks(may_nest, whole)?,
            deleted,
            ..Self::default()
        };
        let mut given = fields.given;
        for key in OURS {
            map.remove(key);
        }
        if !map.is_empty() {
            given.insert(Field::Extra);
        }
        if whole == Whole::No && draft.uid.is_none() && draft.id.is_none() && draft.content.is_empty() && may_nest {
            return Err(wrong(path, "names no item; send its \"id\", or \"content\" for a new one"));
        }
        Ok(Self { extra: map, given, ..draft })
    }

    /// It as an agent sends it: [`Draft::list`] reads the same draft back.
    #[must_use]
    pub fn sent(&self) -> Value {
        let mut map = self.extra.clone();
        let mut put = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                map.insert(key.to_owned(), value);
            }
        };
        let text = |text: &Option<String>| text.clone().map(Value::String);
        let status = self.status_raw.as_deref().unwrap_or_else(|| self.status.name());
        put("uid", self.uid.map(|uid| Value::String(uid.to_string())));
        put("id", text(&self.id));
        put("content", Some(Value::String(self.content.clone())));
        put("status", Some(Value::String(if self.deleted { "deleted" } else { status }.to_owned())));
        put("activeForm", text(&self.active_form));
        put("priority", self.priority.map(|priority| Value::String(priority.name().to_owned())));
        put("category", text(&self.category));
        let depends_on = self.depends_on.iter().cloned().map(Value::String).collect::<Vec<_>>();
        put("dependsOn", Some(Value::Array(depends_on)).filter(|_| !self.depends_on.is_empty()));
        put("estimate", text(&self.estimate));
        put("description", text(&self.description));
        put("notes", text(&self.notes));
        put("owner", text(&self.owner));
        put("reason", text(&self.reason));
        let subtasks = self.subtasks.iter().map(Self::sent).collect::<Vec<_>>();
        put("subtasks", Some(Value::Array(subtasks)).filter(|_| !self.subtasks.is_empty()));
        Value::Object(map)
    }

    /// Its unknown keys over others; null takes one away.
    pub(crate) fn extra_over(&self, old: &Map<String, Value>) -> Map<String, Value> {
        let mut extra = old.clone();
        for (key, value) in &self.extra {
            if value.is_null() {
                extra.remove(key);
            } else {
                extra.insert(key.clone(), value.clone());
            }
        }
        extra
    }

    /// It without its subtasks.
    pub(crate) fn alone(&self) -> Self {
        Self { subtasks: Vec::new(), ..self.clone() }
    }

    /// It without its subtasks, and those.
    pub(crate) fn split(mut self) -> (Self, Vec<Self>) {
        let subtasks = std::mem::take(&mut self.subtasks);
        (self, subtasks)
    }

    /// Whether it says what the item says; ids and subtasks do not count.
    #[must_use]
    pub fn agrees_with(&self, item: &Item) -> bool {
        Field::ALL.into_iter().all(|field| item.same(field, self))
    }

    /// What an item says, as if its own author sent it again.
    #[must_use]
    pub fn of(item: &Item) -> Self {
        Self {
            uid: Some(item.uid),
            id: Some(item.id.clone()),
            content: item.content.clone(),
            active_form: item.active_form.clone(),
            status: item.status,
            status_raw: item.status_raw.clone(),
            priority: item.priority,
            category: item.category.clone(),
            depends_on: item.depends_on.clone(),
            estimate: item.estimate.clone(),
            description: item.description.clone(),
            notes: item.notes.clone(),
            owner: item.owner.clone(),
            reason: item.reason.clone(),
            subtasks: item.subtasks.iter().map(Self::of).collect(),
            extra: item.extra.clone(),
            deleted: false,
            given: BTreeSet::new(),
        }
    }
}

fn wrong(path: &str, problem: &str) -> Error {
    Error::Item { path: path.to_owned(), problem: problem.to_owned() }
}

/// Whether an item has to stand by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whole {
    Yes,
    No,
}

/// Takes known keys out of an object, each under any of its names.
struct Fields<'a> {
    map: &'a mut Map<String, Value>,
    path: &'a str,
    given: BTreeSet<Field>,
}

impl Fields<'_> {
    fn take(&mut self, names: &[&str]) -> Option<(String, Value)> {
        let says = |value: &Value| match value {
            Value::Null => false,
            Value::String(text) => !text.trim().is_empty(),
            Value::Array(values) => !values.is_empty(),
            _ => true,
        };
        let name = names.iter().copied().find(|name| self.map.get(*name).is_some_and(says));
        // What says nothing hides no other name, and is no unknown key.
        for name in names {
            if self.map.get(*name).is_some_and(|value| !says(value)) {
                self.map.remove(*name);
            }
        }
        let name = name?;
        self.map.remove(name).map(|value| (name.to_owned(), value))
    }

    /// Notes that a field is there, if only as null.
    fn note(&mut self, field: Field, names: &[&str]) {
        if names.iter().any(|name| self.map.contains_key(*name)) {
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

    /// Text, where nothing is the same as empty.
    fn filled(&mut self, field: Field, names: &[&str]) -> Result<Option<String>> {
        self.note(field, names);
        Ok(self.text(names, limits::TEXT_CHARS)?.filter(|text| !text.trim().is_empty()))
    }

    /// The content, under the first of its names that is there; other names stay what they are.
    fn content(&mut self, whole: Whole) -> Result<String> {
        let named = |fields: &Self, name: &&&str| fields.map.get(**name).is_some_and(|value| !value.is_null());
        let mut name = CONTENT.iter().find(|name| named(self, name)).copied();
        if name.is_none() && whole == Whole::Yes && named(self, &&"description") {
            name = Some("description");
        }
        let expected = "it must be text of 1 to 2000 characters";
        let Some(name) = name else {
            let empty = self.map.contains_key("content");
            return match whole {
                Whole::Yes => Err(wrong(&format!("{}.content", self.path), &format!("is missing; {expected}"))),
                Whole::No if empty => Err(wrong(&format!("{}.content", self.path), &format!("is null; {expected}"))),
                Whole::No => Ok(String::new()),
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
        self.note(Field::Status, &["status"]);
        let raw = self.map.get("statusRaw").and_then(Value::as_str).map(str::to_owned);
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
    fn priority(&mut self) -> Option<Priority> {
        self.note(Field::Priority, &["priority"]);
        let value = self.map.get("priority")?;
        if value.is_null() || value.as_str().is_some_and(|word| word.trim().is_empty()) {
            self.map.remove("priority");
            return None;
        }
        let priority = value.as_str().and_then(Priority::from_word)?;
        self.map.remove("priority");
        Some(priority)
    }

    fn words(&mut self, names: &[&str]) -> Result<Vec<String>> {
        self.note(Field::DependsOn, names);
        let Some((name, value)) = self.take(names) else { return Ok(Vec::new()) };
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

    fn subtasks(&mut self, may_nest: bool, whole: Whole) -> Result<Vec<Draft>> {
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
        subtasks.iter().enumerate().map(|(i, sub)| Draft::item(sub, &format!("{path}[{i}]"), false, whole)).collect()
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
