//! The parts that all sessions of the built-in agent share.

use super::settings;
use crate::fsm::Snapshot;
use crate::model::{Keys, Models};
use crate::tools::Options;
pub use hub::AGENT as NAME;
use hub::Hub;
use protocol::{AgentIdentity, AgentInfo, Ask, Caller, Code, Error, Result, SessionAt, SessionGet, Transport};
use std::path::Path;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The hub, the models and the tasks, as every session uses them.
pub(super) struct Host {
    pub(super) hub: Hub,
    pub(super) keys: Arc<Keys>,
    models: Models,
    pub(super) tools: Options,
    version: String,
    pub(super) tasks: TaskTracker,
    pub(super) stop: CancellationToken,
}

impl Host {
    pub(super) fn new(hub: Hub, keys: Arc<Keys>, tools: Options, version: String) -> Self {
        let models = Models::new(Vec::new(), keys.clone());
        Self { hub, keys, models, tools, version, tasks: TaskTracker::new(), stop: CancellationToken::new() }
    }

    /// The models of the built-in providers and of those in the settings.
    pub(super) fn models(&self) -> Models {
        let own = self.hub.settings().chat_providers.iter().map(settings::provider).collect();
        self.models.clone().with_own(own)
    }

    /// Makes ids for tool calls.
    pub(super) fn new_id(&self) -> Arc<dyn Fn() -> String + Send + Sync> {
        let hub = self.hub.clone();
        Arc::new(move || format!("call_{}", hub.new_id().replace('-', "")))
    }

    /// Sends a request to the hub as this caller.
    pub(super) async fn call<A: Ask>(&self, caller: &Caller, ask: A) -> Result<A::Answer> {
        use protocol::Backend as _;
        let reply = self.hub.call(caller.clone(), ask.into()).await?;
        A::answer(reply).ok_or_else(|| Error::new(Code::Internal, "the hub has answered something else"))
    }

    /// The caller of a session, by the agent's own id of that session.
    pub(super) fn caller(&self, own: &str, folder: Option<String>) -> Caller {
        let project = folder.as_deref().and_then(|folder| Path::new(folder).file_name());
        let identity = AgentIdentity {
            agent: AgentInfo { name: NAME.to_owned(), version: Some(self.version.clone()) },
            own_session: Some(own.to_owned()),
            connection: Some(format!("builtin:{own}")),
            project: project.map(|name| name.to_string_lossy().into_owned()),
            folder,
            ..AgentIdentity::default()
        };
        Caller::agent(Transport::Builtin, NAME.to_owned(), identity)
    }

    /// The caller of what belongs to no session, and does not count as its agent.
    pub(super) fn viewer() -> Caller {
        Caller::user(Transport::Builtin, NAME)
    }

    /// Reads a session's list, without counting as its agent.
    pub(super) async fn list(&self, session_id: &str) -> Result<Snapshot> {
        let viewer = Self::viewer();
        let get = SessionGet { session_id: session_id.to_owned(), revision: None };
        let SessionAt { revision, todos, .. } = self.call(&viewer, get).await?;
        Ok(Snapshot { revision, items: todos })
    }
}
