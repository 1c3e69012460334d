//! An item as it is sent: everything optional but the content, unknown keys kept.

pub(crate) mod sent;

use crate::fields::has_fields;
use crate::{Error, Field, FieldSet, Fields, Item, Names, Result, Status, limits};
use sent::{Extent, Sent, wrong};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json_borrow::Value as Json;
use smol_str::SmolStr;
use std::sync::Arc;
use uuid::Uuid;

/// An item before it has a place in a list. Its fields are reached as its own: `draft.content`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, remote = "Self")]
pub struct Draft {
    /// Our identifier of the item, where the sender repeats it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uid: Option<Uuid>,
    /// The sender's identifier of the item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<SmolStr>,
    /// Everything that the sender decides.
    #[serde(flatten, skip_deserializing)]
    pub fields: Arc<Fields>,
    /// One level.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subtasks: Vec<Draft>,
    /// The sender deleted the item: it is left out of a complete list, and removed by a part of one.
    #[serde(skip)]
    pub deleted: bool,
    /// The fields that were sent, for partial lists; an empty one counts.
    #[serde(skip)]
    pub given: FieldSet,
}

has_fields!(Draft, Names::Stored);

impl Draft {
    /// A draft that has a content and nothing else.
    #[must_use]
    pub fn new(content: impl Into<String>) -> Self {
        Self { fields: Fields { content: content.into(), ..Fields::default() }.into(), ..Self::default() }
    }

    /// A patch that sets the status, and the reason where there is one.
    #[must_use]
    pub fn of_status(status: Status, reason: Option<String>) -> Self {
        let given = [Field::Status].into_iter().chain(reason.is_some().then_some(Field::Reason)).collect();
        Self { fields: Fields { status, reason, ..Fields::default() }.into(), given, ..Self::default() }
    }

    /// The item, as if its author sent it again.
    #[must_use]
    pub fn of(item: &Item) -> Self {
        Self { subtasks: item.subtasks.iter().map(Self::of).collect(), ..Self::alone_of(item) }
    }

    /// The same without its subtasks.
    pub(crate) fn alone_of(item: &Item) -> Self {
        Self { uid: Some(item.uid), id: Some(item.id.clone()), fields: item.fields.clone(), ..Self::default() }
    }

    /// The draft with another status.
    #[must_use]
    pub fn with_status(mut self, status: Status) -> Self {
        self.status = status;
        self
    }

    /// Reads a complete list as an agent sends it: an array, or a text that holds one as JSON, as some models send it.
    ///
    /// # Errors
    /// When it is not an array of items, or over a limit of [`limits`]; the message names the place.
    pub fn list(value: &Value) -> Result<Vec<Self>> {
        Self::read_list(value, Extent::Complete)
    }

    /// Reads the changed part of a list: an item that has an `id` or `uid` may leave everything else out.
    ///
    /// # Errors
    /// Those of [`Draft::list`].
    pub fn part(value: &Value) -> Result<Vec<Self>> {
        Self::read_list(value, Extent::Partial)
    }

    fn read_list(value: &Value, extent: Extent) -> Result<Vec<Self>> {
        let json = match value {
            Value::String(text) => serde_json::from_str(text).unwrap_or(Json::Null),
            list => Json::from(list),
        };
        let Json::Array(items) = &json else {
            return Err(wrong("todos", "must be an array of items, each with at least a \"content\""));
        };
        if items.len() > limits::ITEMS {
            return Err(Error::TooManyItems { sent: items.len() });
        }
        let drafts: Vec<Self> = items
            .iter()
            .enumerate()
            .map(|(i, item)| Sent::item(item, format_args!("todos[{i}]"), true, extent))
            .collect::<Result<_>>()?;
        let sent = match value {
            // It is shorter without its spaces.
            Value::String(text) if text.len() <= limits::LIST_BYTES => text.len(),
            Value::String(_) => json.to_string().len(),
            list => list.to_string().len(),
        };
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

    /// Reads one item that is sent by itself; `path` names it in errors.
    ///
    /// # Errors
    /// Those of an item in [`Draft::list`], and when it is larger than a complete list may be.
    pub fn one(value: &Value, path: &str) -> Result<Self> {
        let draft = Sent::item(&value.into(), format_args!("{path}"), true, Extent::Complete)?;
        match value.to_string().len() {
            sent if sent > limits::LIST_BYTES => Err(Error::ListTooLarge { sent }),
            _ => Ok(draft),
        }
    }

    /// Reads new values for some fields of an existing item; `null` and `""` empty a field.
    ///
    /// # Errors
    /// When a field is of the wrong type or too long, or none is given.
    pub fn patch(value: &Value, path: &str) -> Result<Self> {
        if value.get("subtasks").is_some() {
            return Err(wrong(
                format!("{path}.subtasks"),
                "cannot be set here; change each subtask by its own position",
            ));
        }
        let draft = Sent::item(&value.into(), format_args!("{path}"), false, Extent::Partial)?;
        if draft.given.is_empty() {
            return Err(wrong(path, "changes nothing; send at least one field, such as \"content\" or \"priority\""));
        }
        Ok(draft)
    }

    /// The draft as an agent sends it: [`Draft::list`] reads the same draft back.
    #[must_use]
    pub fn sent(&self) -> Value {
        let Ok(Value::Object(mut map)) = self.fields.wire(serde_json::value::Serializer) else { return Value::Null };
        let word = map.remove("statusRaw").filter(|_| !self.deleted);
        if let Some(word) = word.or_else(|| self.deleted.then(|| "deleted".into())) {
            map.insert("status".to_owned(), word);
        }
        if let Some(Value::Object(extra)) = map.remove("extra") {
            for (key, value) in extra {
                map.entry(key).or_insert(value);
            }
        }
        map.extend(self.uid.map(|uid| ("uid".to_owned(), uid.to_string().into())));
        map.extend(self.id.clone().map(|id| ("id".to_owned(), id.as_str().into())));
        if !self.subtasks.is_empty() {
            map.insert("subtasks".to_owned(), self.subtasks.iter().map(Self::sent).collect());
        }
        Value::Object(map)
    }

    /// The draft without its subtasks.
    pub(crate) fn alone(&self) -> Self {
        Self { subtasks: Vec::new(), ..self.clone() }
    }

    /// The draft without its subtasks, and those.
    pub(crate) fn split(mut self) -> (Self, Vec<Self>) {
        let subtasks = std::mem::take(&mut self.subtasks);
        (self, subtasks)
    }
}
