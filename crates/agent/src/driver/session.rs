//! One session of the built-in agent: its machine, its conversation and the work under way.
//!
//! Other files of this folder add to [`Session`], each one thing that it does. Here is what they all need: telling the
//! machine an event, and starting work beside the session.

use super::handle::{Input, ReplySender};
use super::host::Host;
use super::run::Run;
use super::settings;
use super::state::{SessionState, View};
use super::toolbox::Toolbox;
use super::update::{Update, UpdateSender, WAITING};
use crate::fsm::{AgentMachine, Effect, Event, RequestId, Snapshot};
use crate::prompt::Voice;
use futures_util::FutureExt;
use hub::{Entry, StoredChat};
use protocol::{Caller, Code, Done, Error, say};
use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

pub(super) struct Session {
    pub(super) host: Arc<Host>,
    pub(super) session_id: String,
    pub(super) caller: Caller,
    pub(super) folder: Option<String>,
    pub(super) machine: AgentMachine,
    pub(super) state: SessionState,
    pub(super) entries: Vec<Entry>,
    pub(super) run: Option<Run>,
    pub(super) toolbox: Option<Arc<Toolbox>>,
    /// Effects of the machine that are not performed yet.
    pub(super) effects: VecDeque<Effect>,
    /// The request that is being performed beside the session.
    pub(super) performing: Option<(RequestId, AbortOnDropHandle<()>)>,
    updates_in: mpsc::Sender<(RequestId, Update)>,
    pub(super) updates: mpsc::Receiver<(RequestId, Update)>,
    pub(super) view: View,
    pub(super) inputs: mpsc::Receiver<Input>,
    pub(super) stop: CancellationToken,
    /// Requests to abort, answered when the run is over.
    pub(super) aborting: Vec<ReplySender<Done>>,
    /// The process ends, or has ended: an abort is not the user's.
    pub(super) is_interrupted: bool,
    /// A run is complete, and what is kept for later was not looked at since.
    pub(super) has_completed: bool,
    /// The session is deleted: nothing of it can be saved.
    pub(super) is_deleted: bool,
}

impl Session {
    pub(super) fn new(
        host: Arc<Host>,
        session_id: String,
        caller: Caller,
        stored: Option<&StoredChat>,
        list: Snapshot,
        inputs: mpsc::Receiver<Input>,
    ) -> Self {
        let stop = host.stop.clone();
        let state: SessionState =
            stored.and_then(|stored| serde_json::from_str(&stored.state).ok()).unwrap_or_default();
        let entries = stored.map(|stored| stored.messages.iter().filter_map(Entry::read).collect()).unwrap_or_default();
        let machine = AgentMachine::new(settings::without_tools(&host.hub.settings()), state.checkpoint.clone(), list);
        let (updates_in, updates) = mpsc::channel(WAITING);
        let folder = caller.agent.as_ref().and_then(|agent| agent.folder.clone());
        Self {
            host,
            session_id,
            caller,
            folder,
            machine,
            state,
            entries,
            run: None,
            toolbox: None,
            effects: VecDeque::new(),
            performing: None,
            updates_in,
            updates,
            view: View::default(),
            inputs,
            stop,
            aborting: Vec::new(),
            is_interrupted: false,
            has_completed: false,
            is_deleted: false,
        }
    }

    pub(super) fn can_resume(&self) -> bool {
        self.run.is_none() && self.machine.can_resume()
    }

    pub(super) fn voice(&self) -> Voice {
        if self.state.prose { Voice::Prose } else { Voice::Tools }
    }

    /// The id of the run's prompt; empty without a run.
    pub(super) fn request_id(&self) -> String {
        self.run.as_ref().map(|run| run.view.request_id.clone()).unwrap_or_default()
    }

    /// Tells the machine an event. Its effects are performed by [`Session::drain`](super::serve).
    pub(super) fn hear(&mut self, event: Event) {
        self.machine.configure(settings::with_tools(&self.host.hub.settings(), self.toolbox.as_deref()));
        self.effects.extend(self.machine.handle(event));
        self.note_checkpoint();
    }

    /// Copies the machine's checkpoint to the state that is saved. An approval is for a tool as it is then: one that
    /// comes back as another, whenever that is, is not approved.
    pub(super) fn note_checkpoint(&mut self) {
        let Self { state, machine, toolbox, session_id, .. } = self;
        state.checkpoint = machine.checkpoint().clone();
        state.approved.retain(|tool, _| machine.allowed().any(|allowed| allowed == tool));
        for tool in machine.allowed() {
            if !state.approved.contains_key(tool)
                && let Some(digest) = toolbox.as_ref().and_then(|toolbox| toolbox.digest(session_id, tool))
            {
                state.approved.insert(tool.to_owned(), digest);
            }
        }
    }

    /// Starts the work for a request beside the session; it reports by updates.
    pub(super) fn spawn<F>(&mut self, id: RequestId, work: impl FnOnce(UpdateSender) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let updates = UpdateSender { id, session: self.updates_in.clone() };
        let work = AssertUnwindSafe(work(updates.clone())).catch_unwind();
        let work = async move {
            if work.await.is_err() {
                // Without this the machine would wait for ever.
                updates.send(Update::Failed(Error::new(Code::Internal, say::chat_fault()))).await;
            }
        };
        self.performing = Some((id, AbortOnDropHandle::new(tokio::spawn(work))));
    }
}
