//! An item as somebody sends it: everything optional but the content, unknown keys kept.

use crate::{Error, Item, Priority, Result, Status, limits};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

/// Keys that we write ourselves; a model that sends our own list back does not mean them.
const OURS: [&str; 5] = ["origin", "createdAt", "statusAt", "statusRaw", "position"];

/// An item before it has a place in a list.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Draft {
    /// Our name for it, when the sender repeats what we told.
    pub uid: Option<Uuid>,
    /// The sender's name for it.
    pub id: Option<String>,
    /// What it says.
    pub content: String,
    /// See [`Item::active_form`].
    pub active_form: Option<String>,
    /// See [`Item::status`].
    pub status: Status,
    /// See [`Item::status_raw`].
    pub status_raw: Option<String>,
    /// See [`Item::priority`].
    pub priority: Option<Priority>,
    /// See [`Item::category`].
    pub category: Option<String>,
    /// See [`Item::depends_on`].
    pub depends_on: Vec<String>,
    /// See [`Item::estimate`].
    pub estimate: Option<String>,
    /// See [`Item::description`].
    pub description: Option<String>,
    /// See [`Item::notes`].
    pub notes: Option<String>,
    /// See [`Item::owner`].
    pub owner: Option<String>,
    /// See [`Item::reason`].
    pub reason: Option<String>,
    /// One level.
    pub subtasks: Vec<Draft>,
    /// Unknown keys.
    pub extra: Map<String, Value>,
}

impl Draft {
    /// Reads a whole list as an agent sends it.
    ///
    /// # Errors
    /// When it is not an array of items, or over a limit of [`limits`]; the message names the place.
    pub fn list(value: &Value) -> Result<Vec<Self>> {
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
            .map(|(i, item)| Self::item(item, &format!("todos[{i}]"), true))
            .collect::<Result<_>>()?;
        if sent > limits::LIST_BYTES {
            return Err(Error::ListTooLarge { sent });
        }
        Ok(drafts)
    }

    /// Reads one item that is sent by itself.
    ///
    /// # Errors
    /// Those of [`Draft::item`], and when it is larger than a whole list may be.
    pub fn one(value: &Value, path: &str) -> Result<Self> {
        let draft = Self::item(value, path, true)?;
        match value.to_string().len() {
            sent if sent > limits::LIST_BYTES => Err(Error::ListTooLarge { sent }),
            _ => Ok(draft),
        }
    }

    /// Reads one item; `path` is where it stands in the message, for errors.
    ///
    /// # Errors
    /// When a field is of the wrong type, missing or too long.
    pub fn item(value: &Value, path: &str, may_nest: bool) -> Result<Self> {
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
        let mut fields = Fields { map: &mut map, path };
        let Some(content) = fields.text(&["content"], limits::TEXT_CHARS)? else {
            return Err(wrong(&format!("{path}.content"), "is missing; it must be text of 1 to 2000 characters"));
        };
        if content.trim().is_empty() {
            return Err(wrong(&format!("{path}.content"), "is empty; it must be text of 1 to 2000 characters"));
        }
        let raw = fields.map.get("statusRaw").and_then(Value::as_str).map(str::to_owned);
        let word = fields.text(&["status"], limits::WORD_CHARS)?.unwrap_or_default();
        let (status, status_raw) = match Status::from_word(&word) {
            Status::Unknown if word == Status::Unknown.name() => (Status::Unknown, raw),
            Status::Unknown => (Status::Unknown, Some(word)),
            known => (known, None),
        };
        let uid = match fields.text(&["uid"], limits::WORD_CHARS)? {
            Some(uid) => Uuid::try_parse(&uid).ok(),
            None => None,
        };
        let draft = Self {
            uid,
            id: fields.text(&["id"], limits::WORD_CHARS)?.filter(|id| !id.trim().is_empty()),
            content,
            active_form: fields.filled(&["activeForm", "active_form"])?,
            status,
            status_raw,
            priority: fields.priority(),
            category: fields.filled(&["category"])?,
            depends_on: fields.words(&["dependsOn", "depends_on", "blockedBy"])?,
            estimate: fields.filled(&["estimate", "estimatedTime", "estimated_time"])?,
            description: fields.filled(&["description"])?,
            notes: fields.filled(&["notes"])?,
            owner: fields.filled(&["owner"])?,
            reason: fields.filled(&["reason"])?,
            subtasks: fields.subtasks(may_nest)?,
            extra: Map::new(),
        };
        for key in OURS {
            map.remove(key);
        }
        Ok(Self { extra: map, ..draft })
    }

    /// Whether it says what the item says; ids and subtasks do not count.
    #[must_use]
    pub fn agrees_with(&self, item: &Item) -> bool {
        let other = Self::of(item);
        let mut own = self.clone();
        own.uid = other.uid;
        own.id.clone_from(&other.id);
        own.subtasks.clone_from(&other.subtasks);
        own == other
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
        }
    }
}

fn wrong(path: &str, problem: &str) -> Error {
    Error::Item { path: path.to_owned(), problem: problem.to_owned() }
}

/// Takes known keys out of an object, each under any of its names.
struct Fields<'a> {
    map: &'a mut Map<String, Value>,
    path: &'a str,
}

impl Fields<'_> {
    fn take(&mut self, names: &[&str]) -> Option<(String, Value)> {
        let found = names.iter().find_map(|name| self.map.remove(*name).map(|value| ((*name).to_owned(), value)));
        found.filter(|(_, value)| !value.is_null())
    }

    /// Text of at most `limit` characters; a number or a truth value is taken as its text.
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
                &format!("has {length} characters, it may have {limit}; shorten it and send the list again"),
            ));
        }
        Ok(Some(text))
    }

    /// Text, where nothing is the same as empty.
    fn filled(&mut self, names: &[&str]) -> Result<Option<String>> {
        Ok(self.text(names, limits::TEXT_CHARS)?.filter(|text| !text.trim().is_empty()))
    }

    /// One of our priorities; another word stays among the unknown keys.
    fn priority(&mut self) -> Option<Priority> {
        let priority = self.map.get("priority").and_then(Value::as_str).and_then(Priority::from_word)?;
        self.map.remove("priority");
        Some(priority)
    }

    fn words(&mut self, names: &[&str]) -> Result<Vec<String>> {
        let Some((name, value)) = self.take(names) else { return Ok(Vec::new()) };
        let path = format!("{}.{name}", self.path);
        let values = match value {
            Value::Array(values) => values,
            single => vec![single],
        };
        values
            .into_iter()
            .filter(|value| value.as_str() != Some(""))
            .map(|value| match value {
                Value::String(word) if word.chars().count() <= limits::TEXT_CHARS => Ok(word),
                Value::Number(number) => Ok(number.to_string()),
                other => Err(wrong(&path, &format!("must hold ids or texts of items, not {}", kind(&other)))),
            })
            .collect()
    }

    fn subtasks(&mut self, may_nest: bool) -> Result<Vec<Draft>> {
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
        subtasks.iter().enumerate().map(|(i, sub)| Draft::item(sub, &format!("{path}[{i}]"), false)).collect()
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
