//! The user's edits. Each is answered with what it made of the list.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use todo::Item;
use ts_rs::TS;

/// The user adds an item.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoAdd {
    /// Which session.
    pub session_id: String,
    /// `1`, `last`, `2.1`, `2.last`; `last` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub position: Option<String>,
    /// 1 to 2,000 characters.
    pub content: String,
    /// Further fields of an item: `priority`, `activeForm`, …
    #[serde(flatten)]
    #[ts(skip)]
    pub fields: Map<String, Value>,
}

/// The user removes an item, by `uid` or by `position`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoDelete {
    /// Which session.
    pub session_id: String,
    /// `1`, `last`, `2.1`, `2.last`, or several: `2-4`, `all`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub position: Option<String>,
    /// The item, whatever its place is by now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uid: Option<String>,
}

/// The user sets the status of items, by `uid` or by `position`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoSetStatus {
    /// Which session.
    pub session_id: String,
    /// See [`TodoDelete::position`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub position: Option<String>,
    /// See [`TodoDelete::uid`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uid: Option<String>,
    /// `pending`, `in_progress`, `completed`, `blocked`, `skipped` or `cancelled`, or a word that means one of them.
    pub status: String,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reason: Option<String>,
}

/// The user sets fields of items, by `uid` or by `position`: `content`, `activeForm`, `priority`, `notes`, …, each
/// only where it is sent; `null` empties one.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoEdit {
    /// Which session.
    pub session_id: String,
    /// See [`TodoDelete::position`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub position: Option<String>,
    /// See [`TodoDelete::uid`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uid: Option<String>,
    /// The fields.
    #[serde(flatten)]
    #[ts(skip)]
    pub fields: Map<String, Value>,
}

/// The user puts one item elsewhere on its level.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoMove {
    /// Which session.
    pub session_id: String,
    /// `1`, `last`, `2.1`, `2.last`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub position: Option<String>,
    /// See [`TodoDelete::uid`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uid: Option<String>,
    /// The position that it is to have.
    pub to: String,
}

/// The user puts the list into the history as it is; an empty one takes its place.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoArchive {
    /// Which session.
    pub session_id: String,
}

/// The user leaves the agent a line: "use the staging database". It is told like an edit, and changes no item.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct NoteSend {
    /// Which session.
    pub session_id: String,
    /// 1 to 2,000 characters.
    pub text: String,
}

/// The user brings an item back that is gone, whoever removed it, as it was last.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoRestore {
    /// Which session.
    pub session_id: String,
    /// Which item.
    pub uid: String,
}

/// The user insists on an edit that the agent overrode or ignores: it is made and told again.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EditInsist {
    /// Which session.
    pub session_id: String,
    /// Which edit; the newest such when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub edit_id: Option<String>,
}

/// The user puts a list of the past, or of another session, in the place of the active one.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionLoad {
    /// The session that gets the list; left out where `label` names it.
    #[serde(default)]
    #[ts(as = "Option<String>", optional)]
    pub session_id: String,
    /// The session of this label gets the list, made when new: an agent that opens it goes on with the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub label: Option<String>,
    /// The session that the list is of; the same when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub from: Option<String>,
    /// The revision that the list is at; the newest when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub revision: Option<u64>,
}

/// The user removes all items.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoClear {
    /// Which session.
    pub session_id: String,
}

/// The user takes an edit back.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoUndo {
    /// Which session.
    pub session_id: String,
    /// Which edit; this client's newest when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub edit_id: Option<String>,
}

/// What a user's edit made of the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Edited {
    /// Which session.
    pub session_id: String,
    /// The new revision.
    pub revision: u64,
    /// The list after it.
    pub todos: Vec<Item>,
    /// Names the edit, for `todo.undo`; an undo names the edit it took back. Empty where everything was so already: then
    /// there is no new revision either.
    pub edit_id: String,
    /// What was done, in the words of the terminal: `Added TODO at position 2: "x"`.
    pub message: String,
    /// What an undo left as it is, since others changed it meanwhile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub remarks: Vec<String>,
}
