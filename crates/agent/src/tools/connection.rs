//! A connection to one server, from its start to its end.

use super::process::{self, Group};
use super::server::expand;
use super::{At, Options, Outcome, Server, content};
use crate::http;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::ServiceExt;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, ClientConfig, Implementation, PaginatedRequestParams,
    Tool,
};
use rmcp::service::{RoleClient, RunningService, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Who answers.
pub(super) type Peer = rmcp::service::Peer<RoleClient>;

/// Tools of one server; nobody has more, and a list may be endless.
const TOOLS: usize = 1_000;

/// How long a server may take to end by itself.
const END: Duration = Duration::from_secs(10);

/// A connection that was made.
#[derive(Debug)]
pub(super) struct Connection {
    peer: Peer,
    group: Option<Group>,
    /// Ends with the server.
    task: JoinHandle<()>,
    end: DropGuard,
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
    /// Why it cannot be used, as a sentence.
    pub(super) async fn start(server: &Server, options: &Options) -> Result<(Self, Vec<Tool>), String> {
        let slow = || format!("It was not ready within {} seconds.", options.start.as_secs_f64());
        tokio::time::timeout(options.start, Self::begin(server, options)).await.map_err(|_| slow())?
    }

    async fn begin(server: &Server, options: &Options) -> Result<(Self, Vec<Tool>), String> {
        let client = ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new("sightline-agent", env!("CARGO_PKG_VERSION")),
        );
        let (service, group) = match &server.at {
            At::Process { .. } => {
                let (process, group) = process::start(&server.name, &server.at, options)?;
                (client.serve(process).await, Some(group))
            }
            At::Url { url, headers } => (client.serve(over_http(url, headers, options)?).await, None),
        };
        let service = service.map_err(|error| format!("It does not answer as an MCP server: {error}."))?;
        let peer = service.peer().clone();
        let connection = Self::watch(service, group);
        let tools = list(&peer).await.map_err(|error| format!("It does not name its tools: {error}."))?;
        Ok((connection, tools))
    }

    fn watch(service: RunningService<RoleClient, ClientConfig>, group: Option<Group>) -> Self {
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
        Self { peer, group, task, end: end.drop_guard() }
    }

    /// Who answers; none when the server has ended.
    pub(super) fn peer(&self) -> Option<Peer> {
        let is_there = !self.task.is_finished() && !self.peer.is_transport_closed();
        is_there.then(|| self.peer.clone())
    }

    /// Asks the server to end, waits for that, and kills what is left.
    pub(super) async fn close(mut self) {
        // Dropping the guard would kill at once; this one asks first.
        let end = std::mem::replace(&mut self.end, CancellationToken::new().drop_guard());
        end.disarm().cancel();
        let _ = (&mut self.task).await;
    }
}

async fn list(peer: &Peer) -> Result<Vec<Tool>, ServiceError> {
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
) -> Result<StreamableHttpClientTransport<reqwest::Client>, String> {
    let mut given = HashMap::new();
    for (name, value) in headers {
        let value = expand(value, &options.environment)?;
        let wrong = || format!("The header \"{name}\" is none, or its value cannot be sent.");
        let (name, mut value): (HeaderName, HeaderValue) =
            (name.parse().map_err(|_| wrong())?, value.trim().parse().map_err(|_| wrong())?);
        value.set_sensitive(true);
        given.insert(name, value);
    }
    let client = http::client(url).map_err(|_| "The system's certificates cannot be read.".to_owned())?;
    let config = StreamableHttpClientTransportConfig::with_uri(url).custom_headers(given);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// Calls a tool of a server; dropped, it tells the server that the call is cancelled.
pub(super) async fn call(peer: &Peer, server: &str, tool: &str, args: Option<Map<String, Value>>) -> Outcome {
    let mut params = CallToolRequestParams::new(tool.to_owned());
    params.arguments = args;
    match peer.call_tool_once(params).await {
        Ok(CallToolResponse::Complete(result)) => content::outcome(result),
        Ok(_) => Outcome::error(format!("The tool wants what \"{server}\" cannot be given here, and has not run.")),
        Err(ServiceError::McpError(error)) => Outcome::error(error.message.into_owned()),
        Err(ServiceError::TransportClosed | ServiceError::TransportSend(_)) => Outcome::error(format!(
            "The server \"{server}\" has ended; whether the call did anything is not known. The next call starts it \
             again."
        )),
        Err(error) => Outcome::error(format!("The call failed: {error}.")),
    }
}
