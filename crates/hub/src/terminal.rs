//! The terminals that agents run in: in memory with their sessions, as long as these are there, and never stored.

use crate::Hub;
use crate::evidence::key_of;
use crate::live::Live;
use crate::sessions::Sessions;
use protocol::{Caller, Terminal};
use std::sync::Arc;

impl Live {
    /// Its agent runs in the caller's terminal, where the caller knows one. An agent with a key is not where it could be
    /// seen.
    pub(crate) fn runs_in(&mut self, caller: &Caller) {
        let agent = caller.agent.as_ref().filter(|_| key_of(caller).is_none());
        if let Some(terminal) = agent.and_then(|agent| agent.terminal.as_deref())
            && self.terminal.as_deref() != Some(terminal)
        {
            self.terminal = Some(Arc::new(terminal.clone()));
        }
    }
}

impl Hub {
    /// The terminal that a session's agent runs in, as the agent has said since this process began; that of its run for a
    /// built-in list and a subagent.
    ///
    /// # Errors
    /// When there is no such session, or the database cannot be read.
    pub async fn terminal_of_agent(&self, session_id: &str) -> protocol::Result<Option<Arc<Terminal>>> {
        let sessions = Sessions::committed(&self.core);
        let terminal = async {
            let live = sessions.named(session_id).await?;
            match (live.terminal, live.row.who.into_inner().parent_session_id) {
                (None, Some(run)) => Ok(sessions.named(&run).await?.terminal),
                (terminal, _) => Ok(terminal),
            }
        };
        self.core.read(terminal).await
    }
}
