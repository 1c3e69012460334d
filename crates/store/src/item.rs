//! Items as rows: what they say in one table, the states they go through in another, rare fields as JSON.

use crate::rows::time;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;
use std::collections::HashMap;
use todo::{Item, Origin, Priority, Status};
use uuid::Uuid;

/// The fields that most items lack, under short names since every revision of an item repeats them.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct More {
    #[serde(rename = "s", default, skip_serializing_if = "Option::is_none")]
    status_raw: Option<String>,
    #[serde(rename = "p", default, skip_serializing_if = "Option::is_none")]
    priority: Option<Priority>,
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    #[serde(rename = "d", default, skip_serializing_if = "Vec::is_empty")]
    depends_on: Vec<String>,
    #[serde(rename = "du", default, skip_serializing_if = "Vec::is_empty")]
    depends_on_uids: Vec<Option<Uuid>>,
    #[serde(rename = "e", default, skip_serializing_if = "Option::is_none")]
    estimate: Option<String>,
    #[serde(rename = "w", default, skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
    #[serde(rename = "r", default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Present for the user's items.
    #[serde(rename = "u", default, skip_serializing_if = "std::ops::Not::not")]
    user: bool,
    #[serde(rename = "wm", default, skip_serializing_if = "is_zero")]
    worked_ms: u64,
    #[serde(rename = "ro", default, skip_serializing_if = "is_zero")]
    reopened: u64,
    #[serde(rename = "x", default, skip_serializing_if = "Map::is_empty")]
    extra: Map<String, Value>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The JSON column of an item; `None` where nothing is in it.
pub(crate) fn more(item: &Item) -> Result<Option<String>> {
    let more = More {
        status_raw: item.status_raw.clone(),
        priority: item.priority,
        category: item.category.clone(),
        depends_on: item.depends_on.clone(),
        depends_on_uids: item.depends_on_uids.clone(),
        estimate: item.estimate.clone(),
        owner: item.owner.clone(),
        reason: item.reason.clone(),
        user: item.origin == Origin::User,
        worked_ms: item.worked_ms,
        reopened: item.reopened,
        extra: item.extra.clone(),
    };
    if more == More::default() {
        return Ok(None);
    }
    Ok(Some(serde_json::to_string(&more)?))
}

/// Whether two states of an item say the same, and so share a row of `texts`.
pub(crate) fn says_the_same(one: &Item, other: &Item) -> bool {
    let named = one.id == other.id && one.created_at == other.created_at;
    named
        && one.content == other.content
        && one.active_form == other.active_form
        && one.notes == other.notes
        && one.description == other.description
}

/// An item without its subtasks, and the item it is a subtask of.
pub(crate) fn from_row(row: &SqliteRow) -> Result<(Item, Option<Uuid>)> {
    let uid = |bytes: &[u8]| Uuid::from_slice(bytes).map_err(|e| Error::Row(e.to_string()));
    let more: Option<String> = row.try_get("more")?;
    let more: More = more.as_deref().map(serde_json::from_str).transpose()?.unwrap_or_default();
    let parent: Option<Vec<u8>> = row.try_get("parent")?;
    let status: String = row.try_get("status")?;
    let item = Item {
        uid: uid(&row.try_get::<Vec<u8>, _>("uid")?)?,
        id: row.try_get("id")?,
        content: row.try_get("content")?,
        active_form: row.try_get("active_form")?,
        status: Status::from_word(&status),
        status_raw: more.status_raw,
        priority: more.priority,
        category: more.category,
        depends_on: more.depends_on,
        depends_on_uids: more.depends_on_uids,
        waiting: false,
        estimate: more.estimate,
        estimate_minutes: None,
        description: row.try_get("description")?,
        notes: row.try_get("notes")?,
        owner: more.owner,
        reason: more.reason,
        subtasks: Vec::new(),
        origin: if more.user { Origin::User } else { Origin::Agent },
        created_at: time(row.try_get("created_at")?),
        status_at: time(row.try_get("status_at")?),
        worked_ms: more.worked_ms,
        reopened: more.reopened,
        extra: more.extra,
        rank: row.try_get("rank")?,
    };
    Ok((item, parent.as_deref().map(uid).transpose()?))
}

/// A list from its rows: subtasks under their items, both in the order of their ranks.
pub(crate) fn assemble(rows: Vec<(Item, Option<Uuid>)>) -> Vec<Item> {
    let mut subtasks: HashMap<Uuid, Vec<Item>> = HashMap::new();
    let mut items = Vec::new();
    for (item, parent) in rows {
        match parent {
            Some(parent) => subtasks.entry(parent).or_default().push(item),
            None => items.push(item),
        }
    }
    for item in &mut items {
        item.subtasks = subtasks.remove(&item.uid).unwrap_or_default();
        item.subtasks.sort_by(|a, b| a.rank.cmp(&b.rank));
    }
    items.sort_by(|a, b| a.rank.cmp(&b.rank));
    todo::depends::derive(&mut items);
    items
}
