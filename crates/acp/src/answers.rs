//! The answers to an agent's permissions and questions: the editor's or ours, whichever is first, and never both.
//!
//! A request is noted before the editor gets it. Whoever answers takes it out under one lock; an answer of the editor's that
//! finds it answered here is not passed on.

use crate::lines::Output;
use crate::message::Message;
use crate::watchers::Notes;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::{Error, ErrorKind, Result};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Requests that are remembered. One beyond them is the editor's alone.
const REMEMBERED: usize = 1024;

/// The requests under way.
pub(crate) struct Answers {
    editor: Arc<Output>,
    /// Its input ends when the editor hangs up.
    agent: Weak<Output>,
    state: Mutex<State>,
}

/// Ids of requests, as they stand in a line.
#[derive(Default)]
struct State {
    /// Nobody has answered.
    open: HashSet<String>,
    /// Answered here; the editor's answer is to come, or never comes.
    ours: HashSet<String>,
}

impl Answers {
    pub(crate) fn new(editor: Arc<Output>, agent: &Arc<Output>) -> Self {
        Self { editor, agent: Arc::downgrade(agent), state: Mutex::default() }
    }

    /// Notes a request on its way to the editor.
    pub(crate) fn note(&self, line: &[u8]) {
        let asks = |method: &str| matches!(method, "session/request_permission" | "elicitation/create");
        let is_named = memchr::memmem::find(line, b"session/request_permission").is_some()
            || memchr::memmem::find(line, b"elicitation/create").is_some();
        if !is_named && self.state().ours.is_empty() {
            return;
        }
        let Some(message) = Message::read(line) else { return };
        let (Some(id), Some(method)) = (message.id(), message.method) else { return };
        let mut state = self.state();
        // An agent may use an id again.
        state.ours.remove(&id);
        if asks(&method) && state.open.len() + state.ours.len() < REMEMBERED {
            state.open.insert(id);
        }
    }

    /// Returns whether a line of the editor's is an answer to a request that was answered here. Any other answer counts.
    pub(crate) fn is_late(&self, line: &[u8]) -> bool {
        let mut state = self.state();
        if state.open.is_empty() && state.ours.is_empty() {
            return false;
        }
        let Some(message) = Message::read(line).filter(|message| message.method.is_none()) else { return false };
        let Some(id) = message.id() else { return false };
        !state.open.remove(&id) && state.ours.remove(&id)
    }

    pub(crate) fn is_open(&self, id: &str) -> bool {
        self.state().open.contains(id)
    }

    /// Answers for the user, and takes the editor's prompt away; returns whether ours is the first answer. It waits while
    /// one of the two reads nothing.
    ///
    /// # Errors
    /// When the agent has gone.
    pub(crate) async fn answer(&self, notes: &Notes, id: &str, result: &Value) -> Result<bool> {
        let agent = self.agent.upgrade().ok_or(ErrorKind::BrokenPipe)?;
        let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n");
        let request: Value = serde_json::from_str(id)?;
        let over = json!({ "jsonrpc": "2.0", "method": "$/cancel_request", "params": { "requestId": request } });
        {
            let mut state = self.state();
            if !state.open.remove(id) {
                return Ok(false);
            }
            state.ours.insert(id.to_owned());
        }
        notes.answered(id.to_owned());
        let editor = self.editor.clone();
        let written = tokio::task::spawn_blocking(move || {
            agent.add(answer.as_bytes())?;
            editor.add(format!("{over}\n").as_bytes())
        });
        written.await.map_err(Error::other)??;
        Ok(true)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
