//! Requests that change something: turned into a change of a list, applied, stored, and told.

use crate::live::{Known, Live};
use crate::resolve::caller_key;
use crate::writer::{Batch, Failure};
use crate::{Hub, view};
use protocol::{
    Caller, Code, Done, EditStateEvent, Edited, Error, Event, Progress, Reply, Request, SessionEvent, TodoAdd,
    TodoDelivered, TodoRead, TodoUpdate, TodoWrite, TodoWritten,
};
use serde_json::Value;
use store::{ActorRow, Append, Transaction};
use todo::{Applied, Change, Draft, EditState, Position, Stamp, Target};
use uuid::Uuid;

/// Callers of one session whose knowledge is kept; a label can have any number of them over time.
const CALLERS: usize = 8;

type Outcome<T> = std::result::Result<T, Failure>;

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
        match request {
            Request::TodoWrite(ask) => self.write(transaction, batch, caller, ask).await.map(Reply::TodoWrite),
            Request::TodoRead(ask) => self.read(transaction, batch, caller, ask).await.map(Reply::TodoRead),
            Request::TodoDelivered(ask) => {
                self.delivered(transaction, batch, caller, ask).await.map(Reply::TodoDelivered)
            }
            Request::TodoAdd(ask) => {
                let change = add_change(ask, caller)?;
                self.edit(transaction, batch, caller, kind, &ask.session_id, change).await.map(Reply::TodoAdd)
            }
            Request::TodoDelete(ask) => {
                let target = target(ask.uid.as_deref(), ask.position.as_deref())?;
                let change = Change::Delete { target, client: caller.client.clone() };
                self.edit(transaction, batch, caller, kind, &ask.session_id, change).await.map(Reply::TodoDelete)
            }
            Request::TodoClear(ask) => {
                let change = Change::Clear { client: caller.client.clone() };
                self.edit(transaction, batch, caller, kind, &ask.session_id, change).await.map(Reply::TodoClear)
            }
            Request::TodoUndo(ask) => {
                let edit =
                    match ask.edit_id.as_deref() {
                        Some(id) => Some(Uuid::try_parse(id).map_err(|_| {
                            Error::new(Code::CannotUndo, "\"editId\" is not one that this gateway gave")
                        })?),
                        None => None,
                    };
                let change = Change::Undo { edit, client: caller.client.clone() };
                self.edit(transaction, batch, caller, kind, &ask.session_id, change).await.map(Reply::TodoUndo)
            }
            Request::SessionLeave(_) => self.leave(transaction, batch, caller).await.map(Reply::SessionLeave),
            Request::Hello(_)
            | Request::EventsSubscribe(_)
            | Request::SessionList(_)
            | Request::SessionGet(_)
            | Request::SessionRevisions(_)
            | Request::GatewayStatus(_) => Err(Error::new(Code::Internal, "a question was taken for a change").into()),
        }
    }

    async fn write(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        caller: &Caller,
        ask: &TodoWrite,
    ) -> Outcome<TodoWritten> {
        let drafts = Draft::list(&ask.todos).map_err(Error::from)?;
        let mut live =
            self.agents_session(transaction, batch, caller, ask.session_id.as_deref(), ask.session.as_deref()).await?;
        if live.row.title.is_empty()
            && let Some(first) = drafts.first()
        {
            live.row.title = todo::short(&first.content);
        }
        let key = caller_key(caller);
        let change = Change::Replace { caller: key.clone(), drafts };
        let applied = self.apply(&live, change)?;
        let actor = ActorRow {
            kind: "agent".to_owned(),
            name: live.row.agent_name.clone(),
            transport: view::transport_name(caller.transport).to_owned(),
        };
        let remarks = applied.remarks.clone();
        live.heard(self.now());
        let known = live.known.entry(key.clone()).or_default();
        known.said_rev = Some(applied.list.revision);
        let live = self
            .store_revision(transaction, batch, live, applied, &actor, ("todo.write", ask.request_id.as_deref()))
            .await?;
        transaction.caller(&live.row, &live.caller_row(&key)).await?;
        let mut live = live;
        if live.forget_callers(CALLERS) {
            transaction.forget_callers(&live.row, CALLERS).await?;
        }
        let written = written(&live, remarks);
        batch.pending.lives.insert(live.row.session_id.clone(), live);
        Ok(written)
    }

    async fn read(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        caller: &Caller,
        ask: &TodoRead,
    ) -> Outcome<TodoWritten> {
        let mut live =
            self.agents_session(transaction, batch, caller, ask.session_id.as_deref(), ask.session.as_deref()).await?;
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
        session_id: Option<&str>,
        label: Option<&str>,
    ) -> Outcome<Live> {
        let mut found = self.session_of(&batch.pending, caller, session_id, label).await?;
        if found.new {
            found.live.row.cursor = transaction.advance();
            transaction.session(&mut found.live.row).await?;
        }
        for (kind, key) in found.bind {
            transaction.bind(&found.live.row, &kind, &key).await?;
            batch.pending.bindings.insert((kind, key), found.live.row.session_id.clone());
        }
        if found.new {
            let event = SessionEvent {
                cursor: self.inner.board.cursor_text(found.live.row.cursor),
                session: Box::new(view::with_todos(&found.live, true, self.now())),
            };
            batch.events.push(Event::SessionCreated(event));
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
        let live = self.named(&batch.pending, session).await?;
        let applied = self.apply(&live, change)?;
        let actor = ActorRow {
            kind: "user".to_owned(),
            name: "you".to_owned(),
            transport: view::transport_name(caller.transport).to_owned(),
        };
        let message = applied.message.clone();
        let edit_id = applied.edit.map(|id| id.to_string()).unwrap_or_default();
        let live = self.store_revision(transaction, batch, live, applied, &actor, (kind, None)).await?;
        let edited = Edited {
            session_id: live.row.session_id.clone(),
            revision: live.row.revision,
            todos: live.list.items.clone(),
            edit_id,
            message,
        };
        batch.pending.lives.insert(live.row.session_id.clone(), live);
        Ok(edited)
    }

    fn apply(&self, live: &Live, change: Change) -> Outcome<Applied> {
        let uid = self.inner.config.uid.clone();
        let mut stamp = Stamp { now: self.now(), uid: &mut || uid() };
        todo::apply(&live.list, change, &mut stamp).map_err(|error| Error::from(error).into())
    }

    /// Stores what a change made of a list, and the events that tell it.
    async fn store_revision(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        live: Live,
        applied: Applied,
        actor: &ActorRow,
        (cause, request_id): (&str, Option<&str>),
    ) -> Outcome<Live> {
        let now = self.now();
        let mut next = Live { list: applied.list, ..live.clone() };
        next.count();
        next.row.cursor = transaction.advance();
        transaction.session(&mut next.row).await?;
        let request_id = match request_id {
            Some(id) => id.to_owned(),
            None => (self.inner.config.uid)().to_string(),
        };
        let append = Append {
            before: &live.list.items,
            after: &next.list.items,
            difference: &applied.difference,
            revision: next.list.revision,
            at: now,
            actor,
            cause,
            request_id: &request_id,
        };
        transaction.append(&next.row, &append).await?;
        let mut session = view::with_todos(&next, self.inner.board.connected(&next.row.session_id), now);
        let todos = std::mem::take(&mut session.todos);
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
        let told = if ask.revision == live.row.revision {
            live.list.items.clone()
        } else if ask.revision < live.row.revision {
            self.inner.store.list_at(live.row.pk, ask.revision).await?
        } else {
            return Err(Error::new(Code::RevisionNotFound, "there is no such revision yet").into());
        };
        live.list.callers.entry(key.clone()).or_default().told = Some(told);
        live.known.entry(key.clone()).or_insert_with(Known::default).told_rev = Some(ask.revision);
        let mut changed = Vec::new();
        for edit in live.list.edits.iter_mut().filter(|edit| edit.state == EditState::Queued) {
            if ask.edits.contains(&edit.id.to_string()) {
                edit.state = EditState::Delivered;
                edit.at = now;
                edit.delivered = Some((now, ask.tool_call.clone()));
                changed.push(edit.id);
            }
        }
        // What was told is stored with the edits it told, else with the caller's next write: an older one, after a
        // crash, only makes the merge more careful.
        if !changed.is_empty() {
            transaction.told(&live.row, &key, ask.revision).await?;
        }
        self.store_edits(transaction, batch, &mut live, &changed).await?;
        if !changed.is_empty() {
            batch.events.push(self.updated(&live));
        }
        batch.pending.lives.insert(live.row.session_id.clone(), live);
        Ok(Done {})
    }

    /// An agent has ended in good order.
    async fn leave(&self, transaction: &mut Transaction<'_>, batch: &mut Batch, caller: &Caller) -> Outcome<Done> {
        let Some(connection) = caller.agent.as_ref().and_then(|agent| agent.connection.clone()) else {
            return Err(Error::new(
                Code::InvalidMessage,
                "only an agent that said hello with its connection can leave",
            )
            .into());
        };
        let mut sessions = self.inner.board.sessions_of(&connection);
        // After a restart of the gateway only the binding knows.
        if let Some(bound) = self.inner.store.bound("connection", &connection).await?
            && !sessions.contains(&bound.session_id)
        {
            sessions.push(bound.session_id);
        }
        for id in sessions {
            let mut live = self.named(&batch.pending, &id).await?;
            live.row.state = "finished".to_owned();
            live.row.cursor = transaction.advance();
            transaction.session(&mut live.row).await?;
            batch.events.push(self.updated(&live));
            batch.pending.lives.insert(id, live);
        }
        Ok(Done {})
    }

    fn updated(&self, live: &Live) -> Event {
        let connected = self.inner.board.connected(&live.row.session_id);
        Event::SessionUpdated(SessionEvent {
            cursor: self.inner.board.cursor_text(live.row.cursor),
            session: Box::new(view::with_todos(live, connected, self.now())),
        })
    }
}

fn written(live: &Live, remarks: Vec<String>) -> TodoWritten {
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

fn add_change(ask: &TodoAdd, caller: &Caller) -> Outcome<Change> {
    let position = match ask.position.as_deref() {
        Some(typed) => Position::parse(typed).map_err(Error::from)?,
        None => Position::last(),
    };
    let mut fields = ask.fields.clone();
    fields.insert("content".to_owned(), Value::String(ask.content.clone()));
    // What a transport adds to a message is no field of an item.
    for key in ["id", "type", "uid"] {
        fields.remove(key);
    }
    let draft = Draft::one(&Value::Object(fields), "todo.add").map_err(Error::from)?;
    Ok(Change::Add { position, draft: Box::new(draft), client: caller.client.clone() })
}

fn target(uid: Option<&str>, position: Option<&str>) -> Outcome<Target> {
    match (uid, position) {
        (Some(uid), _) => Uuid::try_parse(uid)
            .map(Target::Uid)
            .map_err(|_| Error::new(Code::ItemNotFound, "\"uid\" is not one of an item of ours").into()),
        (None, Some(position)) => Ok(Target::At(Position::parse(position).map_err(Error::from)?)),
        (None, None) => {
            Err(Error::new(Code::InvalidMessage, "say which item: send its \"uid\", or its \"position\" such as \"2\"")
                .into())
        }
    }
}
