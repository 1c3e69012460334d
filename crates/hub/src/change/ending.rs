//! The end of sessions: their agents leave, or the user deletes them.

use crate::error::{Failure, Result};
use crate::evidence::{CONNECTION, OWN, connection};
use crate::live::Live;
use crate::state;
use crate::turn::{News, Turn};
use jiff::Timestamp;
use protocol::{Code, Done, SessionDelete, SessionUndelete, say};
use session::ReportedState;

impl Turn<'_, '_> {
    /// Deletes a session, and its built-in list with it.
    pub(super) async fn delete(&mut self, ask: &SessionDelete) -> Result<Done> {
        let at = if ask.for_good { Timestamp::UNIX_EPOCH } else { self.now() };
        if ask.for_good
            && let Some(row) = self.core.store.deleted(&ask.session_id).await?
        {
            for mut row in self.core.store.deleted_with(&row).await? {
                row.marks.deleted_at = Some(at);
                row.cursor = self.transaction.advance();
                self.transaction.save_deleted(&mut row, OWN, self.core.now()).await?;
            }
            self.staged.has_dirt = true;
            return Ok(Done {});
        }
        let live = self.find(&ask.session_id).await?;
        self.retire(live, at).await?;
        Ok(Done {})
    }

    /// Deletes a session; until it is purged it can be brought back.
    pub(crate) async fn retire(&mut self, live: Live, at: Timestamp) -> Result<()> {
        let mut gone: Vec<Live> = self.sessions().built_in_list(&live).await?.into_iter().collect();
        // Without its built-in list nothing is left of a run that has no other.
        if let Some(run) = live.row.who.parent_session_id.as_deref().filter(|_| live.row.who.own_tool.is_some()) {
            gone.push(self.find(run).await?);
            gone.retain(|run| !state::has_list(&run.row));
        }
        gone.push(live);
        for mut live in gone {
            self.release_agents(&mut live).await?;
            let mut row = live.row;
            row.marks.deleted_at = Some(at);
            row.cursor = self.transaction.advance();
            self.transaction.save_deleted(&mut row, OWN, self.core.now()).await?;
            self.stage_gone(&row);
        }
        if at == Timestamp::UNIX_EPOCH {
            self.staged.has_dirt = true;
        }
        Ok(())
    }

    /// Brings a deleted session back, and what went with it.
    pub(super) async fn undelete(&mut self, ask: &SessionUndelete) -> Result<Done> {
        let store = &self.core.store;
        let Some(row) = store.deleted(&ask.session_id).await? else {
            return Err(Failure::refused(Code::SessionNotFound, say::session_gone()));
        };
        self.staged.undeletes = true;
        for mut row in store.deleted_with(&row).await? {
            row.marks.deleted_at = None;
            row.cursor = self.transaction.advance();
            self.transaction.save_deleted(&mut row, OWN, self.core.now()).await?;
            self.staged.deleted.remove(&row.session_id);
            let live = Live::load(store, row).await?;
            self.tell_created(&live);
            self.stage(&live);
        }
        Ok(Done {})
    }

    /// An agent has ended in good order.
    pub(super) async fn leave(&mut self) -> Result<Done> {
        let Some(connection) = connection(self.caller) else {
            let problem = "only an agent that said hello with its connection can leave";
            return Err(Failure::refused(Code::InvalidMessage, problem));
        };
        let mut sessions = self.core.board.sessions_of(&connection);
        // After a restart of the gateway only the binding knows.
        if let Some(bound) = self.core.store.bound(CONNECTION, &connection).await?
            && !sessions.contains(&bound.session_id)
        {
            sessions.push(bound.session_id);
        }
        // A label may be shared: the session of those that are still there goes on.
        sessions.retain(|id| !self.core.board.used_by_another(&connection, id));
        for id in sessions {
            let mut live = match self.find(&id).await {
                Ok(live) => live,
                // It was deleted a moment ago.
                Err(failure) if failure.is_unknown_session() => continue,
                Err(failure) => return Err(failure),
            };
            // Its hooks would have told that a turn is over.
            let is_amid = self.staged.hooks.is_hooked(&id)
                && live.row.life.state == ReportedState::Open
                && live.row.list.unfinished > 0;
            let reason = is_amid.then(|| say::reason_ended().english);
            live.enter(ReportedState::Finished, reason, self.now());
            self.release_agents(&mut live).await?;
            self.save(&mut live, News::Updated).await?;
            if let Some(mut list) = self.sessions().built_in_list(&live).await? {
                list.follow(&live.row);
                self.save(&mut list, News::Updated).await?;
            }
        }
        Ok(Done {})
    }
}
