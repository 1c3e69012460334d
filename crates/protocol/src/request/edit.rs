//! The user's edits. Each is answered with what it made of the list.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use texts::TextRef;
use todo::{Item, Status};
use ts_rs::TS;

/// Adds an item. Further fields of an item (`priority`, `activeForm`, …) are set as well. Where neither `sessionId` nor
/// `label` names a session, a list of the user's own begins, in a session that no agent has yet.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoAdd {
    /// The session; left out where `label` names it, or where a list begins.
    #[serde(default)]
    #[ts(as = "Option<String>", optional)]
    pub session_id: String,
    /// Label of the session. It is made when it is new, and the first agent that opens it goes on with the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub label: Option<String>,
    /// Position of the new item: `1`, `last`, `2.1`, `2.last`; `last` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub position: Option<String>,
    /// The item's text, 1 to 2,000 characters.
    pub content: String,
    /// Further fields of an item, as in [`Item`](todo::Item): `priority`, `activeForm`, …
    #[serde(flatten)]
    #[ts(skip)]
    pub fields: Map<String, Value>,
}

/// Asks for the steps that a text holds: a checklist of Markdown, bullets or numbers; what is further in is a subtask.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoPreview {
    /// The text.
    pub text: String,
}

/// Steps that were read from a text, in order.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewedSteps {
    /// The steps; none where the text is no checklist.
    pub steps: Vec<PreviewedStep>,
}

/// A step that was read from a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewedStep {
    /// Its text.
    pub content: String,
    /// Its status.
    pub status: Status,
    /// True if it is a subtask of the last step before it that is none.
    pub is_subtask: bool,
}

/// Removes items, named by `uid` or by `position`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoDelete {
    /// The session.
    pub session_id: String,
    /// Position of the item, `1`, `last`, `2.1`, `2.last`, or of several: `2-4`, `all`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub position: Option<String>,
    /// Uid of the item, wherever it stands by now; goes before `position`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uid: Option<String>,
}

/// Sets the status of items, named by `uid` or by `position`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoSetStatus {
    /// The session.
    pub session_id: String,
    /// Position of the item, `1`, `last`, `2.1`, `2.last`, or of several: `2-4`, `all`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub position: Option<String>,
    /// Uid of the item, wherever it stands by now; goes before `position`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uid: Option<String>,
    /// `pending`, `in_progress`, `completed`, `blocked`, `skipped` or `cancelled`, or a word that means one of them.
    pub status: String,
    /// Why it is blocked or skipped, at most 2,000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reason: Option<String>,
}

/// Sets fields of items, named by `uid` or by `position`: `content`, `activeForm`, `priority`, `notes`, … Only fields
/// that are sent are set; `null` empties one.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoEdit {
    /// The session.
    pub session_id: String,
    /// Position of the item, `1`, `last`, `2.1`, `2.last`, or of several: `2-4`, `all`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub position: Option<String>,
    /// Uid of the item, wherever it stands by now; goes before `position`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uid: Option<String>,
    /// The fields to set.
    #[serde(flatten)]
    #[ts(skip)]
    pub fields: Map<String, Value>,
}

/// Moves one item on its level.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoMove {
    /// The session.
    pub session_id: String,
    /// Position of the item: `1`, `last`, `2.1`, `2.last`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub position: Option<String>,
    /// Uid of the item, wherever it stands by now; goes before `position`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uid: Option<String>,
    /// The position that it moves to.
    pub to: String,
}

/// Moves items, named by `uid` or by `position`, to the other level: each becomes the last subtask of the item above it,
/// or, where `out` is set, a step of its own after the one that it belongs to. The subtasks of one that becomes a subtask
/// come along on its level, since there is none below.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoIndent {
    /// The session.
    pub session_id: String,
    /// Position of the item, `1`, `last`, `2.1`, `2.last`, or of several: `2-4`, `2.1-2.last`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub position: Option<String>,
    /// Uid of the item, wherever it stands by now; goes before `position`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uid: Option<String>,
    /// Out of the item that it belongs to, instead of under the one above it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub out: bool,
}

/// Puts the list into the history as it is and begins an empty one.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoArchive {
    /// The session.
    pub session_id: String,
}

/// Sends the agent a message: "use the staging database". It is delivered like an edit and changes no item.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteSend {
    /// The session.
    pub session_id: String,
    /// The message, 1 to 2,000 characters.
    pub text: String,
}

/// Brings a removed item back as it was last, whoever removed it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoRestore {
    /// The session.
    pub session_id: String,
    /// Uid of the item.
    pub uid: String,
}

/// Sends an edit again that the agent overrode or does not follow: it is made and delivered once more.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditInsist {
    /// The session.
    pub session_id: String,
    /// The edit; the newest such edit when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub edit_id: Option<String>,
}

/// Puts a list of the past, or of another session, in the place of the present one.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionLoad {
    /// The session that gets the list; left out where `label` names it.
    #[serde(default)]
    #[ts(as = "Option<String>", optional)]
    pub session_id: String,
    /// Label of the session that gets the list. It is made when it is new, and an agent that opens it goes on with the
    /// list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub label: Option<String>,
    /// The session that the list is taken from; the same one when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub from: Option<String>,
    /// The revision that is taken; the newest when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub revision: Option<u64>,
}

/// Removes all items.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoClear {
    /// The session.
    pub session_id: String,
}

/// Takes an edit back.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoUndo {
    /// The session.
    pub session_id: String,
    /// The edit; this client's newest when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub edit_id: Option<String>,
}

/// The list after an edit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Edited {
    /// Id of the session.
    pub session_id: String,
    /// The newest revision.
    pub revision: u64,
    /// The list after the edit, in order.
    pub todos: Vec<Item>,
    /// Id of the edit, for [`TodoUndo`]; an undo names the edit that it took back. Empty where nothing was to change:
    /// then there is no new revision either.
    pub edit_id: String,
    /// Summary of the edit, in the words of the terminal: `Added TODO at position 2: "x"`.
    pub message: String,
    /// The same in the catalogue, for clients that show it to people in their own language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub text: Option<TextRef>,
    /// Parts that an undo left as they are, since others changed them meanwhile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub remarks: Vec<String>,
    /// The same in the catalogue, one for each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<TextRef>>", optional)]
    pub remark_texts: Vec<TextRef>,
}
