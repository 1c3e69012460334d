//! Performs what the machine wants: calls models and tools, asks the user, changes lists through the hub, and tells
//! everybody. Each session that is spoken to has a task of its own ([`session`]).

mod act;
mod answer;
mod ask;
mod calls;
mod requests;
mod said;
mod session;
mod settings;
mod step;
mod talk;
mod tell;
mod toolbox;
mod turn;

use crate::fsm::Snapshot;
use crate::model::keys::Environment;
use crate::model::{Keys, Models};
use futures_util::StreamExt;
use hub::Hub;
use protocol::{
    AgentIdentity, AgentInfo, Ask, Backend, Caller, Code, Error, Event, GatewayState, Result, Session as SessionView,
    SessionAt, SessionGet, Transport,
};
use session::{Input, Session, View};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// What the built-in agent is called.
pub const NAME: &str = "sightline";

/// Messages of a conversation that are read at its beginning.
const KEPT_ENTRIES: usize = 500;

/// Inputs that wait for one session.
const INPUTS: usize = 64;

/// What the built-in agent is made from.
pub struct Config {
    /// Where its lists and conversations are.
    pub hub: Hub,
    /// The keys of its models.
    pub keys: Arc<Keys>,
    /// Where variables are looked up that the configuration of a tool server names.
    pub environment: Environment,
    /// This build's version.
    pub version: String,
}

/// The built-in agent at work.
pub struct Running {
    host: Arc<Host>,
    following: tokio::task::JoinHandle<()>,
}

impl Running {
    /// Ends in good order: runs are interrupted, and nothing of them stays in progress.
    pub async fn stop(self) {
        self.host.hub.answer_agent(None);
        self.host.stop.cancel();
        self.host.tasks.close();
        self.host.tasks.wait().await;
        if let Err(error) = self.following.await {
            tracing::error!(%error, "the built-in agent failed");
        }
    }
}

/// What all sessions share.
struct Host {
    hub: Hub,
    keys: Arc<Keys>,
    models: Models,
    environment: Environment,
    version: String,
    sessions: Mutex<HashMap<String, Handle>>,
    /// One session is opened after the other.
    opening: tokio::sync::Mutex<()>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

/// The way to a session's task.
#[derive(Clone)]
struct Handle {
    inputs: mpsc::Sender<Input>,
    view: View,
}

/// Answers the hub's requests for the built-in agent from now on. Runs that another process left are interrupted first.
pub async fn start(config: Config) -> Running {
    let host = Arc::new(Host {
        hub: config.hub,
        models: Models::new(Vec::new(), config.keys.clone()),
        keys: config.keys,
        environment: config.environment,
        version: config.version,
        sessions: Mutex::default(),
        opening: tokio::sync::Mutex::default(),
        tasks: TaskTracker::new(),
        stop: CancellationToken::new(),
    });
    host.clone().recover().await;
    let following = tokio::spawn(host.clone().follow());
    let answering = Arc::downgrade(&host);
    host.hub.answer_agent(Some(Arc::new(move |request| {
        let host = answering.upgrade();
        Box::pin(async move {
            match host {
                Some(host) => host.answer(request).await,
                None => Err(Error::new(Code::Unavailable, "the gateway is shutting down")),
            }
        })
    })));
    Running { host, following }
}

impl Host {
    fn sessions(&self) -> MutexGuard<'_, HashMap<String, Handle>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn models(&self) -> Models {
        let own = self.hub.settings().chat_providers.iter().map(settings::provider).collect();
        self.models.clone().with_own(own)
    }

    fn new_id(&self) -> Arc<dyn Fn() -> String + Send + Sync> {
        let hub = self.hub.clone();
        Arc::new(move || format!("call_{}", hub.new_id().replace('-', "")))
    }

    /// Asks the hub for something as a caller.
    async fn call<A: Ask>(&self, caller: &Caller, ask: A) -> Result<A::Answer> {
        let reply = self.hub.call(caller.clone(), ask.into()).await?;
        A::answer(reply).ok_or_else(|| Error::new(Code::Internal, "the hub has answered something else"))
    }

    /// Somebody who only looks.
    fn viewer() -> Caller {
        Caller::user(Transport::Builtin, NAME)
    }

    fn caller(&self, own: &str, folder: Option<String>) -> Caller {
        let project = folder.as_deref().and_then(|folder| std::path::Path::new(folder).file_name());
        let identity = AgentIdentity {
            agent: AgentInfo { name: NAME.to_owned(), version: Some(self.version.clone()) },
            own_session: Some(own.to_owned()),
            connection: Some(format!("builtin:{own}")),
            project: project.map(|name| name.to_string_lossy().into_owned()),
            folder,
            ..AgentIdentity::default()
        };
        Caller { transport: Transport::Builtin, client: NAME.to_owned(), agent: Some(identity) }
    }

    /// One of ours, with the caller that it was begun by.
    async fn known(&self, session_id: &str) -> Result<(SessionView, Caller)> {
        let (session, own) = self.hub.session_of_agent(session_id).await?;
        let Some(own) = own.first().filter(|_| session.agent.name == NAME) else {
            let agent = todo::text::plain(&session.agent.name);
            let problem = format!("this session is {agent}'s, not the built-in agent's; leave \"sessionId\" out");
            return Err(Error::new(Code::InvalidMessage, problem));
        };
        let caller = self.caller(own, session.folder.clone());
        Ok((session, caller))
    }

    async fn list(&self, session_id: &str) -> Result<Snapshot> {
        let get = SessionGet { session_id: session_id.to_owned(), revision: None };
        let SessionAt { revision, todos, .. } = self.call(&Self::viewer(), get).await?;
        Ok(Snapshot { revision, items: todos })
    }

    /// A session as it is kept; a run that nobody ended is over now.
    async fn load(
        self: &Arc<Self>,
        session_id: &str,
        caller: Caller,
        inputs: mpsc::Receiver<Input>,
    ) -> Result<Session> {
        let limit = u32::try_from(KEPT_ENTRIES).unwrap_or(u32::MAX);
        let stored = self.hub.chat(session_id, u64::MAX, limit).await?;
        let list = self.list(session_id).await?;
        let mut session = Session::new(self.clone(), session_id.to_owned(), caller, stored.as_ref(), list, inputs);
        if stored.is_some_and(|stored| stored.running) {
            session.recover().await;
        }
        Ok(session)
    }

    /// The task of a session, begun where there is none.
    async fn handle(self: &Arc<Self>, session_id: &str, caller: Caller) -> Result<Handle> {
        let _opening = self.opening.lock().await;
        let known = self.sessions().get(session_id).filter(|handle| !handle.inputs.is_closed()).cloned();
        if let Some(handle) = known {
            return Ok(handle);
        }
        let (inputs, queue) = mpsc::channel(INPUTS);
        let session = self.load(session_id, caller, queue).await?;
        let mut sessions = self.sessions();
        let handle = Handle { inputs, view: session.view() };
        sessions.insert(session_id.to_owned(), handle.clone());
        drop(sessions);
        self.tasks.spawn(session.serve());
        Ok(handle)
    }

    /// Forgets a session's task, unless something came for it meanwhile.
    fn let_go(&self, session_id: &str, inputs: &mut mpsc::Receiver<Input>) -> bool {
        let mut sessions = self.sessions();
        if !inputs.is_empty() {
            return false;
        }
        sessions.remove(session_id);
        // Whoever has the way to it already is told that it has ended.
        inputs.close();
        drop(sessions);
        true
    }

    /// Ends the runs that went on when the process before this one ended.
    async fn recover(self: Arc<Self>) {
        let left = match self.hub.running_chats().await {
            Ok(left) => left,
            Err(error) => return tracing::error!(%error, "runs that were interrupted cannot be found"),
        };
        for session_id in left {
            let loaded = match self.known(&session_id).await {
                Ok((_, caller)) => self.load(&session_id, caller, mpsc::channel(1).1).await.map(drop),
                Err(error) => Err(error),
            };
            if let Err(error) = loaded {
                tracing::warn!(%error, session_id, "a run that was interrupted cannot be ended");
            }
        }
    }

    /// Tells the sessions at work what users change in their lists.
    async fn follow(self: Arc<Self>) {
        let mut events = self.hub.follow();
        loop {
            let event = tokio::select! {
                () = self.stop.cancelled() => return,
                event = events.next() => event,
            };
            // The hub ends.
            let Some(event) = event else { return };
            match event.event() {
                // What a session has done itself it knows already.
                Event::TodoUpdate(update) => {
                    let list = Snapshot { revision: update.revision, items: update.todos.clone() };
                    self.changed(&update.session_id, list).await;
                }
                Event::SessionDeleted(deleted) => {
                    let handle = self.sessions().remove(&deleted.session_id);
                    if let Some(handle) = handle {
                        let _ = handle.inputs.send(Input::Deleted).await;
                    }
                }
                Event::GatewayState(state) if state.state == GatewayState::Lagged => {
                    events = self.hub.follow();
                    self.read_again().await;
                }
                _ => {}
            }
        }
    }

    async fn read_again(&self) {
        let ids: Vec<String> = self.sessions().keys().cloned().collect();
        for id in ids {
            if let Ok(list) = self.list(&id).await {
                self.changed(&id, list).await;
            }
        }
    }

    async fn changed(&self, session_id: &str, list: Snapshot) {
        let handle = self.sessions().get(session_id).cloned();
        if let Some(handle) = handle {
            // One that has just ended reads the list as it begins anew.
            let _ = handle.inputs.send(Input::List(list)).await;
        }
    }
}
