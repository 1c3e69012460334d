//! What agents report by their hooks, and what they hear then.

use crate::live::Live;
use crate::resolve::OWN;
use crate::writer::{Batch, Failure};
use crate::{Hub, view};
use jiff::Timestamp;
use protocol::{Caller, Code, EditView, Error, SessionReport, SessionReported};
use std::collections::HashMap;
use std::sync::{MutexGuard, PoisonError};
use store::Transaction;
use todo::EditState;

/// The kind of evidence that ties an agent's own id to a session by a result of ours that the agent read. A resumed
/// run may read that of another session: the newest counts.
const READ: &str = "read";

/// How old the last call of a session may be whose result a hook brings.
const JUST_NOW_SECONDS: i64 = 60;

/// How long an answer to a hook may be on its way; what it should have told is told again after that.
const OFFERED_SECONDS: i64 = 5;

impl Hub {
    /// An agent is at work; it is told what it has not heard of.
    pub(crate) async fn report(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        caller: &Caller,
        ask: &SessionReport,
    ) -> std::result::Result<SessionReported, Failure> {
        let agent = caller.agent.as_ref();
        let Some((agent, own)) = agent.and_then(|agent| Some((agent, agent.own_session.as_deref()?))) else {
            let problem = "only an agent that says its own session can report";
            return Err(Error::new(Code::InvalidMessage, problem).into());
        };
        let key = format!("{}|{own}", agent.agent.name);
        let Some(mut live) = self.reporting(transaction, batch, &key, ask.session_id.as_deref()).await? else {
            return Ok(SessionReported::default());
        };
        live.heard(self.now());
        live.row.cursor = transaction.advance();
        transaction.session(&mut live.row).await?;
        batch.events.push(self.updated(&live));
        let edits = if ask.listens { self.offer(&live) } else { Vec::new() };
        let reported = SessionReported {
            session_id: Some(live.row.session_id.clone()),
            todos: if edits.is_empty() { Vec::new() } else { live.list.items.clone() },
            edits,
        };
        batch.pending.lives.insert(live.row.session_id.clone(), live);
        Ok(reported)
    }

    /// The edits that an answer to a hook may tell. Hooks of calls that were made side by side ask at the same time:
    /// while one of them is about to tell, the others leave it to that one.
    fn offer(&self, live: &Live) -> Vec<EditView> {
        let queued = live.list.edits.iter().filter(|edit| edit.state == EditState::Queued);
        let edits: Vec<EditView> = queued.map(view::edit).collect();
        let now = self.now();
        let mut offered = self.offered();
        offered.retain(|_, since| now.as_second() - since.as_second() < OFFERED_SECONDS);
        if edits.is_empty() || offered.contains_key(&live.row.session_id) {
            return Vec::new();
        }
        offered.insert(live.row.session_id.clone(), now);
        edits
    }

    /// What a hook was about to tell is told, as far as it fitted.
    pub(crate) fn was_told(&self, session_id: &str) {
        self.offered().remove(session_id);
    }

    fn offered(&self) -> MutexGuard<'_, HashMap<String, Timestamp>> {
        self.inner.offered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session that an agent's own id means, or else the one of the result that it read last.
    async fn reporting(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        key: &str,
        read: Option<&str>,
    ) -> std::result::Result<Option<Live>, Failure> {
        // An agent that says the same id to its tool server has said it all.
        if let Some(live) = self.bound(&batch.pending, OWN, key).await? {
            return Ok(Some(live));
        }
        let known = self.bound(&batch.pending, READ, key).await?;
        let Some(read) = read.filter(|read| known.as_ref().is_none_or(|live| live.row.session_id != *read)) else {
            return Ok(known);
        };
        let live = match self.named(&batch.pending, read).await {
            // A result was read just now, so its call was just now.
            Ok(live) if self.now().as_second() - live.row.last_activity_at.as_second() > JUST_NOW_SECONDS => {
                return Ok(known);
            }
            Ok(live) => live,
            // A result of another gateway, or of a session that was deleted since.
            Err(error) if error.code == Code::SessionNotFound => return Ok(known),
            Err(error) => return Err(error.into()),
        };
        transaction.bind(&live.row, READ, key).await?;
        batch.pending.bindings.insert((READ.to_owned(), key.to_owned()), live.row.session_id.clone());
        Ok(Some(live))
    }
}
