//! The server: WebSocket `/gateway`, MCP `/mcp`, hooks `/hooks`, the page `/`, `/health`, on a port and on the private
//! socket. The only crate that names axum.
//!
//! It turns sockets into calls of the hub and knows nothing of lists. Every request passes the checks
//! of [`keys`]: `Host`, `Origin`, and the key that opens what is asked for.

mod accept;
mod activity;
mod for_agents;
mod health;
mod hooks;
mod hosts;
mod intake;
mod keys;
mod list_as_text;
mod live_sessions;
mod loopback;
mod mcp_http;
mod mcp_streams;
mod message;
mod paced;
mod page;
mod peer;
mod private;
mod prove;
mod rate;
mod refusal;
mod sent;
mod socket;
mod tek;
mod visits;

pub use activity::Activity;
pub use loopback::Loopback;
pub use private::PrivateListener;
pub use visits::Limits;

use agents::Registry;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};
use axum::{Router, middleware};
use for_agents::ForAgents;
use health::Pulse;
use hub::Hub;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use visits::Visits;

/// Time that connections have to end when the gateway stops.
const GRACE: Duration = Duration::from_secs(2);

/// Time within it for the requests under way to be answered. A request that listens to lists has no end.
const ANSWERED: Duration = Duration::from_secs(1);

/// Time for those that are not answered by then to say so.
const TOLD: Duration = Duration::from_millis(500);

/// The parts that a gateway is made from.
pub struct Config {
    /// The hub that it serves.
    pub hub: Hub,
    /// Version of this build.
    pub version: String,
    /// The agents that are known.
    pub agents: Registry,
    /// Limits on connections.
    pub limits: Limits,
    /// Named hosts, beside those of the settings: see [`protocol::public_host`].
    pub public_hosts: Vec<String>,
}

/// The gateway, as every handler has it.
#[derive(Clone)]
struct Gateway {
    hub: Hub,
    nonces: Arc<prove::Nonces>,
    version: Arc<str>,
    agents: Registry,
    port: u16,
    hosts: Arc<hosts::Hosts>,
    stop: CancellationToken,
    /// After `stop`: agents' requests that are not answered by then are told that the gateway ends.
    overdue: CancellationToken,
    /// After that: ends the streams that are still open.
    cut: CancellationToken,
    connections: TaskTracker,
    activity: Activity,
    pulse: Pulse,
    intake: intake::Intake,
}

/// A running gateway.
pub struct Running {
    /// Address at which it listens.
    pub address: SocketAddr,
    server: tokio::task::JoinHandle<()>,
    stop: CancellationToken,
    overdue: CancellationToken,
    cut: CancellationToken,
    connections: TaskTracker,
    activity: Activity,
}

impl Gateway {
    /// The hub for agents' requests, all of one key or with the key that each caller has.
    fn for_agents(&self, key: Option<String>) -> ForAgents<Hub> {
        ForAgents { backend: self.hub.clone(), key, overdue: self.overdue.clone() }
    }
}

impl Running {
    /// Returns its use, to watch.
    #[must_use]
    pub fn activity(&self) -> Activity {
        self.activity.clone()
    }

    /// Stops in good order: no new connections, requests under way are answered, if only that there is no time left, every
    /// open connection is told and closed. Connections that take longer are cut off.
    pub async fn stop(mut self) {
        self.stop.cancel();
        self.connections.close();
        let mut served = timeout(ANSWERED, &mut self.server).await;
        self.overdue.cancel();
        if served.is_err() {
            served = timeout(TOLD, &mut self.server).await;
        }
        self.cut.cancel();
        if timeout(GRACE, self.connections.wait()).await.is_err() {
            tracing::warn!("some connections had to be cut off");
        }
        if served.is_err() {
            served = timeout(GRACE - ANSWERED - TOLD, &mut self.server).await;
        }
        match served {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, "the server failed"),
            Err(_) => self.server.abort(),
        }
    }
}

/// Serves on a port, and on the private socket where there is one, until it is stopped.
///
/// # Errors
/// When the listener has no address.
pub fn serve(listener: Loopback, private: Option<PrivateListener>, config: Config) -> std::io::Result<Running> {
    let address = listener.address()?;
    let (stop, overdue, cut) = (CancellationToken::new(), CancellationToken::new(), CancellationToken::new());
    let connections = TaskTracker::new();
    let activity = Activity::new(connections.clone());
    let gateway = Gateway {
        hub: config.hub,
        nonces: Arc::new(prove::Nonces::new()),
        version: config.version.into(),
        agents: config.agents,
        port: address.port(),
        hosts: Arc::new(hosts::Hosts::new(address.port(), &config.public_hosts)),
        stop: stop.clone(),
        overdue: overdue.clone(),
        cut: cut.clone(),
        connections: connections.clone(),
        activity: activity.clone(),
        pulse: Pulse::default(),
        intake: intake::Intake::default(),
    };
    let mcp = mcp_http::service(&gateway);
    let guarded = Router::new()
        .route("/gateway", get(socket::upgrade))
        .route_service("/mcp", mcp.clone())
        .route_service("/mcp/", mcp.clone())
        .route_service("/mcp/{label}", mcp)
        .route("/hooks/{agent}", post(hooks::hear))
        .route("/prove", get(prove::prove))
        .route("/pair", post(prove::pair).layer(DefaultBodyLimit::max(prove::PAIRING)))
        .fallback(page::serve)
        .layer(middleware::from_fn_with_state(gateway.clone(), keys::check_within_rate));
    let checks = middleware::from_fn_with_state(gateway.clone(), keys::check);
    let router = Router::new().route("/health", get(health::health).layer(checks)).merge(guarded).with_state(gateway);
    let (limits, ended) = (config.limits, stop.clone());
    let server = tokio::spawn(async move {
        let port = accept::serve(listener, router.clone(), Visits::new(limits), ended.clone());
        match private {
            // Each has its own limits: who holds the port full keeps nobody from the private socket.
            Some(private) => {
                tokio::join!(port, accept::serve(private, router, Visits::new(limits), ended));
            }
            None => port.await,
        }
    });
    Ok(Running { address, server, stop, overdue, cut, connections, activity })
}
