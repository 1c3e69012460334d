//! The user's steps and messages that are kept until the agent is idle: they are the next prompt of a session whose run is
//! complete.

use super::session::Session;
use hub::GoingOn;
use protocol::{Happened, TodoDelivered};

impl Session {
    /// Begins a run with what is kept for later; returns whether there was something.
    pub(super) async fn begin_later(&mut self) -> bool {
        let is_wanted = std::mem::take(&mut self.has_completed) && self.host.hub.settings().deliver_at_turn_end;
        if !is_wanted || self.run.is_some() || self.is_deleted || self.stop.is_cancelled() {
            return false;
        }
        let resumed = match self.host.hub.go_on(&self.session_id).await {
            Ok(GoingOn::Resumed(resumed)) if resumed.handed_over > 0 => resumed,
            Ok(_) => return false,
            Err(error) => {
                tracing::warn!(%error, session = self.session_id, "what is kept for later is not taken up");
                return false;
            }
        };
        let edits: Vec<_> = resumed.edits.into_iter().map(|(_, edit)| edit).collect();
        let prompt = mcp::going_on(&resumed.todos, &edits);
        let (request_id, model) = (self.host.hub.new_id(), self.state.model.clone());
        // Where it cannot begin, they are told by the next prompt.
        if let Err(error) = self.begin(&request_id, model, Some(prompt.text.clone()), false).await {
            tracing::warn!(%error, session = self.session_id, "no run can begin with what was kept for later");
            return false;
        }
        self.tell_updated(self.entries.last().and_then(hub::Entry::view));
        let (session_id, edits) = (self.session_id.clone(), prompt.edits);
        let delivered = TodoDelivered { session_id, revision: None, edits, tool_call: Some("prompt".to_owned()) };
        if let Err(error) = self.host.call(&self.caller, delivered).await {
            tracing::warn!(%error, "a delivery could not be noted; the edits will be told again");
        }
        self.report(Happened::Prompted, Some(prompt.text)).await;
        true
    }
}
