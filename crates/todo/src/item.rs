//! The item: everything that any known agent says of one step.

use crate::Status;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::HashMap;
use ts_rs::TS;
use uuid::Uuid;

/// How urgent an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
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

/// Who put an item into the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// An agent wrote it.
    #[default]
    Agent,
    /// The user added it; an agent's next list does not remove it.
    User,
}

/// One step of a list. A subtask is an item too, without subtasks of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// Ours, stable over the item's life, whatever the agent calls it.
    #[ts(type = "string")]
    pub uid: Uuid,
    /// What the agent calls it; where it gave no name, ours: `t1`, `t2`, … , never reused in a session.
    pub id: String,
    /// 1 to 2,000 characters.
    pub content: String,
    /// What to show while it is in progress: "Fixing the parser".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub active_form: Option<String>,
    /// What has become of it.
    pub status: Status,
    /// The agent's own word, when it was none of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub status_raw: Option<String>,
    /// How urgent it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub priority: Option<Priority>,
    /// A free word, such as `testing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub category: Option<String>,
    /// What has to be met first, as the agent said it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub depends_on: Vec<String>,
    /// The item that each of `dependsOn` means, in the same order; null for one that means none and blocks nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<Option<String>>>", optional)]
    pub depends_on_uids: Vec<Option<Uuid>>,
    /// Pending, and something that it depends on is not terminal. Derived by [`crate::depends::derive`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub waiting: bool,
    /// How long it should take, as the agent said it: `30min`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub estimate: Option<String>,
    /// The same in minutes, where it can be read. Derived by [`crate::depends::derive`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub estimate_minutes: Option<u32>,
    /// More about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub description: Option<String>,
    /// Remarks made on the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub notes: Option<String>,
    /// Which agent has taken it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub owner: Option<String>,
    /// Why it was skipped or is blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reason: Option<String>,
    /// One level, shown as 1.1, 1.2, …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<Item>>", optional)]
    pub subtasks: Vec<Item>,
    /// Who put it there.
    #[serde(default)]
    pub origin: Origin,
    /// When it came into the list (RFC 3339, UTC).
    #[ts(type = "string")]
    pub created_at: Timestamp,
    /// Since when it has had its status (RFC 3339, UTC).
    #[ts(type = "string")]
    pub status_at: Timestamp,
    /// How long it was in progress, in milliseconds, over all its restarts; a stretch that goes on begins at
    /// `statusAt` and is not in it.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[ts(as = "Option<u32>", optional)]
    pub worked_ms: u64,
    /// How often it was taken up again after it was done.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[ts(as = "Option<u32>", optional)]
    pub reopened: u64,
    /// Every key that we do not know, as it was sent.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[ts(type = "Record<string, unknown>", optional)]
    pub extra: Map<String, Value>,
    /// Where it stands among its neighbours; never on the wire.
    #[serde(skip)]
    #[ts(skip)]
    pub rank: String,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Item {
    /// Whether both are the same but for what is compared and stored elsewhere: subtasks, and what is derived from
    /// other items.
    #[must_use]
    pub fn is_as(&self, other: &Self) -> bool {
        let Self {
            uid,
            id,
            content,
            active_form,
            status,
            status_raw,
            priority,
            category,
            depends_on,
            depends_on_uids,
            waiting: _,
            estimate,
            estimate_minutes: _,
            description,
            notes,
            owner,
            reason,
            subtasks: _,
            origin,
            created_at,
            status_at,
            worked_ms,
            reopened,
            extra,
            rank,
        } = self;
        uid == &other.uid
            && id == &other.id
            && content == &other.content
            && active_form == &other.active_form
            && (status, status_raw) == (&other.status, &other.status_raw)
            && (priority, category) == (&other.priority, &other.category)
            && (depends_on, depends_on_uids) == (&other.depends_on, &other.depends_on_uids)
            && (estimate, description) == (&other.estimate, &other.description)
            && (notes, owner, reason) == (&other.notes, &other.owner, &other.reason)
            && (origin, rank) == (&other.origin, &other.rank)
            && (created_at, status_at) == (&other.created_at, &other.status_at)
            && (worked_ms, reopened) == (&other.worked_ms, &other.reopened)
            && extra == &other.extra
    }

    /// Gives it and what it names other uids, where there are some.
    pub fn rename(&mut self, uids: &HashMap<Uuid, Uuid>) {
        self.uid = uids.get(&self.uid).copied().unwrap_or(self.uid);
        for uid in self.depends_on_uids.iter_mut().flatten() {
            *uid = uids.get(uid).copied().unwrap_or(*uid);
        }
        for sub in &mut self.subtasks {
            sub.rename(uids);
        }
    }

    /// The words to show for it now: the `activeForm` while in progress, otherwise the content.
    #[must_use]
    pub fn label(&self) -> &str {
        match (&self.active_form, self.status) {
            (Some(form), Status::InProgress) => form,
            _ => &self.content,
        }
    }
}
