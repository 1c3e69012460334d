//! Sessions for people and for other programs: as Markdown, as JSON with all of their history, and as training examples;
//! and back from JSON.
//!
//! The JSON is `{"sightline": 1, "sessions": […]}`. A session has its fields, its `revisions`, its `lists`, its `edits`,
//! and its `items`: each how an item was, `from` a revision and, where it is not so any more, before the revision `to`.

use crate::live::Live;
use crate::report::Outcome;
use crate::resolve::Pending;
use crate::writer::Batch;
use crate::{Hub, storage};
use jiff::Timestamp;
use protocol::{Code, Error, ExportFormat, Exported, Result, SessionExport, SessionImport, SessionsImported};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use store::{ActorRow, History, ItemState, ListRow, RevisionRow, SessionRow, Transaction};
use todo::limits::TEXT_CHARS;
use todo::text::{plain, write_markdown, write_tokens};
use todo::{Edit, Item, List};
use uuid::Uuid;

/// What this build writes and reads.
const FORMAT: u32 = 1;

/// Revisions that a session can have.
const MOST: u64 = 1 << 40;

/// Characters of what a session is called, and of what its user asked for.
const WORDS: usize = 4_000;

/// Sessions of one export.
const SESSIONS: usize = 1_000;

#[derive(Serialize, Deserialize)]
struct File {
    sightline: u32,
    sessions: Vec<Whole>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Whole {
    session_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent_session_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    own_tool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
    agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    agent_version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    folder: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    state: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    state_reason: Option<String>,
    state_at: Timestamp,
    list_state: String,
    ids_given: u64,
    created_at: Timestamp,
    last_activity_at: Timestamp,
    #[serde(default)]
    read_only: bool,
    #[serde(default)]
    pinned: bool,
    first_revision: u64,
    revision: u64,
    revisions: Vec<WholeRevision>,
    lists: Vec<WholeList>,
    items: Vec<WholeItem>,
    #[serde(default)]
    edits: Vec<WholeEdit>,
}

#[derive(Serialize, Deserialize)]
struct WholeRevision {
    revision: u64,
    at: Timestamp,
    by: String,
    name: String,
    transport: String,
    cause: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WholeList {
    list_id: String,
    from: u64,
    created_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    archived_at: Option<Timestamp>,
}

#[derive(Serialize, Deserialize)]
struct WholeItem {
    from: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<u64>,
    rank: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent: Option<Uuid>,
    item: Item,
}

#[derive(Serialize, Deserialize)]
struct WholeEdit {
    edit: Edit,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    forgotten: bool,
}

impl Hub {
    /// Sessions as a text for other programs.
    pub(crate) async fn export(&self, ask: SessionExport) -> Result<Exported> {
        if ask.and.len() >= SESSIONS {
            let problem = format!("one export has at most {SESSIONS} sessions; ask for the others in another one");
            return Err(Error::new(Code::InvalidMessage, problem));
        }
        let mut sessions = Vec::new();
        let mut parts = Vec::new();
        for name in std::iter::once(&ask.session_id).chain(&ask.and) {
            match ask.format {
                ExportFormat::Markdown => parts.push(self.markdown(name, ask.revision).await?),
                ExportFormat::Json => {
                    let row = self.row_named(name).await?;
                    let history = self.inner.store.history(row.pk).await.map_err(storage)?;
                    sessions.push(Whole::of(row, history));
                }
                ExportFormat::Training => parts.push(self.training(name).await?),
            }
        }
        let text = match ask.format {
            ExportFormat::Markdown => parts.join("\n"),
            ExportFormat::Training => parts.concat(),
            ExportFormat::Json => serde_json::to_string(&File { sightline: FORMAT, sessions })
                .map_err(|error| Error::new(Code::Storage, format!("the export cannot be written: {error}")))?,
        };
        Ok(Exported { text })
    }

    /// A heading and a checklist.
    async fn markdown(&self, name: &str, revision: Option<u64>) -> Result<String> {
        let live = self.named(&Pending::default(), name).await?;
        let todos = self.list_of(&live, revision).await?;
        let row = &live.row;
        let title = [row.title.as_str(), row.project.as_deref().unwrap_or_default(), &row.agent_name];
        let title = title.into_iter().map(plain).find(|title| !title.trim().is_empty()).unwrap_or_default();
        Ok(format!("# {}\n\n{}", title.trim(), write_markdown(&todos)))
    }

    /// One line: what was asked for, and the list as it evolved.
    async fn training(&self, name: &str) -> Result<String> {
        let row = self.row_named(name).await?;
        let mut blocks: Vec<String> = Vec::new();
        for revision in row.first_revision..=row.revision {
            let block = write_tokens(&self.inner.store.list_at(row.pk, revision).await.map_err(storage)?);
            // What only Sightline sees of a change is no new block.
            if blocks.last() != Some(&block) {
                blocks.push(block);
            }
        }
        Ok(format!("{}\n", json!({ "prompt": row.prompt, "response": blocks.join("\n\n") })))
    }

    /// Takes sessions in that were exported as JSON.
    pub(crate) async fn take_in(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        ask: &SessionImport,
    ) -> Outcome<SessionsImported> {
        let wrong = |problem: String| Error::new(Code::InvalidMessage, problem);
        let format: Format = serde_json::from_str(&ask.text)
            .map_err(|error| wrong(format!("this is no export of Sightline's: {error}. Export sessions as JSON")))?;
        if format.sightline != FORMAT {
            let problem =
                format!("this was exported in form {}, and this build reads {FORMAT}: update it", format.sightline);
            return Err(wrong(problem).into());
        }
        let file: File = serde_json::from_str(&ask.text).map_err(|error| wrong(format!("\"text\": {error}")))?;
        let mut imported = SessionsImported { sessions: Vec::new(), known: 0 };
        for whole in file.sessions {
            let name = plain(&whole.session_id);
            let (mut row, history) = whole.read().map_err(|problem| wrong(format!("session {name}: {problem}")))?;
            let is_known = batch.pending.lives.contains_key(&row.session_id)
                || self.inner.store.session(&row.session_id).await?.is_some()
                || self.inner.store.deleted(&row.session_id).await?.is_some();
            if is_known || imported.sessions.contains(&row.session_id) {
                imported.known += 1;
                continue;
            }
            row.cursor = transaction.advance();
            transaction.take_in(&mut row, &history).await?;
            imported.sessions.push(row.session_id.clone());
        }
        Ok(imported)
    }
}

/// Only which form it has.
#[derive(Deserialize)]
struct Format {
    sightline: u32,
}

impl Whole {
    fn of(row: SessionRow, history: History) -> Self {
        let revision = |row: RevisionRow| WholeRevision {
            revision: row.revision,
            at: row.at,
            by: row.actor.kind,
            name: row.actor.name,
            transport: row.actor.transport,
            cause: row.cause,
        };
        let list = |row: ListRow| WholeList {
            list_id: row.list_id,
            from: row.from_rev,
            created_at: row.created_at,
            archived_at: row.archived_at,
        };
        let item = |state: ItemState| WholeItem {
            from: state.from_rev,
            to: state.to_rev,
            rank: state.item.rank.clone(),
            parent: state.parent,
            item: state.item,
        };
        Self {
            session_id: row.session_id,
            parent_session_id: row.parent_session_id,
            own_tool: row.own_tool,
            label: row.label,
            title: row.title,
            prompt: row.prompt,
            agent: row.agent_name,
            agent_version: row.agent_version,
            folder: row.folder,
            project: row.project,
            branch: row.branch,
            state: row.state,
            state_reason: row.state_reason,
            state_at: row.state_at,
            list_state: row.list_state,
            ids_given: row.ids_given,
            created_at: row.created_at,
            last_activity_at: row.last_activity_at,
            read_only: row.read_only,
            pinned: row.pinned,
            first_revision: row.first_revision,
            revision: row.revision,
            revisions: history.revisions.into_iter().map(revision).collect(),
            lists: history.lists.into_iter().map(list).collect(),
            items: history.states.into_iter().map(item).collect(),
            edits: history.edits.into_iter().map(|(edit, forgotten)| WholeEdit { edit, forgotten }).collect(),
        }
    }

    /// The rows of it, or what is wrong with it: nothing is taken in that could not have been written here.
    fn read(self) -> std::result::Result<(SessionRow, History), String> {
        Uuid::try_parse(&self.session_id).map_err(|_| "\"sessionId\" is no id of a session".to_owned())?;
        let (first, last) = (self.first_revision, self.revision);
        let numbers = self.revisions.iter().map(|row| row.revision);
        if first == 0 || last > MOST || !numbers.eq(first..=last) {
            return Err(format!("its revisions are not {first} to {last}, each once and in their order"));
        }
        let words = [&self.label, &self.prompt, &self.folder, &self.project, &self.branch, &self.state_reason];
        let words = words.into_iter().flatten().chain([&self.title, &self.agent, &self.state, &self.list_state]);
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
        let states: Vec<ItemState> = self.items.into_iter().map(WholeItem::read).collect();
        let row = SessionRow {
            pk: 0,
            session_id: self.session_id,
            parent_session_id: self.parent_session_id,
            own_tool: self.own_tool,
            read_only: self.read_only,
            observed_at: None,
            calls: 0,
            label: self.label,
            title: self.title,
            prompt: self.prompt,
            agent_name: self.agent,
            agent_version: self.agent_version,
            folder: self.folder,
            project: self.project,
            branch: self.branch,
            state: self.state,
            state_reason: self.state_reason,
            state_at: self.state_at,
            list_state: self.list_state,
            list_id,
            revision: last,
            ids_given: self.ids_given,
            completed: 0,
            total: 0,
            fraction: 0.0,
            unfinished: 0,
            created_at: self.created_at,
            last_activity_at: self.last_activity_at,
            drift_at: None,
            pinned: self.pinned,
            muted: false,
            dismissed_at: None,
            dismissed_needs: Vec::new(),
            first_revision: first,
            deleted_at: None,
            cursor: 0,
        };
        let revision = |row: WholeRevision| RevisionRow {
            revision: row.revision,
            at: row.at,
            actor: ActorRow { kind: row.by, name: row.name, transport: row.transport },
            cause: row.cause,
        };
        let list = |row: WholeList| ListRow {
            list_id: row.list_id,
            from_rev: row.from,
            created_at: row.created_at,
            archived_at: row.archived_at,
        };
        let history = History {
            revisions: self.revisions.into_iter().map(revision).collect(),
            states,
            lists: self.lists.into_iter().map(list).collect(),
            edits: self.edits.into_iter().map(|edit| (edit.edit, edit.forgotten)).collect(),
        };
        let list = List { items: history.list(), revision: last, ids_given: row.ids_given, ..List::default() };
        let mut live = Live { row, list: Arc::new(list), known: BTreeMap::new(), written_at: Timestamp::UNIX_EPOCH };
        let list_state = std::mem::take(&mut live.row.list_state);
        live.count();
        live.row.list_state = list_state;
        Ok((live.row, history))
    }
}

impl WholeItem {
    fn read(self) -> ItemState {
        let item = Item { rank: self.rank, subtasks: Vec::new(), ..self.item };
        ItemState { item, parent: self.parent, from_rev: self.from, to_rev: self.to }
    }
}
