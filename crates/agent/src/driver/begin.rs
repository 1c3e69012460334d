//! The beginning of a run.

use super::run::Run;
use super::session::Session;
use crate::fsm::Event;
use hub::EntryKind;
use protocol::{Code, Error, Result, say};

impl Session {
    /// Begins a run by a prompt or a resumption. The run is saved at once, so that it can be resumed whatever becomes of
    /// this process.
    ///
    /// # Errors
    /// When a run is under way, the session is deleted, the conversation came from elsewhere and is not allowed, or the run
    /// cannot be saved; nothing has begun then.
    pub(super) async fn begin(
        &mut self,
        request_id: &str,
        model: String,
        content: Option<String>,
        allow_imported: bool,
    ) -> Result<()> {
        if self.run.is_some() {
            return Err(Error::new(Code::StreamInProgress, say::chat_at_work()));
        }
        if self.is_deleted {
            return Err(Error::new(Code::SessionNotFound, say::chat_deleted()));
        }
        if self.state.imported && !allow_imported {
            return Err(Error::new(Code::ImportedConversation, say::chat_imported()));
        }
        let before = (self.machine.clone(), self.state.clone(), self.effects.len());
        self.state.imported = false;
        let connection = self.caller.agent.as_ref().and_then(|agent| agent.connection.clone()).unwrap_or_default();
        self.run = Some(Run::new(request_id, self.host.hub.present(&connection)));
        if model != self.state.model {
            (self.state.model, self.state.prose, self.state.calls_todo_tools) = (model, false, false);
        }
        self.hear(match &content {
            Some(text) => Event::Prompt { text: text.clone() },
            None => Event::Resume,
        });
        let prompt = content.map(|content| self.add(EntryKind::User { content }).stored());
        let is_prompt = prompt.is_some();
        self.publish();
        let saved = self.try_save(prompt.into_iter().collect()).await;
        if saved.is_err() {
            let effects;
            (self.machine, self.state, effects) = before;
            self.effects.truncate(effects);
            self.run = None;
            self.publish();
            if is_prompt {
                self.entries.pop();
            }
        }
        saved
    }
}
