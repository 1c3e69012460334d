//! The end of sessions: their agents go, or the user deletes them.

use crate::Hub;
use crate::live::Live;
use crate::report::Outcome;
use crate::writer::Batch;
use protocol::{Caller, Code, Done, Error, Event, SessionDeleted};
use store::Transaction;

impl Hub {
    /// A session goes, and the agent's own list with it.
    pub(crate) async fn delete(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        session_id: &str,
    ) -> Outcome<Done> {
        let live = self.named(&batch.pending, session_id).await?;
        let mut gone: Vec<Live> = self.own_list(&batch.pending, &live.row.session_id).await?.into_iter().collect();
        // Without its agent's own list nothing is left of a run that has no other.
        if let Some(run) = live.row.parent_session_id.as_deref().filter(|_| live.row.own_tool.is_some()) {
            gone.push(self.named(&batch.pending, run).await?);
            gone.retain(|run| run.row.revision == 0);
        }
        gone.push(live);
        for live in gone {
            self.remove(transaction, batch, &live).await?;
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
        let cursor = transaction.advance();
        transaction.delete_session(&live.row, cursor, self.now()).await?;
        let session_id = live.row.session_id.clone();
        batch.pending.lives.remove(&session_id);
        batch.pending.deleted.insert(session_id.clone());
        let cursor = self.inner.board.cursor_text(cursor);
        batch.events.push(Event::SessionDeleted(SessionDeleted { cursor, session_id }));
        Ok(())
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
