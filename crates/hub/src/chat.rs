//! What the built-in agent does with a session beside asking the hub as everybody does: it decides on the list as it is
//! at that moment, and keeps its conversation.

use crate::change::{Cause, written};
use crate::report::Outcome;
use crate::resolve::{Pending, caller_key};
use crate::writer::{Batch, Task};
use crate::{Hub, storage};
use jiff::Timestamp;
use protocol::{Caller, Done, Error, EventStream, Reply, Result, TodoWritten};
use std::sync::Arc;
use store::{ChatMessageRow, Transaction};
use todo::{Applied, List, Stamp};

/// What the built-in agent makes of a list.
#[derive(Debug, Default)]
pub struct Decided {
    /// The changes, each applied to what the one before it left.
    pub applied: Vec<Applied>,
    /// The list goes to the history, and a new one begins.
    pub new_list: bool,
}

/// Decides on a list as it is when nobody else can change it. It may be asked more than once.
pub type Decide = Arc<dyn Fn(&List, &mut Stamp<'_>) -> todo::Result<Decided> + Send + Sync>;

/// A decision of the built-in agent's, to be made in the order of all changes.
#[derive(Clone)]
pub(crate) struct Deciding {
    caller: Caller,
    session_id: String,
    request_id: String,
    decide: Decide,
}

/// What is kept of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChatKept {
    /// What its agent goes on from, as JSON.
    pub state: String,
    /// A run goes on.
    pub running: bool,
    /// Messages that are new or changed; asked for, the newest, oldest first.
    pub messages: Vec<ChatEntry>,
}

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatEntry {
    /// Its number, from 1.
    pub seq: u64,
    /// When.
    pub at: Timestamp,
    /// What, as JSON.
    pub said: String,
}

impl Hub {
    /// The key under which a list remembers what a caller said and was told.
    #[must_use]
    pub fn caller_key(caller: &Caller) -> String {
        caller_key(caller)
    }

    /// Makes a decision of the built-in agent's. `request_id` is that of the `todo.update` it causes.
    ///
    /// # Errors
    /// Those of the decision, of a session that is gone, and of the database; nothing is changed then.
    pub async fn decide(
        &self,
        caller: Caller,
        session_id: String,
        request_id: String,
        decide: Decide,
    ) -> Result<TodoWritten> {
        let deciding = Deciding { caller, session_id, request_id, decide };
        match self.submit(Task::Decide(Box::new(deciding))).await? {
            Reply::TodoWrite(written) => Ok(written),
            other => Err(Error::new(protocol::Code::Internal, format!("a decision was answered with {other:?}"))),
        }
    }

    /// Keeps a conversation.
    ///
    /// # Errors
    /// Those of a session that is gone and of the database; nothing is kept then.
    pub async fn keep_chat(&self, session_id: String, kept: ChatKept) -> Result<()> {
        self.submit(Task::Chat { session_id, kept }).await.map(|_| ())
    }

    /// A conversation with its newest messages before a number, or none where there is none.
    ///
    /// # Errors
    /// Those of a session that is gone and of the database.
    pub async fn chat(&self, session_id: &str, before: u64, limit: u32) -> Result<Option<ChatKept>> {
        let live = self.named(&Pending::default(), session_id).await?;
        let store = &self.inner.store;
        let Some((state, running)) = store.chat(live.row.pk).await.map_err(storage)? else { return Ok(None) };
        let rows = store.chat_messages(live.row.pk, before, limit).await.map_err(storage)?;
        let messages = rows.into_iter().rev().map(|row| ChatEntry { seq: row.seq, at: row.at, said: row.said });
        Ok(Some(ChatKept { state, running, messages: messages.collect() }))
    }

    /// The sessions whose runs went on when the process before this one ended.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn running_chats(&self) -> Result<Vec<String>> {
        self.inner.store.running_chats().await.map_err(storage)
    }

    /// What happens from now on; it does not count as a connection.
    #[must_use]
    pub fn follow(&self) -> EventStream {
        Box::pin(self.inner.board.follow())
    }

    /// What time it is, for whoever has no clock.
    #[must_use]
    pub fn time(&self) -> Timestamp {
        self.now()
    }

    /// A new id, for whoever has no randomness.
    #[must_use]
    pub fn new_id(&self) -> String {
        (self.inner.config.uid)().to_string()
    }

    pub(crate) async fn perform_decision(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &mut Batch,
        deciding: &Deciding,
    ) -> Outcome<Reply> {
        let mut live = self.named(&batch.pending, &deciding.session_id).await?;
        let now = self.now();
        let decided = {
            let uid = self.inner.config.uid.clone();
            let mut stamp = Stamp { now: now.max(live.written_at), uid: &mut || uid() };
            (deciding.decide)(&live.list, &mut stamp).map_err(Error::from)?
        };
        let mut remarks = Vec::new();
        for applied in decided.applied {
            if decided.new_list && !applied.is_nothing() {
                live.row.list_id = self.new_id();
                transaction.new_list(&live.row, applied.list.revision, now).await?;
            }
            remarks.extend(applied.remarks.iter().cloned());
            let cause = Cause { kind: "chat", request_id: Some(&deciding.request_id), at: now };
            live = self.store_agents(transaction, batch, &deciding.caller, live, applied, cause).await?;
        }
        if let Some(connection) = deciding.caller.agent.as_ref().and_then(|agent| agent.connection.clone()) {
            batch.used.push((connection, live.row.session_id.clone()));
        }
        Ok(Reply::TodoWrite(written(&live, remarks)))
    }

    pub(crate) async fn perform_chat(
        &self,
        transaction: &mut Transaction<'_>,
        batch: &Batch,
        session_id: &str,
        kept: &ChatKept,
    ) -> Outcome<Reply> {
        let live = self.named(&batch.pending, session_id).await?;
        transaction.chat(&live.row, &kept.state, kept.running).await?;
        for message in &kept.messages {
            let row = ChatMessageRow { seq: message.seq, at: message.at, said: message.said.clone() };
            transaction.chat_message(&live.row, &row).await?;
        }
        Ok(Reply::TodoDelivered(Done {}))
    }
}
