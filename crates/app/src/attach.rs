//! A backend for a data folder: the hub in this process, or a connection to the process that has it.

use crate::folder::{self, Lock};
use crate::holder::{Holder, PAUSE, STARTING, answering, holder};
use crate::runtime::Runtime;
use crate::start::{Config, Running, Started, start};
use crate::{clock, commands, database, demo};
use anyhow::Context;
use protocol::{Backend, Caller, ClientInfo, Code, Error, GatewayYield, Text, Transport, say};
use remote::{Address, Locate, Remote};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Time that a request waits for a connection.
const PATIENCE: Duration = Duration::from_secs(10);

/// Time after its last client at which a gateway ends that was started for an agent.
const IDLE_SECONDS: u64 = 600;

/// The environment variable with the key that commands use in the place of the private socket.
const KEY: &str = "SIGHTLINE_KEY";

/// A backend for a data folder.
pub enum Opened {
    /// This process has the hub and serves it.
    Hosting(Box<Running>),
    /// This process has the hub for one command and does not serve it.
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
    /// The backend itself.
    #[must_use]
    pub fn backend(&self) -> Arc<dyn Backend> {
        match self {
            Self::Hosting(running) => Arc::new(running.hub.clone()),
            Self::Alone(alone) => Arc::new(alone.hub.hub.clone()),
            Self::Attached(remote) => Arc::new(remote.clone()),
        }
    }

    /// Ends the hub and the gateway that this process has.
    pub async fn stop(self) {
        match self {
            Self::Hosting(running) => running.stop().await,
            Self::Alone(alone) => alone.hub.stop().await,
            Self::Attached(_) => {}
        }
    }
}

/// The backend for one command: that of a running gateway, otherwise a hub opened for the command alone.
///
/// # Errors
/// When the folder or its database refuses.
pub async fn open(data_dir: &Path, client: ClientInfo) -> anyhow::Result<Opened> {
    folder::make(data_dir)?;
    match holder(data_dir).await? {
        Holder::Here(lock) => {
            demo::refuse(data_dir)?;
            let hub = database::start_hub(data_dir, Arc::new(clock::now)).await?;
            Ok(Opened::Alone(Box::new(Alone { hub, _lock: lock })))
        }
        Holder::Gateway(runtime) => Ok(Opened::Attached(match std::env::var(KEY) {
            // A key of one's own has rights of its own.
            Ok(key) if !key.is_empty() => fixed(Address::Url { url: runtime.url(), token: key }, client),
            _ => remote(data_dir, client, false),
        })),
    }
}

/// Hosts the hub of a folder for a window, also in the place of a gateway that was started for an agent; otherwise connects
/// to the gateway of the process that hosts it.
///
/// # Errors
/// Those of [`start`].
pub async fn host_or_attach(config: Config, client: ClientInfo) -> anyhow::Result<Opened> {
    let until = Instant::now() + STARTING;
    loop {
        match start(config.clone()).await? {
            Started::Here(running) => {
                // Whoever is at the window confirms from now on.
                running.hub.end_trust().await?;
                return Ok(Opened::Hosting(running));
            }
            Started::Elsewhere(_) => {
                let other = remote(&config.data_dir, client.clone(), false);
                let window = Caller::user(Transport::Window, "window");
                if Instant::now() > until || other.call(window, GatewayYield {}.into()).await.is_err() {
                    return Ok(Opened::Attached(other));
                }
                sleep(PAUSE).await;
            }
        }
    }
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

/// A client of a gateway at an address, such as `http://127.0.0.1:3271/#token=KEY` or `wss://box.example.net/#token=KEY`. That of the folder's own gateway needs
/// no key.
///
/// # Errors
/// When the address is none, leads to another machine without TLS, or has no key and is not the folder's own gateway's.
pub fn gateway_at(address: &str, data_dir: &Path, client: ClientInfo) -> anyhow::Result<Remote> {
    let (base, token) = split_key(address);
    let base = base.trim_end_matches('/').trim_end_matches("/gateway");
    let Some(token) = token else {
        // Over the private socket: whoever has the port may not be that gateway any more.
        let is_own = Runtime::read(data_dir).is_some_and(|own| own.address() == base);
        anyhow::ensure!(is_own, say::address_without_key(base));
        return Ok(remote(data_dir, client, false));
    };
    let url = protocol::gateway_address(base).map_err(anyhow::Error::new)?;
    Ok(fixed(Address::Url { url, token: token.to_owned() }, client))
}

/// A client of the gateway at this address.
fn fixed(address: Address, client: ClientInfo) -> Remote {
    let locate: Locate = Arc::new(move || {
        let found = address.clone();
        remote::located(async move { Ok(found) })
    });
    Remote::connect(remote::Config { locate, client, patience: PATIENCE })
}

/// Takes an address and its key apart.
#[must_use]
pub fn split_key(address: &str) -> (&str, Option<&str>) {
    match address.split_once("#token=").or_else(|| address.split_once("?token=")) {
        Some((base, token)) => (base, Some(token)),
        None => (address, None),
    }
}

async fn locate(data_dir: &Path, may_start: bool) -> protocol::Result<Address> {
    let unavailable = |text: Text| Error::new(Code::Unavailable, text);
    let runtime = match answering(data_dir).await {
        Some(runtime) => runtime,
        None if may_start => ensure_gateway(data_dir).await.map_err(|error| unavailable(words(&error)))?,
        None => {
            return Err(Error::new(Code::Unavailable, say::no_gateway(data_dir.display())));
        }
    };
    Ok(runtime.way_in(data_dir))
}

/// The words for an error: its first text of the catalogue, and all causes in English.
fn words(error: &anyhow::Error) -> Text {
    let named = error.chain().find_map(|cause| match cause.downcast_ref::<Error>() {
        Some(error) => error.text.clone(),
        None => cause.downcast_ref::<Text>().and_then(|text| text.named.clone()),
    });
    let named = named.or_else(|| error.downcast_ref::<Text>().and_then(|text| text.named.clone()));
    Text { english: format!("{error:#}"), named }
}

/// The gateway of a folder, started in a process of its own when none runs.
///
/// # Errors
/// When it cannot be started, or does not answer in time.
pub async fn ensure_gateway(data_dir: &Path) -> anyhow::Result<Runtime> {
    folder::make(data_dir)?;
    let program = commands::sightline().with_context(say::no_command)?;
    let until = Instant::now() + STARTING;
    let mut started = false;
    loop {
        if let Some(runtime) = answering(data_dir).await {
            return Ok(runtime);
        }
        // Taking the lock shows that no process has it. It is let go of at once, for the gateway to take.
        if !started && Lock::take(data_dir)?.is_some() {
            spawn_detached(&program, data_dir)?;
            started = true;
        }
        anyhow::ensure!(Instant::now() < until, say::gateway_not_up(data_dir.display()));
        sleep(PAUSE).await;
    }
}

#[cfg(not(windows))]
fn spawn_detached(program: &Path, data_dir: &Path) -> anyhow::Result<()> {
    use std::process::{Command, Stdio};
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
    // A process group of its own, so that the gateway outlives the agent's terminal.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().with_context(|| format!("{} cannot be started", program.display()))?;
    // A thread waits for it, or it would become a zombie when it ends.
    std::thread::spawn(move || child.wait());
    Ok(())
}

/// The agent would wait for the end of its pipes, if the gateway had them.
#[cfg(windows)]
fn spawn_detached(program: &Path, data_dir: &Path) -> anyhow::Result<()> {
    use winsafe::co::CREATE;
    let text = |path: &Path| path.to_str().map(str::to_owned).context("a path has characters that are no text");
    let (name, data_dir) = (text(program)?, text(data_dir)?);
    let seconds = IDLE_SECONDS.to_string();
    let line = crate::console::line([&name, "serve", "--data-dir", &data_dir, "--idle-seconds", &seconds]);
    let start = |flags| crate::console::start(&line, Some(&data_dir), std::iter::empty(), flags);
    let flags = CREATE::DETACHED_PROCESS | CREATE::NEW_PROCESS_GROUP;
    // An agent may end all that it has started. Not every one lets its processes go.
    start(flags | CREATE::BREAKAWAY_FROM_JOB)
        .or_else(|_| start(flags))
        .with_context(|| format!("{} cannot be started", program.display()))
}

/// This program, as it introduces itself to a gateway.
#[must_use]
pub fn client(name: &str, transport: Transport, id: Option<String>) -> ClientInfo {
    ClientInfo { name: name.to_owned(), version: Some(crate::VERSION.to_owned()), id, transport: Some(transport) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_address_that_cannot_be_used_is_named_without_its_key() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        for (address, said) in [
            ("http://example.org/#token=secret", "only this machine is reached without TLS"),
            ("example.org?token=secret", "this is not an address of a gateway"),
            ("http://127.0.0.1:3271/", "http://127.0.0.1:3271 has no key"),
        ] {
            let client = client("test", Transport::Cli, None);
            let problem = gateway_at(address, folder.path(), client).err().expect("it is refused").to_string();
            assert!(problem.contains(said) && !problem.contains("secret"), "{problem}");
        }
    }

    /// The window with `SIGHTLINE_GATEWAY` goes this way.
    #[tokio::test]
    async fn an_address_where_nobody_knows_the_key_gets_neither_the_key_nor_a_request() {
        use protocol::GatewayStatus;
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let squatter = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let port = squatter.local_addr().expect("it has an address").port();
        let folder = tempfile::tempdir().expect("a folder can be made");
        let address = format!("http://localhost:{port}/#token=id.secret");
        let window =
            gateway_at(&address, folder.path(), client("window", Transport::Window, None)).expect("an address");
        let heard = Arc::new(std::sync::Mutex::new(Vec::new()));
        let kept = heard.clone();
        tokio::spawn(async move {
            loop {
                let (mut peer, _) = squatter.accept().await.expect("somebody comes");
                let mut request = [0; 4096];
                let read = peer.read(&mut request).await.expect("it is read");
                kept.lock().expect("it is whole").extend_from_slice(&request[..read]);
                let body = format!(r#"{{"nonce":"{0}","proof":"{0}"}}"#, "0".repeat(64));
                peer.write_all(format!("HTTP/1.0 200 OK\r\n\r\n{body}").as_bytes()).await.expect("it is written");
            }
        });
        let answer = window.call(Caller::user(Transport::Window, "window"), GatewayStatus {}.into()).await;
        let error = answer.expect_err("it is refused");
        assert!(error.message.contains("is not the gateway that this key is of"), "{error}");
        let heard = String::from_utf8_lossy(&heard.lock().expect("it is whole")).into_owned();
        let asks = ["GET /prove?key=id&nonce=", "Host: "];
        let is_asked = |line: &str| line.is_empty() || asks.iter().any(|ask| line.starts_with(ask));
        assert!(heard.lines().all(is_asked), "{heard}");
        assert!(heard.contains(asks[0]) && !heard.contains("secret"), "{heard}");
    }
}
