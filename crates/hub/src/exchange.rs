//! Sessions as JSON, with all of their history, for other programs and other installations.
//!
//! The JSON is `{"sightline": 1, "sessions": […]}`. A session has its fields, its `revisions`, its `lists`, its `edits`,
//! and its `items`: each how an item was, `from` a revision and, where it is not so any more, before the revision `to`.
//! One of the built-in agent has its `conversation` (`carried`).

pub(crate) mod check;

use crate::carried::ExportedConversation;
use crate::conversation::StoredChat;
use crate::error::{Failure, Result};
use crate::lists::{self, ExportedList};
use crate::live::Live;
use jiff::Timestamp;
use protocol::{Code, Text, say};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use session::{Actor, ActorKind, Identity, Life, ListSummary, Marks, Transport, Usage, tolerant};
use std::collections::HashMap;
use store::{History, ItemState, ListRow, RevisionRow, SessionRow};
use todo::text::plain;
use todo::{Edit, Item, List, SmolStr, short};
use uuid::Uuid;

/// The most characters of a reason that is said.
const REASON_CHARS: usize = 300;

/// The form that this build writes and reads.
const FORM: u32 = 1;

#[derive(Serialize)]
struct File {
    sightline: u32,
    sessions: Vec<ExportedSession>,
}

/// A file whose sessions are read one by one, so that a fault is that of its session. A text that was read by itself is
/// nested less deeply, too.
#[derive(Deserialize)]
struct FileRead<'a> {
    #[serde(borrow)]
    sessions: Vec<&'a RawValue>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExportedSession {
    pub(crate) session_id: String,
    #[serde(flatten)]
    pub(crate) who: Identity,
    #[serde(flatten)]
    life: Life,
    #[serde(flatten)]
    list: ListSummary,
    #[serde(flatten)]
    marks: Marks,
    #[serde(default, skip_serializing_if = "Usage::is_empty")]
    usage: Usage,
    revisions: Vec<ExportedRevision>,
    lists: Vec<ExportedList>,
    items: Vec<ExportedItem>,
    #[serde(default)]
    edits: Vec<ExportedEdit>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) conversation: Option<ExportedConversation>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct ExportedRevision {
    revision: u64,
    at: Timestamp,
    #[serde(deserialize_with = "tolerant")]
    by: ActorKind,
    name: String,
    #[serde(deserialize_with = "tolerant")]
    transport: Transport,
    cause: String,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct ExportedItem {
    from: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<u64>,
    rank: SmolStr,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent: Option<Uuid>,
    item: Item,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct ExportedEdit {
    pub(crate) edit: Edit,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) forgotten: bool,
}

/// The form alone, which is looked at before the rest.
#[derive(Deserialize)]
struct Form {
    sightline: u32,
}

/// # Errors
/// `STORAGE` when it cannot be written as JSON.
pub(crate) fn write(sessions: Vec<ExportedSession>) -> Result<String> {
    serde_json::to_string(&File { sightline: FORM, sessions })
        .map_err(|error| Failure::refused(Code::Storage, format!("the export cannot be written: {error}")))
}

/// The sessions of an export, as they stand in it.
///
/// # Errors
/// `INVALID_MESSAGE` with the session and its problem.
pub(crate) fn read(text: &str) -> Result<Vec<ExportedSession>> {
    let wrong = |text: Text| Failure::refused(Code::InvalidMessage, text);
    let Form { sightline: form } =
        serde_json::from_str(text).map_err(|error| wrong(say::import_no_export(reason(&error))))?;
    if form != FORM {
        return Err(wrong(say::import_form(form, FORM)));
    }
    let file: FileRead<'_> =
        serde_json::from_str(text).map_err(|error| wrong(format!("\"text\": {}", reason(&error)).into()))?;
    let mut known: HashMap<String, &str> = HashMap::new();
    let mut sessions = Vec::new();
    for (at, raw) in file.sessions.iter().map(|raw| raw.get()).enumerate() {
        let fault = |problem: String| {
            let name = name(raw).unwrap_or_else(|| format!("{} of the file", at + 1));
            refused(&name, &problem)
        };
        let session: ExportedSession = serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(raw))
            .map_err(|error| fault(format!("is not well formed: {}", reason(&error))))?;
        // A session may be exported twice, but is one only.
        match known.insert(session.session_id.clone(), raw) {
            None => sessions.push(session),
            Some(same) if same == raw => {}
            Some(_) => return Err(fault("is there twice, and differs".to_owned())),
        }
    }
    Ok(sessions)
}

/// The beginning of a parser's reason, which may hold a whole text of the file.
fn reason(error: &dyn std::fmt::Display) -> String {
    let error = error.to_string();
    let is_long = error.chars().nth(REASON_CHARS).is_some();
    let shown: String = error.chars().take(REASON_CHARS).collect();
    format!("{}{}", plain(&shown), if is_long { "…" } else { "" })
}

/// The id of a session that could not be read.
fn name(raw: &str) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Named {
        session_id: String,
    }
    serde_json::from_str(raw).ok().map(|Named { session_id }| session_id)
}

/// Refuses an import because of one of its sessions; the problem is the rest of a sentence.
pub(crate) fn refused(session: &str, problem: &str) -> Failure {
    Failure::refused(Code::InvalidMessage, say::import_session(plain(&short(session)), problem))
}

impl ExportedSession {
    pub(crate) fn of(row: SessionRow, history: History, chat: Option<&StoredChat>) -> Self {
        let list = |row: ListRow| ExportedList {
            list_id: row.list_id,
            from: row.from_rev,
            created_at: row.created_at,
            to: row.end.as_ref().map(|end| end.to_rev),
            archived_at: row.end.map(|end| end.at),
        };
        Self {
            session_id: row.session_id,
            who: row.who.into_inner(),
            life: row.life.into_inner(),
            list: row.list.into_inner(),
            marks: row.marks.into_inner(),
            usage: row.usage.into_inner(),
            revisions: history.revisions.into_iter().map(Into::into).collect(),
            lists: history.lists.into_iter().map(list).collect(),
            items: history.states.into_iter().map(Into::into).collect(),
            edits: history.edits.into_iter().map(|(edit, forgotten)| ExportedEdit { edit, forgotten }).collect(),
            conversation: chat.and_then(ExportedConversation::of),
        }
    }

    /// Its rows, once it was checked.
    pub(crate) fn rows(self) -> (SessionRow, History) {
        let last = self.list.revision;
        let list_id = self.lists.last().map(|list| list.list_id.clone()).unwrap_or_default();
        let states: Vec<ItemState> = self.items.into_iter().map(ExportedItem::read).collect();
        let mut row = SessionRow::new(self.session_id, self.who, self.life, ListSummary { id: list_id, ..self.list });
        row.marks = self.marks.into();
        row.usage.update(&self.usage, self.usage.at);
        let mut history = History {
            revisions: self.revisions.into_iter().map(Into::into).collect(),
            states,
            lists: Vec::new(),
            edits: self.edits.into_iter().map(|edit| (edit.edit, edit.forgotten)).collect(),
        };
        history.lists = lists::of_export(self.lists, &history, last);
        let list = List { items: history.list(), revision: last, ids_given: row.list.ids_given, ..List::default() };
        let mut live = Live::new(row, list);
        live.count();
        (live.row, history)
    }
}

impl From<RevisionRow> for ExportedRevision {
    fn from(row: RevisionRow) -> Self {
        Self {
            revision: row.revision,
            at: row.at,
            by: row.actor.kind,
            name: row.actor.name,
            transport: row.actor.transport,
            cause: row.cause,
        }
    }
}

impl From<ExportedRevision> for RevisionRow {
    fn from(row: ExportedRevision) -> Self {
        let actor = Actor { kind: row.by, name: row.name, transport: row.transport };
        Self { revision: row.revision, at: row.at, actor, cause: row.cause }
    }
}

impl From<ItemState> for ExportedItem {
    fn from(state: ItemState) -> Self {
        let rank = state.item.rank.clone();
        Self { from: state.from_rev, to: state.to_rev, rank, parent: state.parent, item: state.item }
    }
}

impl ExportedItem {
    pub(crate) fn read(self) -> ItemState {
        let item = Item { rank: self.rank, subtasks: Vec::new(), ..self.item };
        ItemState { item, parent: self.parent, from_rev: self.from, to_rev: self.to }
    }
}
