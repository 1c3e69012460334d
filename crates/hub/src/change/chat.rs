//! The built-in agent's own changes of a session, beside the requests that everybody makes: decisions on the list as it
//! is at that moment, and its conversation.

use super::writes::written;
use crate::conversation::StoredChat;
use crate::error::Result;
use crate::evidence::connection;
use crate::turn::{Cause, Turn};
use crate::writer::Work;
use protocol::{Caller, TodoWritten};
use std::sync::Arc;
use todo::{Applied, List, Stamp};

/// The built-in agent's decision on a list.
#[derive(Debug, Default)]
pub struct Decided {
    /// The changes, each applied to what the one before it left.
    pub applied: Vec<Applied>,
}

/// Decides on a list as it is when nobody else can change it. It may be asked more than once.
pub type Decide = Arc<dyn Fn(&List, &mut Stamp<'_>) -> todo::Result<Decided> + Send + Sync>;

/// A decision of the built-in agent's, made in the order of all changes.
pub(crate) struct Decision {
    pub(crate) caller: Caller,
    pub(crate) session_id: String,
    pub(crate) request_id: String,
    pub(crate) decide: Decide,
}

impl Work for Decision {
    type Answer = TodoWritten;

    fn caller(&self) -> &Caller {
        &self.caller
    }

    async fn perform(&self, turn: &mut Turn<'_, '_>) -> Result<TodoWritten> {
        let mut live = turn.find(&self.session_id).await?;
        let now = turn.now();
        let decided = turn.stamped(now.max(live.written_at), |stamp| (self.decide)(&live.list, stamp))?;
        let mut remarks = Vec::new();
        for applied in decided.applied {
            remarks.extend(applied.remarks.iter().cloned());
            let cause = Cause { kind: "chat", request_id: Some(&self.request_id), at: now };
            live = turn.revise_by_agent(live, applied, cause).await?;
        }
        if let Some(connection) = connection(&self.caller) {
            turn.staged.used.push((connection, live.row.session_id.clone()));
        }
        Ok(written(&live, &self.caller, remarks))
    }
}

/// A conversation to be kept.
pub(crate) struct SaveChat {
    pub(crate) session_id: String,
    pub(crate) chat: StoredChat,
}

impl Work for SaveChat {
    type Answer = ();

    async fn perform(&self, turn: &mut Turn<'_, '_>) -> Result<()> {
        let live = turn.find(&self.session_id).await?;
        turn.transaction.save_chat(&live.row, &self.chat.state, self.chat.running).await?;
        for message in &self.chat.messages {
            turn.transaction.save_chat_message(&live.row, &message.clone().into()).await?;
        }
        Ok(())
    }
}
