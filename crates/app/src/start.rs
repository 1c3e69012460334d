//! The start of a hub with its gateway on a data folder, and its end.

use crate::database::{Now, start_hub};
use crate::demo::{self, Demo};
use crate::folder::{self, Lock};
use crate::gateway_file::GatewayFile;
use crate::holder::{Holder, holder};
use crate::host_keys::HostKeys;
use crate::machine::MachineAnswers;
use crate::parts::Parts;
use crate::private_socket::PrivateSocket;
use crate::runtime::Runtime;
use crate::{VERSION, clock, commands, demo_machine, idle, private_socket};
use agents::KNOWN;
use gateway::Loopback;
use hub::{Hub, Served};
use protocol::BoxFuture;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Options of a start.
#[derive(Debug, Clone)]
pub struct Config {
    /// The data folder; made when it is not there.
    pub data_dir: PathBuf,
    /// The port: `Some(0)` for any free one, `None` for the usual ones.
    pub port: Option<u16>,
    /// Named hosts, beside those of the settings.
    pub public_hosts: Vec<String>,
    /// End after this time without a client or a request.
    pub idle: Option<std::time::Duration>,
    /// Play a demo in this folder, which is [`demo::folder`]'s, and leave this machine's agents alone.
    pub demo: Option<Demo>,
}

/// The result of a start.
pub enum Started {
    /// It runs in this process.
    Here(Box<Running>),
    /// Another process has this data folder.
    Elsewhere(Runtime),
}

/// A hub with its gateway, in this process.
pub struct Running {
    pub hub: Hub,
    /// Where the gateway listens.
    pub address: SocketAddr,
    /// The content of `runtime.json`.
    pub runtime: Runtime,
    idle: Option<watch::Receiver<bool>>,
    way: Option<BoxFuture<()>>,
    parts: Parts,
    // Removed before the lock goes.
    _socket: PrivateSocket,
    _lock: Lock,
}

impl Running {
    /// The page's address with a code for a person to open it with: the first page is trusted.
    #[must_use]
    pub fn page(&self) -> String {
        self.hub.first_code().address
    }

    /// Waits for the end of the idle time in [`Config`], or for a window that is to have the hub; for ever, where it has
    /// no such time.
    pub async fn idle(&mut self) {
        let (Some(idle), Some(way)) = (&mut self.idle, &mut self.way) else { return std::future::pending().await };
        tokio::select! {
            // The watcher ends only after it said so, or with this value.
            _ = idle.wait_for(|idle| *idle) => {}
            () = way => {}
        }
    }

    /// Ends in good order: the runtime file goes, connections are closed, changes are on disk, then the lock goes.
    pub async fn stop(self) {
        self.parts.stop().await;
    }
}

/// Starts hub and gateway on a data folder, or finds the gateway of the process that has it.
///
/// # Errors
/// When the folder, the database or every port refuses; the message says what to do.
pub async fn start(config: Config) -> anyhow::Result<Started> {
    let Config { data_dir, port, public_hosts, idle, demo } = config;
    folder::make(&data_dir)?;
    let limits = rlimit::increase_nofile_limit(u64::MAX).map(gateway::Limits::for_files).unwrap_or_default();
    tracing::debug!(?limits, "connections that may be open");
    let lock = match holder(&data_dir).await? {
        Holder::Here(lock) => lock,
        Holder::Gateway(runtime) => return Ok(Started::Elsewhere(runtime)),
    };
    let mut keys = GatewayFile::load(&data_dir);
    let listener = listen(port, keys.port).await?;
    let mut parts = Parts::default();
    match demo {
        Some(_) => {
            demo::make_anew(&data_dir)?;
            let folder = data_dir.clone();
            parts.add(async move { demo::remove(&folder) });
        }
        None => demo::refuse(&data_dir)?,
    }
    let clock = demo.map(Demo::clock);
    let now: Now = match clock.clone() {
        Some(clock) => Arc::new(move || clock.now()),
        None => Arc::new(clock::now),
    };
    let stale = Runtime::take_stale(&data_dir, &lock)?.and_then(|stale| stale.socket);
    let (private, socket) = private_socket::make(&data_dir, &lock, stale.as_deref())?;
    let running_hub = start_hub(&data_dir, now).await?;
    let hub = running_hub.hub.clone();
    parts.add(running_hub.stop());
    keys.adopt(&hub, &data_dir).await?;

    let secrets = Arc::new(secrets::Store::new(&data_dir));
    let host_keys = HostKeys::new(secrets.clone(), &data_dir);
    let agent = start_agent(&hub, &data_dir, secrets).await;
    // Before anybody can ask.
    let machine = if demo.is_none() { serve_machine(&hub, &data_dir, host_keys.clone()) } else { None };
    let named = public_hosts.clone();
    let gateway_config =
        gateway::Config { hub: hub.clone(), version: VERSION.to_owned(), agents: KNOWN, limits, public_hosts };
    let gateway = gateway::serve(listener, Some(private), gateway_config)?;
    let address = gateway.address;
    let way = idle.is_some().then(|| Box::pin(hub.give_way()) as BoxFuture<()>);
    let (idle, guard) = idle.map(|after| idle::watch(gateway.activity(), after)).unzip();
    parts.add(gateway.stop());
    // Its runs end while those who look on are still connected.
    parts.add(agent.stop());
    let links = mirror::Config { hub: hub.clone(), keys: host_keys.clone(), timing: mirror::Timing::default() };
    let links = mirror::start(links);
    parts.add(links.stop());
    parts.add(async move { drop(guard) });

    if port != Some(0) {
        keys.port = Some(address.port());
        keys.save(&data_dir)?;
    }
    // Before anybody can find it.
    hub.served(Served { public_hosts: named, ..served(&data_dir, address.port()) });
    let runtime = Runtime::here(address.port(), socket.elsewhere());
    runtime.write(&data_dir)?;
    let stop = CancellationToken::new();
    let following = match demo.zip(clock) {
        Some((demo, clock)) => Some(demo_machine::play(demo, &hub, &data_dir, host_keys, clock, stop.clone()).await?),
        None => machine.map(|machine| tokio::spawn(machine.follow(stop.clone()))),
    };
    parts.add(stop_following(following, stop));
    tracing::info!(port = address.port(), data_dir = %data_dir.display(), "the gateway listens");
    parts.add(async move { Runtime::remove(&data_dir) });
    Ok(Started::Here(Box::new(Running { hub, address, runtime, idle, way, parts, _socket: socket, _lock: lock })))
}

async fn listen(asked: Option<u16>, last: Option<u16>) -> anyhow::Result<Loopback> {
    Loopback::bind(&ports(asked, last)).await.map_err(|error| match asked {
        Some(port) => anyhow::Error::new(protocol::say::port_taken(port, error)),
        None => anyhow::Error::new(protocol::say::ports_taken(error)),
    })
}

/// The ports to try: the one asked for, else the last one, then the usual ones.
fn ports(asked: Option<u16>, last: Option<u16>) -> Vec<u16> {
    match asked {
        Some(port) => vec![port],
        None => last.into_iter().chain(protocol::DEFAULT_PORT..protocol::DEFAULT_PORT + protocol::PORTS).collect(),
    }
}

async fn start_agent(hub: &Hub, data_dir: &Path, secrets: Arc<secrets::Store>) -> agent::driver::Running {
    let environment: agent::model::keys::Environment =
        Arc::new(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    agent::driver::start(agent::driver::Config {
        hub: hub.clone(),
        keys: Arc::new(agent::model::Keys::new(environment.clone(), secrets)),
        environment,
        data_folder: data_dir.to_owned(),
        version: VERSION.to_owned(),
    })
    .await
}

/// Answers requests about this machine from now on.
fn serve_machine(hub: &Hub, data_dir: &Path, keys: Arc<HostKeys>) -> Option<Arc<MachineAnswers>> {
    match MachineAnswers::new(hub.clone(), data_dir.to_owned(), KNOWN, keys) {
        Ok(machine) => {
            machine.serve();
            Some(machine)
        }
        Err(error) => {
            tracing::warn!(error = format!("{error:#}"), "the agents of this machine are not looked at");
            None
        }
    }
}

async fn stop_following(following: Option<JoinHandle<()>>, stop: CancellationToken) {
    stop.cancel();
    if let Some(following) = following
        && let Err(error) = following.await
    {
        tracing::error!(%error, "following agents' files failed");
    }
}

fn served(data_dir: &Path, port: u16) -> Served {
    Served {
        port,
        data_dir: data_dir.display().to_string(),
        address: Some(format!("http://127.0.0.1:{port}")),
        public_hosts: Vec::new(),
        first_list_command: commands::first_list(data_dir),
        mcp_command: commands::mcp(data_dir),
    }
}
