//! Requests that change something: turned into a change of a list, applied, stored, and told.

use crate::edits;
use crate::live::{Known, Live};
use crate::resolve::caller_key;
use crate::tally::tally;
use crate::writer::{Batch, Failure};
use crate::{Hub, view};
use jiff::Timestamp;
use protocol::{
    Caller, Code, Done, EditStateEvent, Edited, Error, Event, Progress, Reply, Request, SessionEvent, SessionLoad,
    TodoDelivered, TodoManage, TodoManaged, TodoRead, TodoUpdate, TodoWrite, TodoWritten,
};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use store::{ActorRow, Append, Tally, Transaction};
use todo::list::flat;
use todo::manager::{Action, manage};
use todo::{Applied, Change, Draft, EditState, Stamp};
use uuid::Uuid;

/// Callers of one session whose knowledge is kept; a label can have any number of them over time.
const CALLERS: usize = 8;

type Outcome<T> = std::result::Result<T, Failure>;

/// Why there is a new revision.
#[derive(Clone, Copy)]
pub(crate) struct Cause<'a> {
    /// The type of the request.
    pub(crate) kind: &'a str,
    /// The request's id, where its sender gave one.
    pub(crate) request_id: Option<&'a str>,
    /// When it was made.
    pub(crate) at: Timestamp,
}

impl Hub {
    /// Does what a request asks for, within an open transaction.
    pub(crate) async fn change(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        caller: &Caller,
        request: &Request,
    ) -> Outcome<Reply> {
        let kind = request.kind();
        let client = || caller.client.clone();
        let loaded_into: String;
        let (session, change) = match request {
            Request::TodoWrite(ask) => {
                return self.write(transaction, batch, caller, ask).await.map(Reply::TodoWrite);
            }
            Request::TodoManage(ask) => {
                return self.manage(transaction, batch, caller, ask).await.map(Reply::TodoManage);
            }
            Request::TodoRead(ask) => return self.read(transaction, batch, caller, ask).await.map(Reply::TodoRead),
            Request::TodoDelivered(ask) => {
                return self.delivered(transaction, batch, caller, ask).await.map(Reply::TodoDelivered);
            }
            Request::SessionLeave(_) => return self.leave(transaction, batch, caller).await.map(Reply::SessionLeave),
            Request::SessionDelete(ask) => {
                return self.delete(transaction, batch, ask).await.map(Reply::SessionDelete);
            }
            Request::SessionUndelete(ask) => {
                return self.undelete(transaction, batch, ask).await.map(Reply::SessionUndelete);
            }
            Request::SessionImport(ask) => {
                return self.take_in(transaction, batch, ask).await.map(Reply::SessionImport);
            }
            Request::SessionMark(ask) => {
                return self.mark(transaction, batch, ask).await.map(Reply::SessionMark);
            }
            Request::NeedDismiss(ask) => {
                return self.dismiss(transaction, batch, ask).await.map(Reply::NeedDismiss);
            }
            Request::SettingsUpdate(ask) => {
                return self.set(transaction, batch, ask).await.map(Reply::SettingsUpdate);
            }
            Request::SessionReport(ask) => {
                return self.report(transaction, batch, caller, ask).await.map(Reply::SessionReport);
            }
            Request::TodoObserve(ask) => {
                return self.observe(transaction, batch, caller, ask).await.map(Reply::TodoObserve);
            }
            Request::SessionLoad(ask) => {
                loaded_into = self.load_into(transaction, batch, caller, ask).await?;
                let change = self.load_change(batch, caller, &loaded_into, ask).await?;
                (&loaded_into, change)
            }
            Request::TodoRestore(ask) => (&ask.session_id, self.restore_change(batch, caller, ask).await?),
            Request::TodoAdd(ask) => (&ask.session_id, edits::add(ask, caller)?),
            Request::TodoSetStatus(ask) => (&ask.session_id, edits::set_status(ask, caller)?),
            Request::TodoEdit(ask) => (&ask.session_id, edits::edit(ask, caller)?),
            Request::TodoMove(ask) => (&ask.session_id, edits::move_to(ask, caller)?),
            Request::TodoUndo(ask) => (&ask.session_id, edits::undo(ask, caller)?),
            Request::TodoDelete(ask) => {
                let target = edits::target(ask.uid.as_deref(), ask.position.as_deref())?;
                (&ask.session_id, Change::Delete { target, client: client() })
            }
            Request::TodoClear(ask) => (&ask.session_id, Change::Clear { client: client() }),
            Request::TodoArchive(ask) => (&ask.session_id, Change::Archive { by: todo::By::User { client: client() } }),
            Request::NoteSend(ask) => (&ask.session_id, Change::Note { text: ask.text.clone(), client: client() }),
            Request::EditInsist(ask) => (&ask.session_id, edits::insist(ask, caller)?),
            question => return Err(not_a_change(question)),
        };
        match self.edit(transaction, batch, caller, kind, session, change).await {
            Ok(edited) if matches!(request, Request::NoteSend(_) | Request::TodoUndo(_)) => {
                self.asked(transaction, batch, &edited.session_id).await?;
                request.edited(edited).ok_or_else(|| not_a_change(request))
            }
            Ok(edited) => request.edited(edited).ok_or_else(|| not_a_change(request)),
            Err(failure) => Err(self.explain_gone(batch, request, failure).await),
        }
    }

    async fn write(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        caller: &Caller,
        ask: &TodoWrite,
    ) -> Outcome<TodoWritten> {
        let drafts = if ask.merge { Draft::part(&ask.todos) } else { Draft::list(&ask.todos) };
        let drafts = drafts.map_err(Error::from)?;
        let named = (ask.session_id.as_deref(), ask.session.as_deref());
        let whose = self.whose_call(caller, |arguments| todos_in(arguments).as_ref() == Some(&ask.todos));
        let live = self.agents_session(transaction, batch, &whose, named, ask.parent_session_id.as_deref()).await?;
        let key = caller_key(caller);
        let change = match ask.merge {
            true => Change::Merge { caller: key, drafts },
            false => Change::Replace { caller: key, drafts },
        };
        let now = self.now();
        let applied = self.apply(&live, change, now)?;
        let remarks = applied.remarks.clone();
        let cause = Cause { kind: "todo.write", request_id: ask.request_id.as_deref(), at: now };
        let live = self.store_agents(transaction, batch, caller, live, applied, cause).await?;
        Ok(written(&live, remarks))
    }

    /// A step of an agent that works through `todo_manager`.
    async fn manage(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        caller: &Caller,
        ask: &TodoManage,
    ) -> Outcome<TodoManaged> {
        let action = Action::read(&ask.action, &ask.fields).map_err(Error::from)?;
        let changes = action.changes();
        let named = (ask.session_id.as_deref(), ask.session.as_deref());
        let whose = self.whose_call(caller, |arguments| {
            arguments["action"] == ask.action.as_str() && todos_in(arguments).as_ref() == ask.fields.get("todos")
        });
        let live = self.agents_session(transaction, batch, &whose, named, None).await?;
        let managed = {
            let uid = self.inner.config.uid.clone();
            let mut stamp = Stamp { now: self.now(), uid: &mut || uid() };
            manage(&live.list, &caller_key(caller), action, &mut stamp).map_err(Error::from)?
        };
        let written = match managed.applied {
            Some(applied) => {
                let remarks = applied.remarks.clone();
                let cause = Cause { kind: "todo.manage", request_id: None, at: self.now() };
                written(&self.store_agents(transaction, batch, caller, live, applied, cause).await?, remarks)
            }
            None => self.heard(transaction, batch, live).await?,
        };
        Ok(TodoManaged { output: managed.output, changes, written })
    }

    /// Stores what an agent's own change made of its list, and what it knows since.
    pub(crate) async fn store_agents(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        caller: &Caller,
        mut live: Live,
        applied: Applied,
        cause: Cause<'_>,
    ) -> Outcome<Live> {
        if live.row.title.is_empty()
            && let Some(first) = applied.list.items.first()
        {
            live.row.title = todo::short(&first.content);
        }
        let actor = ActorRow {
            kind: if caller.agent.as_ref().is_some_and(|agent| agent.parent.is_some()) || is_subagent(&live) {
                "subagent"
            } else {
                "agent"
            }
            .to_owned(),
            name: live.row.agent_name.clone(),
            transport: view::transport_name(caller.transport).to_owned(),
        };
        let key = caller_key(caller);
        live.heard(cause.at);
        (live.row.calls, live.row.drift_at) = (0, None);
        live.known.entry(key.clone()).or_default().said_rev = Some(applied.list.revision);
        let mut live = self.store_revision(transaction, batch, live, applied, &actor, cause).await?;
        transaction.caller(&live.row, &live.caller_row(&key)).await?;
        if live.forget_callers(CALLERS) {
            transaction.forget_callers(&live.row, CALLERS).await?;
        }
        batch.pending.lives.insert(live.row.session_id.clone(), live.clone());
        Ok(live)
    }

    async fn read(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        caller: &Caller,
        ask: &TodoRead,
    ) -> Outcome<TodoWritten> {
        let named = (ask.session_id.as_deref(), ask.session.as_deref());
        let whose = self.whose_call(caller, |arguments| arguments["action"].is_null() && arguments["todos"].is_null());
        let live = self.agents_session(transaction, batch, &whose, named, None).await?;
        self.heard(transaction, batch, live).await
    }

    /// An agent was heard of, and its list did not change.
    async fn heard(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        mut live: Live,
    ) -> Outcome<TodoWritten> {
        live.heard(self.now());
        live.row.cursor = transaction.advance();
        transaction.session(&mut live.row).await?;
        batch.events.push(self.updated(&live));
        let written = written(&live, Vec::new());
        batch.pending.lives.insert(live.row.session_id.clone(), live);
        Ok(written)
    }

    /// The session that an agent's call belongs to, stored and bound when it is new.
    async fn agents_session(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        caller: &Caller,
        (session_id, label): (Option<&str>, Option<&str>),
        parent: Option<&str>,
    ) -> Outcome<Live> {
        let mut found = self.session_of(&batch.pending, caller, session_id, label).await?;
        if let Some(tool) = &found.live.row.own_tool {
            let problem = format!("this list is the agent's own and written with {tool} only; leave \"sessionId\" out");
            return Err(Error::new(Code::ReadOnly, problem).into());
        }
        if found.new {
            found.live.row.parent_session_id = match parent {
                Some(parent) => Some(self.named(&batch.pending, parent).await?.row.session_id),
                None => self.parent_of(&batch.pending, caller).await?,
            };
            found.live.row.cursor = transaction.advance();
            transaction.session(&mut found.live.row).await?;
        }
        for (kind, key) in found.bind {
            transaction.bind(&found.live.row, &kind, &key, self.now()).await?;
            batch.pending.bindings.insert((kind, key), found.live.row.session_id.clone());
        }
        if found.new {
            batch.events.push(self.created(&found.live));
            batch.pending.lives.insert(found.live.row.session_id.clone(), found.live.clone());
        }
        if let Some(connection) = caller.agent.as_ref().and_then(|agent| agent.connection.clone()) {
            batch.used.push((connection, found.live.row.session_id.clone()));
        }
        Ok(found.live)
    }

    /// A user's edit.
    async fn edit(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        caller: &Caller,
        kind: &'static str,
        session: &str,
        change: Change,
    ) -> Outcome<Edited> {
        let mut live = self.named(&batch.pending, session).await?;
        if live.row.read_only {
            return Err(read_only(&live).into());
        }
        let new_list = matches!(change, Change::Archive { .. } | Change::Load { .. });
        let now = self.now();
        let applied = self.apply(&live, change, now)?;
        let new_list = new_list && !applied.is_nothing();
        if new_list {
            live.row.list_id = (self.inner.config.uid)().to_string();
            transaction.new_list(&live.row, applied.list.revision, now).await?;
        }
        let actor = ActorRow {
            kind: "user".to_owned(),
            name: "you".to_owned(),
            transport: view::transport_name(caller.transport).to_owned(),
        };
        let (message, remarks) = (applied.message.clone(), applied.remarks.clone());
        let edit_id = applied.edit.map(|id| id.to_string()).unwrap_or_default();
        // What is so already makes no revision, and nobody is told.
        let live = match applied.is_nothing() {
            true => live,
            false => {
                let cause = Cause { kind, request_id: None, at: now };
                self.store_revision(transaction, batch, live, applied, &actor, cause).await?
            }
        };
        let edited = Edited {
            session_id: live.row.session_id.clone(),
            revision: live.row.revision,
            todos: live.list.items.clone(),
            edit_id,
            message,
            remarks,
        };
        batch.pending.lives.insert(live.row.session_id.clone(), live);
        Ok(edited)
    }

    /// The session that a list is loaded into; that of a label is made when it is new.
    async fn load_into(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        caller: &Caller,
        ask: &SessionLoad,
    ) -> Outcome<String> {
        let Some(label) = ask.label.as_deref() else { return Ok(ask.session_id.clone()) };
        let Some(from) = ask.from.as_deref().filter(|_| ask.session_id.is_empty()) else {
            let problem = "\"label\" stands in the place of \"sessionId\", and \"from\" says whose list is loaded";
            return Err(Error::new(Code::InvalidMessage, problem).into());
        };
        // No session is made for a list that is not there.
        let from = self.named(&batch.pending, from).await?;
        self.list_of(&from, ask.revision).await?;
        let live = self.agents_session(transaction, batch, caller, (None, Some(label)), None).await?;
        let id = live.row.session_id.clone();
        batch.pending.lives.insert(id.clone(), live);
        Ok(id)
    }

    /// The list of the past, or of another session, that is to take the place of the active one.
    async fn load_change(&self, batch: &Batch, caller: &Caller, into: &str, ask: &SessionLoad) -> Outcome<Change> {
        let into = self.named(&batch.pending, into).await?;
        let from = match &ask.from {
            Some(from) => self.named(&batch.pending, from).await?,
            None => into.clone(),
        };
        let mut items = self.list_of(&from, ask.revision).await?;
        // Items are one session's own: in another they are copies, under uids of their own.
        if from.row.session_id != into.row.session_id {
            let uids: HashMap<Uuid, Uuid> =
                flat(&items).map(|(item, _)| (item.uid, (self.inner.config.uid)())).collect();
            for item in items.iter_mut() {
                item.rename(&uids);
            }
        }
        Ok(Change::Load { items, client: caller.client.clone() })
    }

    pub(crate) fn apply(&self, live: &Live, change: Change, now: Timestamp) -> Outcome<Applied> {
        let uid = self.inner.config.uid.clone();
        let mut stamp = Stamp { now: now.max(live.written_at), uid: &mut || uid() };
        todo::apply(&live.list, change, &mut stamp).map_err(|error| Error::from(error).into())
    }

    /// Stores what a change made of a list, and the events that tell it.
    pub(crate) async fn store_revision(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        live: Live,
        applied: Applied,
        actor: &ActorRow,
        cause: Cause<'_>,
    ) -> Outcome<Live> {
        let at = cause.at.max(live.written_at);
        let Live { row, list: before, known, .. } = live;
        let mut next = Live { row, list: Arc::new(applied.list), known, written_at: at };
        next.count();
        next.row.cursor = transaction.advance();
        transaction.session(&mut next.row).await?;
        let append = Append {
            before: &before.items,
            after: &next.list.items,
            difference: &applied.difference,
            revision: next.list.revision,
            at,
            actor,
            cause: cause.kind,
        };
        transaction.append(&next.row, &append).await?;
        let done = Tally { lists: u32::from(append.revision == 1), ..tally(&before.items, &next.list.items) };
        if done != Tally::default() {
            transaction.count(at, &next.row.agent_name, &done).await?;
        }
        batch.removed.extend(applied.difference.removed.iter().map(|uid| (*uid, actor.clone())));
        let mut session = view::with_todos(&next, self.inner.board.connected(&next.row.session_id), self.moment());
        let todos = std::mem::take(&mut session.todos);
        let request_id = cause.request_id.map_or_else(|| (self.inner.config.uid)().to_string(), str::to_owned);
        batch.events.push(Event::TodoUpdate(TodoUpdate {
            request_id,
            cursor: self.inner.board.cursor_text(next.row.cursor),
            session_id: next.row.session_id.clone(),
            list_id: next.row.list_id.clone(),
            revision: next.row.revision,
            todos,
            actor: view::actor(actor),
            session: Box::new(session),
        }));
        self.store_edits(transaction, batch, &mut next, &applied.edits).await?;
        for forgotten in applied.forgotten {
            transaction.forget_edit(forgotten).await?;
        }
        Ok(next)
    }

    /// Stores edits that came or changed, and tells how far each is.
    async fn store_edits(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        live: &mut Live,
        edits: &[Uuid],
    ) -> Outcome<()> {
        for edit in live.list.edits.iter().filter(|edit| edits.contains(&edit.id)) {
            let cursor = transaction.advance();
            live.row.cursor = cursor;
            transaction.edit(&live.row, edit, cursor).await?;
            let view = view::edit(edit);
            batch.events.push(Event::EditState(EditStateEvent {
                cursor: self.inner.board.cursor_text(cursor),
                edit_id: view.edit_id,
                session_id: live.row.session_id.clone(),
                uid: view.uid,
                state: view.state,
                at: view.at,
                tool_call: view.tool_call,
            }));
        }
        if !edits.is_empty() {
            transaction.session(&mut live.row).await?;
        }
        Ok(())
    }

    /// An answer reached its caller: its edits are delivered, and the list in it is what the caller knows.
    async fn delivered(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        caller: &Caller,
        ask: &TodoDelivered,
    ) -> Outcome<Done> {
        let mut live = self.named(&batch.pending, &ask.session_id).await?;
        let now = self.now();
        let key = caller_key(caller);
        let told = match ask.revision {
            None => None,
            Some(revision) if revision == live.row.revision => Some(live.list.items.clone()),
            Some(revision) if revision < live.row.revision => {
                Some(self.inner.store.list_at(live.row.pk, revision).await?)
            }
            Some(_) => return Err(Error::new(Code::RevisionNotFound, "there is no such revision yet").into()),
        };
        if ask.revision.is_some() {
            live.known.entry(key.clone()).or_insert_with(Known::default).told_rev = ask.revision;
        }
        let edits: Vec<Uuid> = ask.edits.iter().filter_map(|id| Uuid::try_parse(id).ok()).collect();
        let changed = Arc::make_mut(&mut live.list).heard(&key, told, &edits, ask.tool_call.as_deref(), now);
        // What was told is stored with the edits it told, else with the caller's next write: an older one, after a
        // crash, only makes the merge more careful.
        if let Some(revision) = ask.revision.filter(|_| !changed.is_empty()) {
            transaction.told(&live.row, &key, revision).await?;
        }
        self.store_edits(transaction, batch, &mut live, &changed).await?;
        if !changed.is_empty() {
            batch.events.push(self.updated(&live));
        }
        if ask.revision.is_none() {
            self.was_told(&live.row.session_id);
        }
        batch.pending.lives.insert(live.row.session_id.clone(), live);
        Ok(Done {})
    }

    pub(crate) fn updated(&self, live: &Live) -> Event {
        let connected = self.inner.board.connected(&live.row.session_id);
        Event::SessionUpdated(SessionEvent {
            cursor: self.inner.board.cursor_text(live.row.cursor),
            session: Box::new(view::with_todos(live, connected, self.moment())),
        })
    }
}

pub(crate) fn written(live: &Live, remarks: Vec<String>) -> TodoWritten {
    let queued = live.list.edits.iter().filter(|edit| edit.state == EditState::Queued);
    TodoWritten {
        session_id: live.row.session_id.clone(),
        session: live.row.label.clone(),
        revision: live.row.revision,
        todos: live.list.items.clone(),
        progress: Progress { completed: live.row.completed, total: live.row.total, fraction: live.row.fraction },
        edits: queued.map(view::edit).collect(),
        remarks,
    }
}

/// The list in a call's arguments; some models send it as a text that holds JSON.
fn todos_in(arguments: &Value) -> Option<Value> {
    match arguments.get("todos")? {
        Value::String(text) => Some(serde_json::from_str(text).unwrap_or_else(|_| text.clone().into())),
        todos => Some(todos.clone()),
    }
}

fn is_subagent(live: &Live) -> bool {
    live.row.parent_session_id.is_some() && live.row.own_tool.is_none()
}

fn read_only(live: &Live) -> Error {
    let agent = &live.row.agent_name;
    let tool = live.row.own_tool.as_deref().unwrap_or_default();
    let message = format!(
        "this list is {agent}'s own ({tool}), and {agent} cannot be told of changes to it; connect its hooks with \
         `sightline connect {agent}`, or change the list that it keeps here"
    );
    Error::new(Code::ReadOnly, message)
}

fn not_a_change(request: &Request) -> Failure {
    Error::new(Code::Internal, format!("{} changes nothing", request.kind())).into()
}
