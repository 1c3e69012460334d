//! A connection to one server, from its start to its end.

use super::pipe::{self, TooLong};
use super::process::{self, Group};
use super::server::expand;
use super::{Options, Server, ToolResult, Transport, content, fault};
use crate::http;
use protocol::{Text, say};
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, ClientConfig, Implementation, PaginatedRequestParams,
    Tool,
};
use rmcp::service::{NotificationContext, RoleClient, RunningService, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, ServiceExt};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

/// The far end of a connection.
pub(super) type Peer = rmcp::service::Peer<RoleClient>;

/// Tools of one server; no server has more, and a list may be endless.
const TOOLS: usize = 1_000;

/// The time that a server has to end by itself.
const END: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct Connection {
    /// The tools, as they were when last asked for.
    pub(super) offered: Vec<Tool>,
    peer: Peer,
    too_long: TooLong,
    group: Option<Group>,
    /// Runs as long as the server.
    task: JoinHandle<()>,
    end: DropGuard,
}

/// A server that cannot be used.
#[derive(Debug)]
pub(super) struct Unready {
    /// The reason, as a sentence.
    pub(super) why: Text,
    /// It was not ready in time.
    pub(super) is_slow: bool,
}

/// The number of times that a server has announced a change of its tools.
#[derive(Debug, Clone, Default)]
pub(super) struct Changes(Arc<AtomicU64>);

impl Changes {
    pub(super) fn count(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    pub(super) fn note(&self) {
        self.0.fetch_add(1, Ordering::AcqRel);
    }
}

/// Our side of a connection.
struct Client(Changes);

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new("sightline-agent", env!("CARGO_PKG_VERSION")),
        )
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.0.note();
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(group) = &self.group {
            group.kill();
        }
    }
}

impl Connection {
    /// Starts a server, or connects to it, and asks for its tools.
    ///
    /// # Errors
    /// When the server cannot be used.
    pub(super) async fn start(server: &Server, options: &Options, changes: &Changes) -> Result<Self, Unready> {
        match tokio::time::timeout(options.start, Self::begin(server, options, changes)).await {
            Ok(begun) => begun.map_err(|why| Unready { why, is_slow: false }),
            Err(_) => {
                let why = say::server_late(options.start.as_secs_f64());
                Err(Unready { why, is_slow: true })
            }
        }
    }

    async fn begin(server: &Server, options: &Options, changes: &Changes) -> Result<Self, Text> {
        let client = Client(changes.clone());
        let (service, group, too_long) = match &server.transport {
            Transport::Process { .. } => {
                let (pipe, group, too_long) = process::start(&server.name, &server.transport, options).await?;
                (client.serve(pipe).await, Some(group), too_long)
            }
            Transport::Url { url, headers } => {
                (client.serve(over_http(url, headers, options)?).await, None, TooLong::default())
            }
        };
        let service = service.map_err(|error| {
            let problem = fault::beginning(&error);
            say::server_no_answer(&problem).with("problem", &problem)
        })?;
        let peer = service.peer().clone();
        let mut connection = Self::watch(service, group, too_long);
        connection.offered = list(&peer).await?;
        Ok(connection)
    }

    fn watch(service: RunningService<RoleClient, Client>, group: Option<Group>, too_long: TooLong) -> Self {
        let peer = service.peer().clone();
        let end = CancellationToken::new();
        let (ended, left) = (end.clone(), group.clone());
        let stop = service.cancellation_token();
        let task = tokio::spawn(async move {
            let waiting = service.waiting();
            tokio::pin!(waiting);
            tokio::select! {
                _ = &mut waiting => {}
                () = ended.cancelled() => {
                    stop.cancel();
                    let _ = tokio::time::timeout(END, waiting).await;
                }
            }
            if let Some(group) = left {
                group.kill();
            }
        });
        Self { offered: Vec::new(), peer, too_long, group, task, end: end.drop_guard() }
    }

    /// The far end, and the mark of a message that was too long; none if the server has ended.
    pub(super) fn peer(&self) -> Option<(Peer, TooLong)> {
        let is_there = !self.task.is_finished() && !self.peer.is_transport_closed();
        is_there.then(|| (self.peer.clone(), self.too_long.clone()))
    }

    /// Asks the server to end, waits for that, and kills what is left.
    pub(super) async fn close(mut self) {
        // Dropping the guard would kill the server at once; cancelling asks it first.
        let end = std::mem::replace(&mut self.end, CancellationToken::new().drop_guard());
        end.disarm().cancel();
        let _ = (&mut self.task).await;
    }
}

/// The tools that a server offers now.
///
/// # Errors
/// When it does not name them, in a sentence.
pub(super) async fn list(peer: &Peer) -> Result<Vec<Tool>, Text> {
    list_all(peer).await.map_err(|error| {
        let problem = fault::request(&error);
        say::server_no_names(&problem).with("problem", &problem)
    })
}

async fn list_all(peer: &Peer) -> Result<Vec<Tool>, ServiceError> {
    if peer.peer_info().is_some_and(|server| server.capabilities.tools.is_none()) {
        return Ok(Vec::new());
    }
    let mut tools = Vec::new();
    let mut cursor = None;
    loop {
        let page = peer.list_tools(Some(PaginatedRequestParams::default().with_cursor(cursor))).await?;
        tools.extend(page.tools);
        cursor = page.next_cursor;
        if cursor.is_none() || tools.len() >= TOOLS {
            tools.truncate(TOOLS);
            return Ok(tools);
        }
    }
}

fn over_http(
    url: &str,
    headers: &std::collections::BTreeMap<String, String>,
    options: &Options,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, Text> {
    let has_secrets = !headers.is_empty() || reqwest::Url::parse(url).is_ok_and(|url| url.password().is_some());
    if has_secrets && !url.starts_with("https://") && !http::is_here(url) {
        return Err(say::server_open_address());
    }
    let mut given = HashMap::new();
    for (name, value) in headers {
        let value = expand(value, &options.environment)?;
        let wrong = || say::server_header(name);
        let (name, mut value): (HeaderName, HeaderValue) =
            (name.parse().map_err(|_| wrong())?, value.trim().parse().map_err(|_| wrong())?);
        value.set_sensitive(true);
        given.insert(name, value);
    }
    let client = http::client(url).map_err(|_| say::server_certificates())?;
    let config = StreamableHttpClientTransportConfig::with_uri(url).custom_headers(given);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// Calls a tool of a server. Dropping the future tells the server that the call is cancelled.
pub(super) async fn call(
    peer: &Peer,
    too_long: &TooLong,
    server: &Server,
    tool: &str,
    args: Option<Map<String, Value>>,
) -> ToolResult {
    let Server { name, transport } = server;
    let most = pipe::MESSAGE / 1024 / 1024;
    let mut params = CallToolRequestParams::new(tool.to_owned());
    params.arguments = args;
    match peer.call_tool_once(params).await {
        Ok(CallToolResponse::Complete(result)) => content::read_result(result),
        Ok(_) => ToolResult::error(format!("The tool wants what \"{name}\" cannot be given here, and has not run.")),
        Err(ServiceError::McpError(error)) => ToolResult::error(error.message.into_owned()),
        Err(_) if too_long.is_so() => ToolResult::error(format!(
            "The server \"{name}\" has sent a message of more than {most} MiB, and was ended; whether the call did \
             anything is not known. The next call starts it again."
        )),
        // A connection on which the server has sent too much ends like this, without another sign.
        Err(ServiceError::TransportClosed) if matches!(transport, Transport::Url { .. }) => ToolResult::error(format!(
            "The connection to \"{name}\" was closed, as it is where a message has more than {most} MiB. Whether the \
             call did anything is not known. The next call connects again."
        )),
        Err(error) => ToolResult::error(failed(name, &error)),
    }
}

fn failed(server: &str, error: &ServiceError) -> String {
    let far = match error {
        ServiceError::TransportSend(error) => fault::far(error),
        ServiceError::TransportClosed => None,
        error => return format!("The call failed: {}.", fault::request(error)),
    };
    match far {
        Some(why) => format!("The call failed: {why}. Whether it did anything is not known."),
        None => format!(
            "The server \"{server}\" has ended; whether the call did anything is not known. The next call starts it \
             again."
        ),
    }
}
