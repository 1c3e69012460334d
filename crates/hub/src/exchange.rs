//! Sessions as JSON, with all of their history, for other programs and other installations.
//!
//! The JSON is `{"sightline": 1, "sessions": […]}`. A session has its fields, its `revisions`, its `lists`, its `edits`,
//! and its `items`: each how an item was, `from` a revision and, where it is not so any more, before the revision `to`.
//! One of the built-in agent has its `conversation` (`carried`).

use crate::carried::ExportedConversation;
use crate::conversation::StoredChat;
use crate::error::{Failure, Result};
use crate::lists;
use crate::live::Live;
use jiff::Timestamp;
use protocol::Code;
use serde::{Deserialize, Serialize};
use session::{Actor, ActorKind, Identity, Life, ListSummary, Marks, Transport, tolerant};
use std::collections::HashSet;
use store::{History, ItemState, ListRow, RevisionRow, SessionRow};
use todo::limits::TEXT_CHARS;
use todo::text::plain;
use todo::{Edit, Item, List};
use uuid::Uuid;

/// The form that this build writes and reads.
const FORM: u32 = 1;

/// Revisions that a session can have.
const MOST: u64 = 1 << 40;

/// Characters of a session's names, and of its first prompt.
const WORDS: usize = 4_000;

#[derive(Serialize, Deserialize)]
struct File {
    sightline: u32,
    sessions: Vec<ExportedSession>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExportedSession {
    session_id: String,
    #[serde(flatten)]
    who: Identity,
    #[serde(flatten)]
    life: Life,
    #[serde(flatten)]
    list: ListSummary,
    #[serde(flatten)]
    marks: Marks,
    revisions: Vec<ExportedRevision>,
    lists: Vec<ExportedList>,
    items: Vec<ExportedItem>,
    #[serde(default)]
    edits: Vec<ExportedEdit>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    conversation: Option<ExportedConversation>,
}

/// A session from elsewhere, as its rows.
pub(crate) struct ImportedSession {
    pub(crate) row: SessionRow,
    pub(crate) history: History,
    pub(crate) chat: Option<StoredChat>,
}

#[derive(Serialize, Deserialize)]
struct ExportedRevision {
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
#[serde(rename_all = "camelCase")]
pub(crate) struct ExportedList {
    pub(crate) list_id: String,
    pub(crate) from: u64,
    /// The revision that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) to: Option<u64>,
    pub(crate) created_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    archived_at: Option<Timestamp>,
}

#[derive(Serialize, Deserialize)]
struct ExportedItem {
    from: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<u64>,
    rank: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent: Option<Uuid>,
    item: Item,
}

#[derive(Serialize, Deserialize)]
struct ExportedEdit {
    edit: Edit,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    forgotten: bool,
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

/// The rows of exported sessions, which are read at this time.
///
/// # Errors
/// `INVALID_MESSAGE` with the problem.
pub(crate) fn read(text: &str, now: Timestamp) -> Result<Vec<ImportedSession>> {
    let wrong = |problem: String| Failure::refused(Code::InvalidMessage, problem);
    let Form { sightline: form } = serde_json::from_str(text)
        .map_err(|error| wrong(format!("this is no export of Sightline's: {error}. Export sessions as JSON")))?;
    if form != FORM {
        return Err(wrong(format!("this was exported in form {form}, and this build reads {FORM}: update it")));
    }
    let file: File = serde_json::from_str(text).map_err(|error| wrong(format!("\"text\": {error}")))?;
    let rows = |mut session: ExportedSession| {
        let name = plain(&session.session_id);
        let (conversation, agent) = (session.conversation.take(), session.who.agent_name.clone());
        let read = session.rows().and_then(|(row, history)| {
            let chat = conversation.map(|conversation| conversation.read(&agent, now)).transpose()?;
            Ok(ImportedSession { row, history, chat })
        });
        read.map_err(|problem| wrong(format!("session {name}: {problem}")))
    };
    file.sessions.into_iter().map(rows).collect()
}

impl ExportedSession {
    pub(crate) fn of(row: SessionRow, history: History, chat: Option<&StoredChat>) -> Self {
        let revision = |row: RevisionRow| ExportedRevision {
            revision: row.revision,
            at: row.at,
            by: row.actor.kind,
            name: row.actor.name,
            transport: row.actor.transport,
            cause: row.cause,
        };
        let list = |row: ListRow| ExportedList {
            list_id: row.list_id,
            from: row.from_rev,
            created_at: row.created_at,
            to: row.end.as_ref().map(|end| end.to_rev),
            archived_at: row.end.map(|end| end.at),
        };
        let item = |state: ItemState| ExportedItem {
            from: state.from_rev,
            to: state.to_rev,
            rank: state.item.rank.clone(),
            parent: state.parent,
            item: state.item,
        };
        Self {
            session_id: row.session_id,
            who: row.who,
            life: row.life,
            list: row.list,
            marks: row.marks,
            revisions: history.revisions.into_iter().map(revision).collect(),
            lists: history.lists.into_iter().map(list).collect(),
            items: history.states.into_iter().map(item).collect(),
            edits: history.edits.into_iter().map(|(edit, forgotten)| ExportedEdit { edit, forgotten }).collect(),
            conversation: chat.and_then(ExportedConversation::of),
        }
    }

    /// Its rows, or what is wrong with it: nothing is taken in that could not have been written here.
    fn rows(self) -> std::result::Result<(SessionRow, History), String> {
        Uuid::try_parse(&self.session_id).map_err(|_| "\"sessionId\" is no id of a session".to_owned())?;
        let (first, last) = (self.list.first_revision, self.list.revision);
        let numbers = self.revisions.iter().map(|row| row.revision);
        if first == 0 || last > MOST || !numbers.eq(first..=last) {
            return Err(format!("its revisions are not {first} to {last}, each once and in their order"));
        }
        let who = &self.who;
        let words = [&who.label, &who.prompt, &who.folder, &who.project, &who.branch, &self.life.state_reason];
        let words = words.into_iter().flatten().chain([&who.title, &who.agent_name]);
        if let Some(long) = words.into_iter().find(|words| words.chars().count() > WORDS) {
            return Err(format!("it is called \"{}\", which is too long", todo::text::short(&plain(long))));
        }
        let Some(list_id) = self.lists.last().map(|list| list.list_id.clone()) else {
            return Err("it has no list".to_owned());
        };
        let mut alive = HashSet::new();
        for state in &self.items {
            let ends = state.to.unwrap_or(last + 1);
            if state.from > last || ends <= state.from || ends > last + 1 {
                return Err(format!("item {} is there from {} to {ends}", state.item.uid, state.from));
            }
            if state.item.content.is_empty() || state.item.content.chars().count() > TEXT_CHARS {
                return Err(format!("item {} says nothing, or too much", state.item.uid));
            }
            if state.to.is_none() && !alive.insert(state.item.uid) {
                return Err(format!("item {} is there twice", state.item.uid));
            }
        }
        let states: Vec<ItemState> = self.items.into_iter().map(ExportedItem::read).collect();
        let mut row = SessionRow::new(self.session_id, self.who, self.life, ListSummary { id: list_id, ..self.list });
        row.marks = self.marks;
        let revision = |row: ExportedRevision| RevisionRow {
            revision: row.revision,
            at: row.at,
            actor: Actor { kind: row.by, name: row.name, transport: row.transport },
            cause: row.cause,
        };
        let mut history = History {
            revisions: self.revisions.into_iter().map(revision).collect(),
            states,
            lists: Vec::new(),
            edits: self.edits.into_iter().map(|edit| (edit.edit, edit.forgotten)).collect(),
        };
        history.lists = lists::of_export(self.lists, &history, last);
        let list = List { items: history.list(), revision: last, ids_given: row.list.ids_given, ..List::default() };
        let mut live = Live::new(row, list);
        let list_state = live.row.list.state;
        live.count();
        live.row.list.state = list_state;
        Ok((live.row, history))
    }
}

impl ExportedItem {
    fn read(self) -> ItemState {
        let item = Item { rank: self.rank, subtasks: Vec::new(), ..self.item };
        ItemState { item, parent: self.parent, from_rev: self.from, to_rev: self.to }
    }
}
