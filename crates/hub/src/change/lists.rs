//! Single lists of a session: the user deletes one, or begins one.

use crate::error::{Failure, Result};
use crate::evidence::{SHARED, check_label};
use crate::live::{CallerRevisions, Live};
use crate::sessions::{identity, new_session};
use crate::state;
use crate::turn::{Cause, News, Turn};
use jiff::Timestamp;
use protocol::{
    Caller, Code, Done, Event, ListDelete, ListEvent, ListUndelete, SessionDelete, SessionUndelete, TodoAdd, say,
};
use session::{Actor, Identity, ReportedState};
use std::sync::Arc;
use todo::{By, CallerMemory, Change, short};

/// The name that stands for an agent in a session that none has yet.
const NOBODY: &str = "you";

impl Turn<'_, '_> {
    /// Deletes one list.
    pub(super) async fn delete_list(&mut self, ask: &ListDelete) -> Result<Done> {
        let at = if ask.for_good { Timestamp::UNIX_EPOCH } else { self.now() };
        let Some((list, session_id)) = self.transaction.list(&ask.list_id).await? else { return Err(unknown()) };
        let session = SessionDelete { session_id, for_good: ask.for_good };
        if list.deleted_at.is_some_and(|deleted| deleted > Timestamp::UNIX_EPOCH && ask.for_good) {
            self.transaction.mark_list_deleted(&list.list_id, Some(at)).await?;
            self.staged.has_dirt = true;
            return Ok(Done {});
        }
        let live = match self.find(&session.session_id).await {
            Err(failure) if failure.is_unknown_session() && ask.for_good => return self.delete(&session).await,
            Err(failure) if failure.is_unknown_session() => return Err(unknown()),
            found => found?,
        };
        if list.deleted_at.is_some() {
            return Err(unknown());
        }
        if list.end.is_none() {
            if !self.transaction.has_ended_lists(live.row.pk).await? {
                return self.delete(&session).await;
            }
            if live.list.items.is_empty() {
                return Err(Failure::refused(Code::InvalidMessage, say::list_is_empty()));
            }
            let (actor, at) = (self.user(), self.now());
            self.leave_list(live.clone(), &actor, Cause { kind: "list.delete", request_id: None, at }).await?;
        }
        self.transaction.mark_list_deleted(&list.list_id, Some(at)).await?;
        let event = self.list_event(&session.session_id, &list.list_id);
        self.staged.events.push(Event::ListDeleted(event));
        self.staged.has_dirt |= ask.for_good;
        let is_there = state::is_shown(&live.row, self.core.moment()) || self.core.board.connected(&session.session_id);
        if list.end.is_some() && live.list.items.is_empty() && !is_there {
            // Nothing is left of a session that is over.
            if !self.transaction.has_ended_lists(live.row.pk).await? {
                self.retire(live, at).await?;
            }
        }
        Ok(Done {})
    }

    /// Ends the present list without a word to its agents: to each it is as if it had sent an empty one.
    pub(super) async fn leave_list(&mut self, mut live: Live, actor: &Actor, cause: Cause<'_>) -> Result<Live> {
        // Archived by nobody whom the list remembers.
        let nobody = String::new();
        let mut applied = self.apply(&live, Change::Archive { by: By::Agent { caller: nobody.clone() } }, cause.at)?;
        applied.list.callers.remove(&nobody);
        let callers: Vec<String> = applied.list.callers.keys().cloned().collect();
        for memory in applied.list.callers.values_mut() {
            let has_sent = memory.has_sent;
            *memory = CallerMemory { known_list: Some(Arc::default()), has_sent, ..CallerMemory::default() };
        }
        let revision = Some(applied.list.revision);
        for caller in &callers {
            live.note_revisions(caller, |known| {
                // Only who has sent a list before is as if it had sent this one.
                *known = CallerRevisions { known_revision: revision, sent_revision: known.sent_revision.and(revision) };
            });
        }
        let live = self.revise(live, applied, actor, cause).await?;
        for caller in &callers {
            self.transaction.save_caller(&live.row, &live.caller_row(caller)).await?;
        }
        Ok(live)
    }

    /// Brings a deleted list back, or the session that was deleted with it.
    pub(super) async fn undelete_list(&mut self, ask: &ListUndelete) -> Result<Done> {
        let Some((list, session_id)) = self.transaction.list(&ask.list_id).await? else { return Err(unknown()) };
        match list.deleted_at {
            None => self.undelete(&SessionUndelete { session_id }).await,
            Some(at) if at > Timestamp::UNIX_EPOCH => {
                self.transaction.mark_list_deleted(&list.list_id, None).await?;
                let event = self.list_event(&session_id, &list.list_id);
                self.staged.events.push(Event::ListUndeleted(event));
                match self.core.store.deleted(&session_id).await? {
                    Some(_) => self.undelete(&SessionUndelete { session_id }).await,
                    None => Ok(Done {}),
                }
            }
            Some(_) => Err(unknown()),
        }
    }

    fn list_event(&mut self, session_id: &str, list_id: &str) -> ListEvent {
        let cursor = self.core.board.cursor_text(self.transaction.advance());
        ListEvent { cursor, session_id: session_id.to_owned(), list_id: list_id.to_owned() }
    }

    /// The session that a step is added to; a list of the user's own begins where the request names none, or one that is
    /// new by its label.
    pub(super) async fn list_to_add_to(&mut self, ask: &TodoAdd) -> Result<String> {
        if !ask.session_id.is_empty() {
            if ask.label.is_some() {
                let problem = "\"label\" stands in the place of \"sessionId\"; send one of them";
                return Err(Failure::refused(Code::InvalidMessage, problem));
            }
            return Ok(ask.session_id.clone());
        }
        if let Some(label) = &ask.label {
            check_label(label)?;
            if let Some(live) = self.sessions().labelled(label).await? {
                return Ok(live.row.session_id);
            }
        }
        let mut live = new_session(self.core, self.caller, ask.label.clone(), self.now());
        NOBODY.clone_into(&mut live.row.who.agent_name);
        live.row.life.state = ReportedState::Unclaimed;
        if live.row.who.title.is_empty() {
            live.row.who.title = short(&ask.content);
        }
        // By giving it a label the user says that whoever opens that may have it.
        live.row.marks.shared = ask.label.is_some();
        self.save(&mut live, News::Created).await?;
        if let Some(label) = &ask.label {
            self.bind(&live, SHARED, label).await?;
        }
        Ok(live.row.session_id)
    }

    /// A list of the user's own is that of the first agent that opens it.
    pub(super) fn claim(&self, live: &mut Live, caller: &Caller) {
        if live.row.life.state != ReportedState::Unclaimed || caller.agent.is_none() {
            return;
        }
        let Identity { label, title, prompt, created_at, .. } = Identity::clone(&live.row.who);
        live.row.who = Identity { title, prompt, ..identity(caller, label, created_at) }.into();
    }

    /// A list of the user's own that was loaded elsewhere is with that agent from now on.
    pub(super) async fn hand_over(&mut self, mut from: Live) -> Result<()> {
        if from.row.life.state == ReportedState::Unclaimed {
            from.enter(ReportedState::Finished, None, self.now());
            self.save(&mut from, News::Updated).await?;
        }
        Ok(())
    }
}

fn unknown() -> Failure {
    Failure::refused(Code::SessionNotFound, say::list_unknown())
}
