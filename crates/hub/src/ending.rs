//! The end of sessions: their agents go, or the user deletes them.

use crate::Hub;
use crate::live::Live;
use crate::report::Outcome;
use crate::resolve::OWN;
use crate::writer::Batch;
use jiff::Timestamp;
use protocol::{Caller, Code, Done, Error, Event, SessionDelete, SessionDeleted, SessionUndelete};
use store::{SessionRow, Transaction};

impl Hub {
    /// A session goes, and the agent's own list with it.
    pub(crate) async fn delete(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        ask: &SessionDelete,
    ) -> Outcome<Done> {
        let at = if ask.for_good { Timestamp::UNIX_EPOCH } else { self.now() };
        if ask.for_good
            && let Some(row) = self.inner.store.deleted(&ask.session_id).await?
        {
            for mut row in self.inner.store.deleted_with(&row).await? {
                row.deleted_at = Some(at);
                row.cursor = transaction.advance();
                transaction.delete(&mut row, OWN, self.now()).await?;
            }
            batch.has_dirt = true;
            return Ok(Done {});
        }
        let live = self.named(&batch.pending, &ask.session_id).await?;
        self.retire(transaction, batch, live, at).await?;
        Ok(Done {})
    }

    /// Deletes a session; until it is purged it can be brought back.
    pub(crate) async fn retire(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        live: Live,
        at: Timestamp,
    ) -> Outcome<()> {
        let mut gone: Vec<Live> = self.own_list(&batch.pending, &live.row.session_id).await?.into_iter().collect();
        // Without its agent's own list nothing is left of a run that has no other.
        if let Some(run) = live.row.parent_session_id.as_deref().filter(|_| live.row.own_tool.is_some()) {
            gone.push(self.named(&batch.pending, run).await?);
            gone.retain(|run| run.row.revision == 0);
        }
        gone.push(live);
        for mut live in gone {
            live.row.deleted_at = Some(at);
            live.row.cursor = transaction.advance();
            transaction.delete(&mut live.row, OWN, self.now()).await?;
            self.tell_gone(batch, &live.row);
        }
        if at == Timestamp::UNIX_EPOCH {
            batch.has_dirt = true;
        }
        Ok(())
    }

    /// Brings a deleted session back, and what went with it.
    pub(crate) async fn undelete(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        ask: &SessionUndelete,
    ) -> Outcome<Done> {
        let store = &self.inner.store;
        let Some(row) = store.deleted(&ask.session_id).await? else {
            let problem = "no deleted session has this id, or it is gone for good by now";
            return Err(Error::new(Code::SessionNotFound, problem).into());
        };
        for mut row in store.deleted_with(&row).await? {
            row.deleted_at = None;
            row.cursor = transaction.advance();
            transaction.delete(&mut row, OWN, self.now()).await?;
            batch.pending.deleted.remove(&row.session_id);
            let live = Live::load(store, row).await?;
            batch.events.push(self.created(&live));
            batch.pending.lives.insert(live.row.session_id.clone(), live);
        }
        Ok(Done {})
    }

    /// Takes a session out, of the store and of the batch, and tells it.
    pub(crate) async fn remove(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        live: &Live,
    ) -> Outcome<()> {
        let mut row = live.row.clone();
        row.cursor = transaction.advance();
        transaction.delete_session(&row, self.now()).await?;
        self.tell_gone(batch, &row);
        Ok(())
    }

    fn tell_gone(&self, batch: &mut Batch, row: &SessionRow) {
        let session_id = row.session_id.clone();
        batch.pending.lives.remove(&session_id);
        batch.pending.deleted.insert(session_id.clone());
        let cursor = self.inner.board.cursor_text(row.cursor);
        batch.events.push(Event::SessionDeleted(SessionDeleted { cursor, session_id }));
    }

    /// An agent has ended in good order.
    pub(crate) async fn leave(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        caller: &Caller,
    ) -> Outcome<Done> {
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
        // A label may be shared: the session of those that are still there goes on.
        sessions.retain(|id| !self.inner.board.used_by_another(&connection, id));
        for id in sessions {
            let mut live = self.named(&batch.pending, &id).await?;
            // Its hooks would have told that a turn is over.
            let is_amid = self.is_hooked(&id) && live.row.state == "open" && live.row.unfinished > 0;
            let reason = is_amid.then(|| "its agent ended in the middle of a turn".to_owned());
            live.enter("finished", reason, self.now());
            live.row.cursor = transaction.advance();
            transaction.session(&mut live.row).await?;
            batch.events.push(self.updated(&live));
            if let Some(mut own) = self.own_list(&batch.pending, &id).await? {
                own.follow(&live.row);
                own.row.cursor = transaction.advance();
                transaction.session(&mut own.row).await?;
                batch.events.push(self.updated(&own));
                batch.pending.lives.insert(own.row.session_id.clone(), own);
            }
            batch.pending.lives.insert(id, live);
        }
        Ok(Done {})
    }
}
