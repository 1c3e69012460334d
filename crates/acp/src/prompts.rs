//! Prompts of ours: messages of the user's to an agent that has nothing to do.
//!
//! The agent gets a `session/prompt` under an id that no editor has; its answer is for us, and the editor never sees it.
//! The editor gets the text as the user's message in that session, and what comes of it as it comes.

use crate::lines::Output;
use crate::message::Message;
use crate::watchers::Notes;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::{Error, ErrorKind, Result};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use uuid::Uuid;

/// The beginning of our ids.
const OURS: &str = "sightline-";

/// The way for prompts of ours to an agent.
pub(crate) struct Prompts {
    editor: Arc<Output>,
    /// Its input ends when the editor hangs up.
    agent: Weak<Output>,
    /// Ids of those that the agent has not answered, as they stand in a line.
    open: Mutex<HashSet<String>>,
}

impl Prompts {
    pub(crate) fn new(editor: Arc<Output>, agent: &Arc<Output>) -> Self {
        Self { editor, agent: Arc::downgrade(agent), open: Mutex::default() }
    }

    /// Gives an agent a prompt, and shows it to the editor. It waits while one of them reads nothing.
    ///
    /// # Errors
    /// When one of them has gone, or too much happens at once.
    pub(crate) async fn send(&self, notes: &Notes, own_session: &str, text: &str) -> Result<()> {
        let agent = self.agent.upgrade().ok_or(ErrorKind::BrokenPipe)?;
        let id = json!(format!("{OURS}{}", Uuid::new_v4()));
        let content = json!({ "type": "text", "text": text });
        let update = json!({ "sessionUpdate": "user_message_chunk", "content": content });
        let shown = json!({ "sessionId": own_session, "update": update });
        let shown = line(&json!({ "jsonrpc": "2.0", "method": "session/update", "params": shown }));
        let asked = json!({ "sessionId": own_session, "prompt": [content] });
        let asked = line(&json!({ "jsonrpc": "2.0", "id": id, "method": "session/prompt", "params": asked }));
        // Before the agent can answer it.
        self.open().insert(id.to_string());
        if !notes.prompt(id.to_string(), own_session.to_owned()) {
            self.open().remove(&id.to_string());
            return Err(Error::new(ErrorKind::WouldBlock, "too much happens at once"));
        }
        let editor = self.editor.clone();
        let written = tokio::task::spawn_blocking(move || {
            editor.add(shown.as_bytes())?;
            agent.add(asked.as_bytes())
        });
        written.await.map_err(Error::other)?
    }

    /// Returns whether a line is the answer to a prompt of ours.
    pub(crate) fn answers(&self, line: &[u8]) -> bool {
        if memchr::memmem::find(line, OURS.as_bytes()).is_none() {
            return false;
        }
        let Some(message) = Message::read(line).filter(|message| message.method.is_none()) else { return false };
        message.id().is_some_and(|id| self.open().remove(&id))
    }

    fn open(&self) -> MutexGuard<'_, HashSet<String>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn line(message: &Value) -> String {
    format!("{message}\n")
}
