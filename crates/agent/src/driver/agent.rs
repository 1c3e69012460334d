//! The sessions of the built-in agent that have a task: opened on demand, told of changes to their lists, and recovered
//! after a crash.

use super::handle::{Handle, Input};
use super::host::{Host, NAME};
use super::session::Session;
use super::state::ENTRIES;
use crate::fsm::Snapshot;
use futures_util::StreamExt;
use protocol::{Caller, Code, Error, Event, GatewayState, Result, Session as SessionView, say};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc;

/// Inputs that wait for one session.
const INPUTS: usize = 64;

/// The built-in agent: all of its sessions.
pub(super) struct Agent {
    pub(super) host: Arc<Host>,
    sessions: Mutex<HashMap<String, Handle>>,
    /// Held while a session is opened, so that none is opened twice.
    opening: tokio::sync::Mutex<()>,
}

impl Agent {
    pub(super) fn new(host: Arc<Host>) -> Self {
        Self { host, sessions: Mutex::default(), opening: tokio::sync::Mutex::default() }
    }

    /// Ends all sessions and waits for them.
    pub(super) async fn stop(&self) {
        self.host.hub.answer_agent(None);
        self.host.stop.cancel();
        self.host.tasks.close();
        self.host.tasks.wait().await;
    }

    pub(super) fn sessions(&self) -> MutexGuard<'_, HashMap<String, Handle>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A session of the built-in agent, and the caller that began it.
    pub(super) async fn own_session(&self, session_id: &str) -> Result<(SessionView, Caller)> {
        let (session, own) = self.host.hub.session_of_agent(session_id).await?;
        let Some(own) = own.first().filter(|_| session.agent.name == NAME) else {
            let agent = todo::text::plain(&session.agent.name);
            return Err(Error::new(Code::InvalidMessage, say::chat_other_agent(agent)));
        };
        let caller = self.host.caller(own, session.folder.clone());
        Ok((session, caller))
    }

    /// Reads a session from the database. A run that no process ended is interrupted.
    async fn load(&self, session_id: &str, caller: Caller, inputs: mpsc::Receiver<Input>) -> Result<Session> {
        let limit = u32::try_from(ENTRIES).unwrap_or(u32::MAX);
        let stored = self.host.hub.chat(session_id, u64::MAX, limit).await?;
        let list = self.host.list(session_id).await?;
        let mut session = Session::new(self.host.clone(), session_id.to_owned(), caller, stored.as_ref(), list, inputs);
        if stored.is_some_and(|stored| stored.running) {
            session.recover().await;
        }
        Ok(session)
    }

    /// The way to a session's task, which is started if there is none.
    pub(super) async fn handle(self: &Arc<Self>, session_id: &str, caller: Caller) -> Result<Handle> {
        let _opening = self.opening.lock().await;
        let running = self.sessions().get(session_id).filter(|handle| !handle.inputs.is_closed()).cloned();
        if let Some(handle) = running {
            return Ok(handle);
        }
        let (inputs, queue) = mpsc::channel(INPUTS);
        let session = self.load(session_id, caller, queue).await?;
        let handle = Handle { inputs, view: session.view.clone() };
        self.sessions().insert(session_id.to_owned(), handle.clone());
        let agent = self.clone();
        self.host.tasks.spawn(session.serve(move |session_id, inputs| agent.remove_idle(session_id, inputs)));
        Ok(handle)
    }

    /// Removes the handle of a session that wants to end, unless an input has come for it meanwhile.
    fn remove_idle(&self, session_id: &str, inputs: &mut mpsc::Receiver<Input>) -> bool {
        let mut sessions = self.sessions();
        if !inputs.is_empty() {
            return false;
        }
        sessions.remove(session_id);
        // Requests that hold the handle already get an error.
        inputs.close();
        drop(sessions);
        true
    }

    /// Ends the runs that were under way when the process before this one ended.
    pub(super) async fn recover(self: Arc<Self>) {
        let left = match self.host.hub.running_chats().await {
            Ok(left) => left,
            Err(error) => return tracing::error!(%error, "runs that were interrupted cannot be found"),
        };
        for session_id in left {
            let loaded = match self.own_session(&session_id).await {
                Ok((_, caller)) => self.load(&session_id, caller, mpsc::channel(1).1).await.map(drop),
                Err(error) => Err(error),
            };
            if let Err(error) = loaded {
                tracing::warn!(%error, session_id, "a run that was interrupted cannot be ended");
            }
        }
    }

    /// Passes the changes of lists on to the sessions at work, until the process ends.
    pub(super) async fn follow(self: Arc<Self>) {
        let mut events = self.host.hub.follow();
        loop {
            let event = tokio::select! {
                () = self.host.stop.cancelled() => return,
                event = events.next() => event,
            };
            // The hub ends.
            let Some(event) = event else { return };
            match event.event() {
                // The session itself leaves out its own changes.
                Event::TodoUpdate(update) => {
                    let list = Snapshot { revision: update.revision, items: update.todos.clone() };
                    self.list_changed(&update.session_id, list).await;
                }
                Event::SessionDeleted(deleted) => {
                    let handle = self.sessions().remove(&deleted.session_id);
                    if let Some(handle) = handle {
                        let _ = handle.inputs.send(Input::Deleted).await;
                    }
                }
                Event::GatewayState(state) if state.state == GatewayState::Lagged => {
                    events = self.host.hub.follow();
                    self.read_lists().await;
                }
                _ => {}
            }
        }
    }

    /// Reads the list of every session at work, after events were lost.
    async fn read_lists(&self) {
        let ids: Vec<String> = self.sessions().keys().cloned().collect();
        for id in ids {
            if let Ok(list) = self.host.list(&id).await {
                self.list_changed(&id, list).await;
            }
        }
    }

    async fn list_changed(&self, session_id: &str, list: Snapshot) {
        let handle = self.sessions().get(session_id).cloned();
        if let Some(handle) = handle {
            // A session that has just ended reads the list when it is opened again.
            let _ = handle.inputs.send(Input::List(list)).await;
        }
    }
}
