//! The client of a gateway: a [`Backend`] over WebSockets on any stream of bytes, with reconnect.
//!
//! One task owns the socket for requests; each subscription has a socket of its own, so that nothing is lost between
//! two of them. Requests go out in the order of the calls. While there is no connection they wait for a while, then
//! fail with `UNAVAILABLE`, so that nobody hangs. The address is looked up anew at each attempt, since a gateway
//! that was restarted may have another port, another socket and another process.
#![warn(missing_docs)]

mod connect;
mod prove;
mod requests;
mod socket;
mod tls;

pub use connect::{Address, ByteStream, connect, get};
pub use socket::{Incoming, Socket};

use protocol::{
    AgentIdentity, Backend, BoxFuture, Caller, ClientInfo, Code, Error, Reply, Request, Result, Subscription,
};
use requests::{Call, Task};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Finds the gateway, and starts one where that is wished; called at each attempt to connect.
pub type Locate = Arc<dyn Fn() -> BoxFuture<Result<Address>> + Send + Sync>;

/// State of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// Not connected; it is being tried.
    Down,
    /// Connected; requests are answered.
    Up,
}

/// Configuration of a client.
#[derive(Clone)]
pub struct Config {
    /// Finds the gateway.
    pub locate: Locate,
    /// Introduction of this client, for `hello`.
    pub client: ClientInfo,
    /// Time that a request waits for a connection.
    pub patience: Duration,
}

/// A gateway elsewhere; cheap to clone. The connection ends with the last clone.
#[derive(Clone)]
pub struct Remote {
    config: Config,
    calls: mpsc::UnboundedSender<Call>,
    link: watch::Receiver<Link>,
    _stop: Arc<DropGuard>,
}

impl Remote {
    /// Begins to connect, and goes on trying until the last clone is dropped.
    #[must_use]
    pub fn connect(config: Config) -> Self {
        let (calls, queue) = mpsc::unbounded_channel();
        let (up, link) = watch::channel(Link::Down);
        let stop = CancellationToken::new();
        tokio::spawn(Task::new(config.clone(), queue, up).run(stop.clone()));
        Self { config, calls, link, _stop: Arc::new(stop.drop_guard()) }
    }

    /// Returns the state of the connection, to watch.
    #[must_use]
    pub fn link(&self) -> watch::Receiver<Link> {
        self.link.clone()
    }
}

impl Backend for Remote {
    fn call(&self, caller: Caller, request: Request) -> BoxFuture<Result<Reply>> {
        let (reply, answer) = oneshot::channel();
        // Queued before the future is polled, so that requests go out in the order of the calls.
        let queued = self.calls.send(Call::new(request, caller.agent, reply, self.config.patience));
        Box::pin(async move {
            queued.map_err(|_| unavailable(protocol::say::remote_ended()))?;
            answer.await.map_err(|_| unavailable(protocol::say::remote_ended()))?
        })
    }

    fn subscribe(&self, since: Option<String>) -> BoxFuture<Result<Subscription>> {
        let config = self.config.clone();
        Box::pin(async move { socket::subscribe(&config, since).await })
    }
}

pub(crate) fn unavailable(text: impl Into<protocol::Text>) -> Error {
    Error::new(Code::Unavailable, text)
}

/// A pinned future, for [`Locate`].
pub fn located<F: Future<Output = Result<Address>> + Send + 'static>(future: F) -> BoxFuture<Result<Address>> {
    Box::pin(future) as Pin<Box<_>>
}

/// Makes the first message of a client.
pub(crate) fn hello(client: &ClientInfo, agent: Option<&AgentIdentity>) -> Request {
    protocol::Hello { protocol: Some(protocol::PROTOCOL), client: Some(client.clone()), agent: agent.cloned() }.into()
}
