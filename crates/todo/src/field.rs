//! The fields of an item that can be set one by one, and a set of values for some of them.

use crate::{Draft, Item, Priority, Status, short};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A field of an item that an agent or the user decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Field {
    /// What it says.
    Content,
    /// See [`Item::active_form`].
    ActiveForm,
    /// Its status, with the agent's own word for it.
    Status,
    /// See [`Item::priority`].
    Priority,
    /// See [`Item::category`].
    Category,
    /// See [`Item::depends_on`].
    DependsOn,
    /// See [`Item::estimate`].
    Estimate,
    /// See [`Item::description`].
    Description,
    /// See [`Item::notes`].
    Notes,
    /// See [`Item::owner`].
    Owner,
    /// See [`Item::reason`].
    Reason,
    /// All keys that we do not know.
    Extra,
}

impl Field {
    /// Every field.
    pub const ALL: [Self; 12] = [
        Self::Content,
        Self::ActiveForm,
        Self::Status,
        Self::Priority,
        Self::Category,
        Self::DependsOn,
        Self::Estimate,
        Self::Description,
        Self::Notes,
        Self::Owner,
        Self::Reason,
        Self::Extra,
    ];

    /// The name in sentences: `priority`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Content => "text",
            Self::ActiveForm => "activeForm",
            Self::Status => "status",
            Self::Priority => "priority",
            Self::Category => "category",
            Self::DependsOn => "dependsOn",
            Self::Estimate => "estimate",
            Self::Description => "description",
            Self::Notes => "notes",
            Self::Owner => "owner",
            Self::Reason => "reason",
            Self::Extra => "other fields",
        }
    }
}

/// What an item says, seen as its fields; drafts and items have the same ones.
macro_rules! fields {
    ($field:expr, $each:ident) => {
        match $field {
            Field::Content => $each!(content),
            Field::ActiveForm => $each!(active_form),
            Field::Status => $each!(status, status_raw),
            Field::Priority => $each!(priority),
            Field::Category => $each!(category),
            Field::DependsOn => $each!(depends_on),
            Field::Estimate => $each!(estimate),
            Field::Description => $each!(description),
            Field::Notes => $each!(notes),
            Field::Owner => $each!(owner),
            Field::Reason => $each!(reason),
            Field::Extra => $each!(extra),
        }
    };
}

impl Draft {
    /// Whether both have the same value in a field.
    #[must_use]
    pub fn same(&self, field: Field, other: &Self) -> bool {
        macro_rules! same {
            ($($name:ident),+) => { true $(&& self.$name == other.$name)+ };
        }
        fields!(field, same)
    }

    /// Takes a field's value over.
    pub fn copy(&mut self, field: Field, from: &Self) {
        macro_rules! copy {
            ($($name:ident),+) => {{ $(self.$name.clone_from(&from.$name);)+ }};
        }
        fields!(field, copy);
    }

    /// Whether it says nothing in a field: the value of one that was left out.
    #[must_use]
    pub fn is_silent(&self, field: Field) -> bool {
        !matches!(field, Field::Content | Field::Status) && self.same(field, &Self::default())
    }

    /// Its values of some fields in words: `status completed, notes "half way"`.
    #[must_use]
    pub fn said(&self, fields: &BTreeSet<Field>) -> String {
        let said = |field: &Field| {
            let text = |text: &Option<String>| match text {
                Some(text) => format!("\"{}\"", short(text)),
                None => "none".to_owned(),
            };
            let value = match field {
                Field::Content => format!("\"{}\"", short(&self.content)),
                Field::ActiveForm => text(&self.active_form),
                Field::Status => self.status.name().to_owned(),
                Field::Priority => self.priority.map_or("none", Priority::name).to_owned(),
                Field::Category => text(&self.category),
                Field::DependsOn if self.depends_on.is_empty() => "none".to_owned(),
                Field::DependsOn => short(&self.depends_on.join(", ")),
                Field::Estimate => text(&self.estimate),
                Field::Description => text(&self.description),
                Field::Notes => text(&self.notes),
                Field::Owner => text(&self.owner),
                Field::Reason => text(&self.reason),
                Field::Extra => short(&serde_json::Value::Object(self.extra.clone()).to_string()),
            };
            format!("{} {value}", field.name())
        };
        fields.iter().map(said).collect::<Vec<_>>().join(", ")
    }

    /// Its values of some fields, and nothing in the others.
    #[must_use]
    pub fn only(&self, fields: &BTreeSet<Field>) -> Self {
        let mut draft = Self::default();
        for field in fields {
            draft.copy(*field, self);
        }
        draft
    }
}

impl Item {
    /// Whether the item has a draft's value in a field.
    #[must_use]
    pub fn same(&self, field: Field, draft: &Draft) -> bool {
        macro_rules! same {
            ($($name:ident),+) => { true $(&& self.$name == draft.$name)+ };
        }
        fields!(field, same)
    }

    /// Takes a field's value over; what depends on it follows when the change is complete.
    pub(crate) fn set(&mut self, field: Field, draft: &Draft, now: jiff::Timestamp) {
        if field == Field::Status && self.status != draft.status {
            self.status_at = now;
        }
        if field == Field::DependsOn && self.depends_on != draft.depends_on {
            self.depends_on_uids.clear();
        }
        macro_rules! copy {
            ($($name:ident),+) => {{ $(self.$name.clone_from(&draft.$name);)+ }};
        }
        fields!(field, copy);
        if self.status != Status::Unknown {
            self.status_raw = None;
        }
    }
}
