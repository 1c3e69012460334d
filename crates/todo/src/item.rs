//! The item: one step of a list, with everything that any known agent sends of it.

use crate::fields::has_fields;
use crate::{Field, Fields, Names, Status};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use std::collections::HashMap;
use std::sync::Arc;
use ts_rs::TS;
use uuid::Uuid;

/// The urgency of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    /// Before the others.
    High,
    /// As usual.
    Medium,
    /// When there is time.
    Low,
}

impl Priority {
    /// Reads `high`, `medium` or `low`, in any case.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        match word.trim().to_ascii_lowercase().as_str() {
            "high" => Some(Self::High),
            "medium" => Some(Self::Medium),
            "low" => Some(Self::Low),
            _ => None,
        }
    }

    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

/// The author of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// An agent sent it.
    #[default]
    Agent,
    /// The user added it; an agent's next list does not remove it.
    User,
}

/// One step of a list. A subtask is an item too, without subtasks of its own.
// In Rust its fields are reached as its own: `item.content`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase", remote = "Self")]
#[schemars(rename = "Item")]
pub struct Item {
    /// Our identifier, stable over the item's life, whatever identifier the agent uses.
    #[ts(type = "string")]
    pub uid: Uuid,
    /// The agent's identifier; where it gave none, one of ours: `t1`, `t2`, … , never reused in a session.
    #[ts(type = "string")]
    #[schemars(with = "String")]
    pub id: SmolStr,
    /// Everything that an agent or the user decides.
    #[serde(flatten, serialize_with = "wire", skip_deserializing)]
    #[ts(flatten)]
    pub fields: Arc<Fields>,
    /// The item that each of `dependsOn` means, in the same order; null for one that means none and blocks nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<Option<String>>>", optional)]
    pub depends_on_uids: Vec<Option<Uuid>>,
    /// It is pending, and an item that it depends on is not terminal. Derived.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub waiting: bool,
    /// The estimate in minutes, where it can be read. Derived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub estimate_minutes: Option<u32>,
    /// One level, shown as 1.1, 1.2, …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<Item>>", optional)]
    pub subtasks: Vec<Item>,
    /// Its author.
    #[serde(default)]
    pub origin: Origin,
    /// The time at which it came into the list (RFC 3339, UTC).
    #[ts(type = "string")]
    pub created_at: Timestamp,
    /// The time since which it has had its status (RFC 3339, UTC).
    #[ts(type = "string")]
    pub status_at: Timestamp,
    /// The time it was in progress, in milliseconds, over all its restarts; a stretch that goes on begins at
    /// `statusAt` and is not in it.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[ts(as = "Option<u32>", optional)]
    pub worked_ms: u64,
    /// The number of times that it was taken up again after it was done.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[ts(as = "Option<u32>", optional)]
    pub reopened: u64,
    /// Its order among its neighbours; never on the wire.
    #[serde(skip)]
    #[ts(skip)]
    pub rank: SmolStr,
}

fn wire<S: serde::Serializer>(fields: &Fields, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    fields.wire(serializer)
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

has_fields!(Item, Names::Wire);

impl Item {
    /// An item of an agent's that is new at a time, without subtasks and rank.
    #[must_use]
    pub fn new(uid: Uuid, id: impl Into<SmolStr>, fields: impl Into<Arc<Fields>>, now: Timestamp) -> Self {
        Self {
            uid,
            id: id.into(),
            fields: fields.into(),
            depends_on_uids: Vec::new(),
            waiting: false,
            estimate_minutes: None,
            subtasks: Vec::new(),
            origin: Origin::Agent,
            created_at: now,
            status_at: now,
            worked_ms: 0,
            reopened: 0,
            rank: SmolStr::default(),
        }
    }

    /// True if both are equal apart from their subtasks, which are compared and stored on their own, and from the values
    /// that are derived from other items.
    #[must_use]
    pub fn is_as(&self, other: &Self) -> bool {
        let Self { uid, id, fields, depends_on_uids, waiting: _, estimate_minutes: _, subtasks: _, .. } = self;
        let Self { origin, created_at, status_at, worked_ms, reopened, rank, .. } = self;
        (uid, id, fields, depends_on_uids) == (&other.uid, &other.id, &other.fields, &other.depends_on_uids)
            && (origin, created_at, status_at) == (&other.origin, &other.created_at, &other.status_at)
            && (worked_ms, reopened, rank) == (&other.worked_ms, &other.reopened, &other.rank)
    }

    /// Takes the value of a field over; everything that depends on it follows when the change is complete.
    pub(crate) fn set(&mut self, field: Field, from: &Fields, now: Timestamp) {
        if field == Field::Status && self.status != from.status {
            self.status_at = now;
        }
        if field == Field::DependsOn && self.depends_on != from.depends_on {
            self.depends_on_uids.clear();
        }
        self.copy(field, from);
        if self.status != Status::Unknown {
            self.status_raw = None;
        }
    }

    /// Replaces its uid and those that it depends on, where `uids` has another for them.
    pub fn rename(&mut self, uids: &HashMap<Uuid, Uuid>) {
        self.uid = uids.get(&self.uid).copied().unwrap_or(self.uid);
        for uid in self.depends_on_uids.iter_mut().flatten() {
            *uid = uids.get(uid).copied().unwrap_or(*uid);
        }
        for sub in &mut self.subtasks {
            sub.rename(uids);
        }
    }

    /// The text to show for it now: the `activeForm` while in progress, otherwise the content.
    #[must_use]
    pub fn label(&self) -> &str {
        match (&self.active_form, self.status) {
            (Some(form), Status::InProgress) => form,
            _ => &self.content,
        }
    }
}
