//! Everything wired once, for the window and for `sightline serve`: the data folder, its lock and keys, the hub, the
//! gateway. The only crate that takes time and randomness from the machine.

mod attach;
mod clock;
mod commands;
pub mod demo;
mod folder;
mod follow;
mod idle;
mod keys;
mod logs;
pub mod machine;
mod runtime;

pub use self::demo::Demo;
pub use attach::{Opened, answering, client, ensure_gateway, gateway_at, host_or_attach, open, remote};
pub use clock::{new_uid, now};
pub use folder::{IDENTIFIER, data_dir};
pub use follow::{Message, follow};
pub use logs::logs;
pub use runtime::Runtime;

use folder::Lock;
use hub::{Hub, Served};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

/// This build's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What to start.
#[derive(Debug, Clone)]
pub struct Config {
    /// The data folder; made when it is not there.
    pub data_dir: PathBuf,
    /// The port: `Some(0)` for any free one, `None` for the usual ones.
    pub port: Option<u16>,
    /// End when nobody has used it for so long.
    pub idle: Option<std::time::Duration>,
    /// Play a demo in this folder, which is [`demo::folder`]'s, and leave this machine's agents alone.
    pub demo: Option<Demo>,
}

/// What came of starting.
pub enum Started {
    /// It runs in this process.
    Here(Box<Running>),
    /// Another process has this data folder.
    Elsewhere(Runtime),
}

/// A hub with its gateway, in this process.
pub struct Running {
    /// The hub.
    pub hub: Hub,
    /// Where the gateway listens.
    pub address: SocketAddr,
    /// What is written in `runtime.json`.
    pub runtime: Runtime,
    idle: Option<watch::Receiver<bool>>,
    running_hub: hub::Running,
    agent: agent::driver::Running,
    gateway: gateway::Running,
    following: Option<tokio::task::JoinHandle<()>>,
    stop_following: CancellationToken,
    data_dir: PathBuf,
    is_demo: bool,
    _watch: Option<DropGuard>,
    _lock: Lock,
}

impl Running {
    /// Waits until it was idle for as long as was asked; for ever, where nothing was asked.
    pub async fn idle(&self) {
        match self.idle.clone() {
            Some(mut idle) => {
                // The watcher ends only after it said so, or with this value.
                let _ = idle.wait_for(|idle| *idle).await;
            }
            None => std::future::pending().await,
        }
    }

    /// Ends in good order: connections are closed, changes are on disk, the runtime file goes, then the lock.
    pub async fn stop(self) {
        Runtime::remove(&self.data_dir);
        self.stop_following.cancel();
        if let Some(following) = self.following
            && let Err(error) = following.await
        {
            tracing::error!(%error, "following agents' files failed");
        }
        self.agent.stop().await;
        self.gateway.stop().await;
        self.running_hub.stop().await;
        if self.is_demo {
            demo::remove(&self.data_dir);
        }
    }
}

/// Starts hub and gateway on a data folder, or says who has it.
///
/// # Errors
/// When the folder, the database or every port refuses; the message says what to do.
pub async fn start(config: Config) -> anyhow::Result<Started> {
    folder::make(&config.data_dir)?;
    let most = rlimit::increase_nofile_limit(u64::MAX);
    tracing::debug!(?most, "files and connections that may be open");
    let lock = match attach::holder(&config.data_dir).await? {
        attach::Holder::Here(lock) => lock,
        attach::Holder::Gateway(runtime) => return Ok(Started::Elsewhere(runtime)),
    };
    let mut kept = keys::Kept::load_or_make(&config.data_dir)?;
    let listener = gateway::listen(&ports(config.port, kept.port)).await.map_err(|error| match config.port {
        Some(port) => {
            anyhow::anyhow!("port {port} cannot be taken ({error}); choose another with --port, or 0 for any free one")
        }
        None => {
            anyhow::anyhow!("none of the usual ports is free ({error}); end what uses them, or choose one with --port")
        }
    })?;
    let clock = config.demo.map(Demo::clock);
    match config.demo {
        Some(_) => demo::make_anew(&config.data_dir)?,
        None => demo::refuse(&config.data_dir)?,
    }
    let now: Now = match clock.clone() {
        Some(clock) => Arc::new(move || clock.now()),
        None => Arc::new(clock::now),
    };
    let running_hub = start_hub(&config.data_dir, now).await?;
    let hub = running_hub.hub.clone();
    let environment: agent::model::keys::Environment =
        Arc::new(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    let agent = agent::driver::start(agent::driver::Config {
        hub: hub.clone(),
        keys: Arc::new(agent::model::Keys::new(environment.clone(), &config.data_dir)),
        environment,
        version: VERSION.to_owned(),
    })
    .await;
    let keys = gateway::Keys { user: kept.token.clone(), agents: kept.agent_token.clone() };
    let gateway = gateway::serve(listener, gateway::Config { hub: hub.clone(), keys, version: VERSION.to_owned() })?;
    let port = gateway.address.port();
    if config.port != Some(0) {
        kept.port = Some(port);
        kept.save(&config.data_dir)?;
    }
    let runtime = Runtime::here(port, &kept);
    runtime.write(&config.data_dir)?;
    hub.served(served(&config.data_dir, port));
    let (idle, guard) = config.idle.map(|after| idle::watch(gateway.activity(), after)).unzip();
    let stop_following = CancellationToken::new();
    let following = match config.demo.zip(clock) {
        Some((demo, clock)) => Some(demo.start(&hub, &config.data_dir, clock, stop_following.clone()).await?),
        None => follow_machine(&hub, &config.data_dir, &stop_following),
    };
    tracing::info!(port, data_dir = %config.data_dir.display(), "the gateway listens");
    Ok(Started::Here(Box::new(Running {
        hub,
        address: gateway.address,
        runtime,
        idle,
        running_hub,
        agent,
        gateway,
        following,
        stop_following,
        data_dir: config.data_dir,
        is_demo: config.demo.is_some(),
        _watch: guard,
        _lock: lock,
    })))
}

/// Takes in what the agents of this machine write, until it is told to stop.
fn follow_machine(hub: &Hub, data_dir: &Path, stop: &CancellationToken) -> Option<tokio::task::JoinHandle<()>> {
    match machine::Machine::new(hub.clone(), data_dir.to_owned()) {
        Ok(machine) => {
            machine.serve();
            Some(tokio::spawn(machine.follow(stop.clone())))
        }
        Err(error) => {
            tracing::warn!(error = format!("{error:#}"), "the agents of this machine are not looked at");
            None
        }
    }
}

/// Says what time it is.
type Now = Arc<dyn Fn() -> jiff::Timestamp + Send + Sync>;

pub(crate) async fn start_hub(data_dir: &Path, now: Now) -> anyhow::Result<hub::Running> {
    let config = hub::Config {
        database: data_dir.join("sightline.db"),
        now,
        uid: Arc::new(clock::new_uid),
        version: VERSION.to_owned(),
    };
    hub::start(config).await.map_err(|error| {
        let file = data_dir.join("sightline.db");
        anyhow::anyhow!("{}: {error}. {}", file.display(), error.advice())
    })
}

/// The ports to try: the one asked for, else the last one, then the usual ones.
fn ports(asked: Option<u16>, last: Option<u16>) -> Vec<u16> {
    match asked {
        Some(port) => vec![port],
        None => last.into_iter().chain(protocol::DEFAULT_PORT..protocol::DEFAULT_PORT + protocol::PORTS).collect(),
    }
}

fn served(data_dir: &Path, port: u16) -> Served {
    Served {
        port,
        data_dir: data_dir.display().to_string(),
        address: Some(format!("http://127.0.0.1:{port}")),
        first_list_command: commands::first_list(data_dir),
        mcp_command: commands::mcp(data_dir),
    }
}
