//! The driver of the built-in agent. It performs the effects of the state machine: calls models and tools, asks the user,
//! changes lists through the hub, and publishes events. Each session that is in use has a task of its own ([`serve`]).
//!
//! The files depend on each other in one direction only: `host` and `session` hold the data; `events`, `transcript`,
//! `list`, `approval`, `calls`, `model_request`, `begin` and `later` each add one thing that a session does; `serve` decides
//! between them;
//! `agent` keeps the tasks of all sessions, and `requests` answers the hub.

mod agent;
mod answer;
mod approval;
mod begin;
mod calls;
mod conversation;
mod error;
mod events;
mod handle;
mod host;
mod later;
mod list;
mod model_call;
mod model_request;
mod requests;
mod run;
mod serve;
mod session;
mod settings;
mod state;
mod toolbox;
mod transcript;
mod update;

pub use host::NAME;

use crate::model::Keys;
use crate::model::keys::Environment;
use crate::tools::Options;
use agent::Agent;
use host::Host;
use hub::Hub;
use protocol::{Code, Error};
use std::path::PathBuf;
use std::sync::Arc;

/// Everything that the built-in agent needs from outside.
pub struct Config {
    /// Stores its lists and conversations.
    pub hub: Hub,
    /// The keys of its models.
    pub keys: Arc<Keys>,
    /// Looks up the variables that the configuration of a tool server names.
    pub environment: Environment,
    /// The folder of the database and the keys, which no confined tool server sees.
    pub data_folder: PathBuf,
    /// This build's version.
    pub version: String,
}

/// The built-in agent at work.
pub struct Running {
    agent: Arc<Agent>,
    following: tokio::task::JoinHandle<()>,
}

impl Running {
    /// Ends in good order: runs are interrupted, and none of their items stays in progress.
    pub async fn stop(self) {
        self.agent.stop().await;
        if let Err(error) = self.following.await {
            tracing::error!(%error, "the built-in agent failed");
        }
    }
}

/// Answers the hub's requests for the built-in agent from now on. Runs that another process left behind are interrupted
/// first.
pub async fn start(config: Config) -> Running {
    let tools = Options::new(config.environment, &config.data_folder);
    let agent = Arc::new(Agent::new(Arc::new(Host::new(config.hub, config.keys, tools, config.version))));
    agent.clone().recover().await;
    let following = tokio::spawn(agent.clone().follow());
    let answering = Arc::downgrade(&agent);
    agent.host.hub.answer_agent(Some(Arc::new(move |request| {
        let agent = answering.upgrade();
        Box::pin(async move {
            match agent {
                Some(agent) => agent.answer(request).await,
                None => Err(Error::new(Code::Unavailable, "the gateway is shutting down")),
            }
        })
    })));
    Running { agent, following }
}
