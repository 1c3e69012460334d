//! Finding the hub of a data folder: here, in another process, or started for the purpose.

use crate::folder::{self, Lock};
use crate::{Config, Running, Runtime, Started, commands, start, start_hub};
use anyhow::Context;
use protocol::{Backend, ClientInfo, Code, Error, Transport};
use remote::{Address, Locate, Remote};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

/// How long another process may take between taking the lock and serving, or letting go of it.
const STARTING: Duration = Duration::from_secs(20);

/// Pause between two looks at a file that is about to come.
const LOOK: Duration = Duration::from_millis(20);

/// How long a gateway may take to say that it lives, and how much it may say.
const ANSWERING: Duration = Duration::from_secs(2);
const HEALTH_BYTES: u64 = 4096;

/// How long a request waits for a connection.
const PATIENCE: Duration = Duration::from_secs(10);

/// A gateway that was started for an agent ends so long after its last client.
const IDLE_SECONDS: u64 = 600;

/// A backend for a data folder.
pub enum Opened {
    /// This process has the hub and serves it.
    Hosting(Box<Running>),
    /// This process has the hub for a moment and does not serve it.
    Alone(Box<Alone>),
    /// Another process has it.
    Attached(Remote),
}

/// A hub without a gateway, for one command.
pub struct Alone {
    hub: hub::Running,
    _lock: Lock,
}

impl Opened {
    /// Who answers requests.
    #[must_use]
    pub fn backend(&self) -> Arc<dyn Backend> {
        match self {
            Self::Hosting(running) => Arc::new(running.hub.clone()),
            Self::Alone(alone) => Arc::new(alone.hub.hub.clone()),
            Self::Attached(remote) => Arc::new(remote.clone()),
        }
    }

    /// Ends in good order what this process has of it.
    pub async fn stop(self) {
        match self {
            Self::Hosting(running) => running.stop().await,
            Self::Alone(alone) => alone.hub.stop().await,
            Self::Attached(_) => {}
        }
    }
}

/// The hub of a folder for one command: attached where one runs, otherwise opened for the moment.
///
/// # Errors
/// When the folder or its database refuses.
pub async fn open(data_dir: &Path, client: ClientInfo) -> anyhow::Result<Opened> {
    folder::make(data_dir)?;
    match holder(data_dir).await? {
        Holder::Here(lock) => {
            crate::demo::refuse(data_dir)?;
            let hub = start_hub(data_dir, Arc::new(crate::now)).await?;
            Ok(Opened::Alone(Box::new(Alone { hub, _lock: lock })))
        }
        Holder::Gateway(_) => Ok(Opened::Attached(remote(data_dir, client, false))),
    }
}

/// Hosts the hub of a folder, or attaches to who hosts it.
///
/// # Errors
/// Those of [`start`].
pub async fn host_or_attach(config: Config, client: ClientInfo) -> anyhow::Result<Opened> {
    let data_dir = config.data_dir.clone();
    Ok(match start(config).await? {
        Started::Here(running) => Opened::Hosting(running),
        Started::Elsewhere(_) => Opened::Attached(remote(&data_dir, client, false)),
    })
}

/// A client of the gateway of a folder; with `may_start`, one is started when none runs.
#[must_use]
pub fn remote(data_dir: &Path, client: ClientInfo, may_start: bool) -> Remote {
    let folder = data_dir.to_owned();
    let locate: Locate = Arc::new(move || {
        let folder = folder.clone();
        remote::located(async move { locate(&folder, may_start).await })
    });
    Remote::connect(remote::Config { locate, client, patience: PATIENCE })
}

/// A client of a gateway at an address, such as `http://127.0.0.1:3271/#token=…`.
///
/// # Errors
/// When the address has no token and the folder knows none for it.
pub fn gateway_at(address: &str, data_dir: &Path, client: ClientInfo) -> anyhow::Result<Remote> {
    let (base, token) = match address.split_once("#token=").or_else(|| address.split_once("?token=")) {
        Some((base, token)) => (base, token.to_owned()),
        None => {
            // Our own key goes to our own gateway only.
            let own = Runtime::read(data_dir).filter(|own| own.address() == address.trim_end_matches('/'));
            let own = own.with_context(|| {
                format!("{address} has no token; copy the page's whole address, it ends in #token=…")
            })?;
            (address, own.token)
        }
    };
    let base = base.trim_end_matches('/').trim_end_matches("/gateway");
    let url = if let Some(rest) = base.strip_prefix("http://") {
        format!("ws://{rest}/gateway")
    } else if base.starts_with("ws://") {
        format!("{base}/gateway")
    } else {
        anyhow::bail!("{address} is not an address of a gateway; it looks like http://127.0.0.1:3271/#token=…");
    };
    let found = Address { url, token };
    let locate: Locate = Arc::new(move || {
        let found = found.clone();
        remote::located(async move { Ok(found) })
    });
    Ok(Remote::connect(remote::Config { locate, client, patience: PATIENCE }))
}

/// Who has a data folder.
pub(crate) enum Holder {
    /// This process, from now on.
    Here(Lock),
    /// A gateway that answers.
    Gateway(Runtime),
}

/// Takes the lock of a folder, or finds the gateway that has it. A lock that is held without a gateway is waited
/// for: its process may be about to serve, or about to let go.
pub(crate) async fn holder(data_dir: &Path) -> anyhow::Result<Holder> {
    let until = Instant::now() + STARTING;
    loop {
        if let Some(lock) = Lock::take(data_dir)? {
            return Ok(Holder::Here(lock));
        }
        if let Some(runtime) = answering(data_dir).await {
            return Ok(Holder::Gateway(runtime));
        }
        anyhow::ensure!(
            Instant::now() < until,
            "another process has the data folder {} and serves no gateway; end it, or choose another folder with --data-dir",
            data_dir.display()
        );
        sleep(LOOK).await;
    }
}

/// The gateway of a folder, if it answers; a file that a dead process left behind names none.
pub async fn answering(data_dir: &Path) -> Option<Runtime> {
    let runtime = Runtime::read(data_dir)?;
    let pid = tokio::time::timeout(ANSWERING, health(runtime.port)).await.ok()?.ok()?;
    (pid == u64::from(runtime.pid)).then_some(runtime)
}

/// The process of the gateway on a port, from its `/health`. Another program's answer has none.
async fn health(port: u16) -> std::io::Result<u64> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    stream.write_all(b"GET /health HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n").await?;
    let mut answer = Vec::new();
    stream.take(HEALTH_BYTES).read_to_end(&mut answer).await?;
    let text = String::from_utf8_lossy(&answer);
    let body = text.split_once("\r\n\r\n").map(|(_, body)| body).unwrap_or_default();
    let health: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
    health["pid"].as_u64().ok_or_else(|| std::io::Error::other("this is no gateway"))
}

async fn locate(data_dir: &Path, may_start: bool) -> protocol::Result<Address> {
    let unavailable = |message: String| Error::new(Code::Unavailable, message);
    let runtime = match answering(data_dir).await {
        Some(runtime) => runtime,
        None if may_start => ensure_gateway(data_dir).await.map_err(|error| unavailable(format!("{error:#}")))?,
        None => {
            return Err(unavailable(format!(
                "no gateway runs on {}; start the window, or `sightline serve`",
                data_dir.display()
            )));
        }
    };
    Ok(Address { url: format!("ws://127.0.0.1:{}/gateway", runtime.port), token: runtime.token })
}

/// The gateway of a folder, started in a process of its own when none runs.
///
/// # Errors
/// When it cannot be started, or does not answer in time.
pub async fn ensure_gateway(data_dir: &Path) -> anyhow::Result<Runtime> {
    folder::make(data_dir)?;
    let program =
        commands::sightline().context("the sightline command is not where it should be, beside this program")?;
    let until = Instant::now() + STARTING;
    let mut started = false;
    loop {
        if let Some(runtime) = answering(data_dir).await {
            return Ok(runtime);
        }
        // Whoever can take the lock knows that nobody has it; it is let go of at once for the gateway to take.
        if !started && Lock::take(data_dir)?.is_some() {
            spawn_detached(&program, data_dir)?;
            started = true;
        }
        anyhow::ensure!(
            Instant::now() < until,
            "no gateway came up on {}; see the logs in that folder, or start one with `sightline serve`",
            data_dir.display()
        );
        sleep(LOOK).await;
    }
}

fn spawn_detached(program: &Path, data_dir: &Path) -> anyhow::Result<()> {
    let mut command = Command::new(program);
    command
        .arg("serve")
        .arg("--data-dir")
        .arg(data_dir)
        .arg("--idle-seconds")
        .arg(IDLE_SECONDS.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // A group of its own, so that what ends the agent's terminal does not end the gateway.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().with_context(|| format!("{} cannot be started", program.display()))?;
    // Waited for by a thread, so that it does not stay behind as a zombie of this process.
    std::thread::spawn(move || child.wait());
    Ok(())
}

/// What this program says of itself to a gateway.
#[must_use]
pub fn client(name: &str, transport: Transport, id: Option<String>) -> ClientInfo {
    ClientInfo { name: name.to_owned(), version: Some(crate::VERSION.to_owned()), id, transport: Some(transport) }
}
