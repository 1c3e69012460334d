//! A change on its way: the verbs that all changes are made of.
//!
//! A turn reads sessions as the batch has left them, writes to the batch's transaction, and stages what memory and
//! subscribers are to know. Nothing of it is in memory before the commit.

use crate::core::Core;
use crate::error::Result;
use crate::evidence::BUILT_IN_LIST;
use crate::hook_memory::HookMemory;
use crate::lists;
use crate::live::Live;
use crate::sessions::Sessions;
use crate::staged::Staged;
use crate::tally::tally;
use crate::view;
use jiff::Timestamp;
use protocol::{Caller, EditStateEvent, Event, SessionDeleted, SessionEvent, TodoUpdate};
use session::{Actor, ActorKind};
use std::sync::Arc;
use store::{Append, SessionRow, Tally, Transaction};
use todo::{Applied, Change, Item, List, NextList, Stamp};
use uuid::Uuid;

/// A change on its way.
pub(crate) struct Turn<'t, 'c> {
    pub(crate) core: &'t Core,
    pub(crate) transaction: &'t mut Transaction<'c>,
    pub(crate) staged: &'t mut Staged,
    pub(crate) caller: &'t Caller,
}

/// The event about a session that is saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum News {
    /// It is new.
    Created,
    /// It has changed.
    Updated,
    /// Nothing: an event of the same turn tells it.
    Told,
}

/// Why there is a new revision.
#[derive(Clone, Copy)]
pub(crate) struct Cause<'a> {
    /// The type of the request.
    pub(crate) kind: &'a str,
    /// The request's id, where its sender gave one.
    pub(crate) request_id: Option<&'a str>,
    /// The time of the change.
    pub(crate) at: Timestamp,
}

impl Turn<'_, '_> {
    pub(crate) fn now(&self) -> Timestamp {
        self.core.now()
    }

    /// The sessions as this batch has left them.
    pub(crate) fn sessions(&self) -> Sessions<'_> {
        Sessions::staged(self.core, self.staged)
    }

    /// A session by its id, its label, or the first letters of its id.
    pub(crate) async fn find(&self, name: &str) -> Result<Live> {
        self.sessions().named(name).await
    }

    /// A session by its id, its label, or the first letters of its id; for an agent, one of its own by its whole id.
    pub(crate) async fn find_for_caller(&self, name: &str) -> Result<Live> {
        match self.caller.agent {
            Some(_) => self.sessions().own(self.caller, name).await,
            None => self.find(name).await,
        }
    }

    /// Saves a session under a new cursor; a new one gets its row.
    pub(crate) async fn save(&mut self, live: &mut Live, news: News) -> Result<()> {
        live.row.cursor = self.transaction.advance();
        self.transaction.save_session(&mut live.row).await?;
        match news {
            News::Created => self.tell_created(live),
            News::Updated => self.tell_updated(live),
            News::Told => {}
        }
        self.stage(live);
        Ok(())
    }

    /// Tells that an agent was heard of. Where nothing else of its session is new, that is in memory only, until the session
    /// is saved for something else or the writer saves it a little later.
    pub(crate) async fn save_heard(&mut self, live: &mut Live) -> Result<()> {
        if !live.row.is_saved_but_for_activity() {
            return self.save(live, News::Updated).await;
        }
        let connected = self.core.board.connected(&live.row.session_id);
        let mut event = self.session_event(live, connected);
        // That of its row may be long ago.
        event.cursor = self.core.board.cursor_text(self.transaction.cursor());
        self.staged.events.push(Event::SessionUpdated(event));
        self.stage(live);
        Ok(())
    }

    /// Changes a session in memory only.
    pub(crate) fn stage(&mut self, live: &Live) {
        self.staged.lives.insert(live.row.session_id.clone(), live.clone());
    }

    pub(crate) fn tell_created(&mut self, live: &Live) {
        let event = self.session_event(live, true);
        self.staged.events.push(Event::SessionCreated(event));
    }

    pub(crate) fn tell_updated(&mut self, live: &Live) {
        let connected = self.core.board.connected(&live.row.session_id);
        let event = self.session_event(live, connected);
        self.staged.events.push(Event::SessionUpdated(event));
    }

    fn session_event(&self, live: &Live, connected: bool) -> SessionEvent {
        SessionEvent {
            cursor: self.core.board.cursor_text(live.row.cursor),
            session: Box::new(view::with_todos(live, connected, self.core.moment())),
        }
    }

    /// From now on a piece of evidence means this session.
    pub(crate) async fn bind(&mut self, live: &Live, kind: &'static str, key: &str) -> Result<()> {
        self.transaction.bind(&live.row, kind, key, self.core.now()).await?;
        self.staged.bindings.insert((kind, key.to_owned()), live.row.session_id.clone());
        Ok(())
    }

    /// From now on a run has this built-in list.
    pub(crate) async fn bind_built_in(&mut self, list: &Live, run: &mut Live) -> Result<()> {
        run.built_in_list = Some(list.row.session_id.clone());
        self.bind(list, BUILT_IN_LIST, &run.row.session_id).await
    }

    /// The memory of hooks' reports, to be changed.
    pub(crate) fn hooks(&mut self) -> &mut HookMemory {
        Arc::make_mut(&mut self.staged.hooks)
    }

    /// The next list after a change; nothing is stored.
    pub(crate) fn apply(&self, live: &Live, change: Change, now: Timestamp) -> Result<Applied> {
        self.stamped(now.max(live.written_at), |stamp| todo::apply(&live.list, change, stamp))
    }

    /// Runs what makes items, with the time and the uids that they get.
    pub(crate) fn stamped<T>(&self, now: Timestamp, make: impl FnOnce(&mut Stamp<'_>) -> todo::Result<T>) -> Result<T> {
        let mut uid = || self.core.uid();
        Ok(make(&mut Stamp { now, uid: &mut uid })?)
    }

    /// Stores the revision that a change made, with its edits, and tells it.
    pub(crate) async fn revise(
        &mut self,
        live: Live,
        applied: Applied,
        actor: &Actor,
        cause: Cause<'_>,
    ) -> Result<Live> {
        live.refuse_mirrored()?;
        let at = cause.at.max(live.written_at);
        let before = live.list.clone();
        let mut next = Live { list: Arc::new(applied.list), written_at: at, ..live };
        next.count();
        // A message of the user says nothing of the list.
        if actor.kind != ActorKind::User || !before.items.is_empty() || !next.list.items.is_empty() {
            next.know_list();
        }
        self.follow_list(&mut next, &before.items, applied.next, at).await?;
        next.row.cursor = self.transaction.advance();
        let append = Append {
            before: &before.items,
            after: &next.list.items,
            difference: &applied.difference,
            revision: next.list.revision,
            at,
            actor,
            cause: cause.kind,
        };
        self.transaction.append(&next.row, &append).await?;
        let is_begun = match applied.next {
            NextList::New => true,
            NextList::Same => before.items.is_empty(),
            NextList::Back(_) => false,
        };
        let lists = u32::from(is_begun && !next.list.items.is_empty());
        let done = Tally { lists, ..tally(&before.items, &next.list.items) };
        if done != Tally::default() {
            self.transaction.add_to_hour(at, &next.row.who.agent_name, &done).await?;
        }
        self.staged.removed.extend(applied.difference.removed.iter().map(|uid| (*uid, actor.clone())));
        self.settle(&mut next, (&applied.edits, &applied.forgotten), actor, cause).await?;
        Ok(next)
    }

    /// Stores what a list says that is as the list was: it moves the user's edits on, and the memory of its caller. There
    /// is no revision; the list is told with the one that it has.
    pub(crate) async fn repeat(
        &mut self,
        live: Live,
        applied: Applied,
        actor: &Actor,
        cause: Cause<'_>,
    ) -> Result<Live> {
        live.refuse_mirrored()?;
        let list = List { revision: live.list.revision, ..applied.list };
        let mut next = Live { list: Arc::new(list), ..live };
        next.count();
        next.know_list();
        next.row.cursor = self.transaction.advance();
        self.settle(&mut next, (&applied.edits, &applied.forgotten), actor, cause).await?;
        Ok(next)
    }

    /// Tells a list, and stores its edits that moved on, and its session.
    async fn settle(
        &mut self,
        next: &mut Live,
        (edits, forgotten): (&[Uuid], &[Uuid]),
        actor: &Actor,
        cause: Cause<'_>,
    ) -> Result<()> {
        self.tell_revision(next, actor, cause.request_id);
        self.save_edits(next, edits).await?;
        self.transaction.save_session(&mut next.row).await?;
        for edit in forgotten {
            self.transaction.forget_edit(*edit, next.row.cursor).await?;
        }
        self.stage(next);
        Ok(())
    }

    pub(crate) fn tell_revision(&mut self, live: &Live, actor: &Actor, request_id: Option<&str>) {
        let connected = self.core.board.connected(&live.row.session_id);
        let mut session = view::with_todos(live, connected, self.core.moment());
        let todos = std::mem::take(&mut session.todos);
        self.staged.events.push(Event::TodoUpdate(TodoUpdate {
            request_id: request_id.map_or_else(|| self.core.uid().to_string(), str::to_owned),
            cursor: self.core.board.cursor_text(live.row.cursor),
            session_id: live.row.session_id.clone(),
            list_id: live.row.list.id.clone(),
            revision: live.row.list.revision,
            todos,
            actor: actor.clone(),
            session: Box::new(session),
        }));
    }

    /// Stores edits that came or changed, and tells how far each is; the session is to be stored after it.
    pub(crate) async fn save_edits(&mut self, live: &mut Live, edits: &[Uuid]) -> Result<()> {
        for edit in live.list.edits.iter().filter(|edit| edits.contains(&edit.id)) {
            let cursor = self.transaction.advance();
            live.row.cursor = cursor;
            self.transaction.save_edit(&live.row, edit, cursor).await?;
            let view = view::edit(edit);
            self.staged.events.push(Event::EditState(EditStateEvent {
                cursor: self.core.board.cursor_text(cursor),
                edit_id: view.edit_id,
                session_id: live.row.session_id.clone(),
                uid: view.uid,
                state: view.state,
                at: view.at,
                tool_call: view.tool_call,
            }));
        }
        Ok(())
    }

    /// Ends the list of before where a revision begins another one, or goes back to it where that is undone.
    async fn follow_list(&mut self, live: &mut Live, before: &[Item], next: NextList, at: Timestamp) -> Result<()> {
        let revision = live.list.revision;
        match next {
            NextList::Same => {}
            NextList::New => {
                live.row.list.id = self.core.uid().to_string();
                // One without items was none.
                let end = (!before.is_empty()).then(|| lists::end(before, revision, at));
                self.transaction.new_list(&live.row, revision, at, end.as_ref()).await?;
            }
            NextList::Back(ended) => {
                if let Some(id) = self.transaction.go_back_to_list(&live.row, ended).await? {
                    live.row.list.id = id;
                }
            }
        }
        Ok(())
    }

    /// A session is gone; subscribers are told.
    pub(crate) fn stage_gone(&mut self, row: &SessionRow) {
        let session_id = row.session_id.clone();
        self.staged.lives.remove(&session_id);
        self.staged.deleted.insert(session_id.clone());
        let cursor = self.core.board.cursor_text(row.cursor);
        self.staged.events.push(Event::SessionDeleted(SessionDeleted { cursor, session_id }));
    }

    /// The caller as the user who made a revision.
    pub(crate) fn user(&self) -> Actor {
        Actor { kind: ActorKind::User, name: "you".to_owned(), transport: self.caller.transport }
    }
}
