//! The tools of all servers: connected at once, called by the names that the model uses, connected again when needed.

use super::connection::{self, Changes, Connection, Unready};
use super::content::ToolResult;
use super::names;
use super::options::Options;
use super::pipe::TooLong;
use super::server::Server;
use crate::model::ToolSpec;
use futures_util::future::join_all;
use protocol::{Text, say};
use rmcp::model::Tool;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Mutex;

/// Bytes of a tool's description.
const DESCRIPTION: usize = 8 * 1024;

/// The tools of all servers. A server ends with [`Tools::close`], or when the last `Tools` that has it is dropped.
#[derive(Debug)]
pub struct Tools {
    options: Options,
    pub(super) servers: Vec<ConnectedServer>,
    specs: Vec<ToolSpec>,
    /// By the name that the model uses: the place of the server, and its own name for the tool.
    places: HashMap<String, (usize, String)>,
    failures: Vec<Failure>,
    /// The servers that were not ready in time.
    slow: Vec<Server>,
    closed: AtomicBool,
}

/// A server that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub server: String,
    /// The reason, as a sentence.
    pub why: Text,
}

/// A server that has been connected; it may have ended since.
#[derive(Debug, Clone)]
pub(super) struct ConnectedServer {
    server: Server,
    offered: Vec<Tool>,
    /// The count of changes when the tools were read.
    seen: u64,
    changes: Changes,
    pub(super) connection: Arc<Mutex<Option<Connection>>>,
}

impl Tools {
    /// Starts these servers, or connects to them, all at once. That takes as long as the slowest, at most `options.start`.
    pub async fn connect(servers: Vec<Server>, options: Options) -> Self {
        Self::connect_beside(servers, options, None).await
    }

    /// The same, but servers that work already in `before` stay as they are. [`Tools::close_but`] ends the others there.
    pub async fn connect_beside(servers: Vec<Server>, options: Options, before: Option<&Self>) -> Self {
        let mut tools = Self::none(options);
        let started = join_all(servers.iter().map(|server| tools.found(server, before))).await;
        tools.take(servers.into_iter().zip(started));
        tools
    }

    /// The same servers, with the tools that they offer now. A server that does not name them in time is left out; the next
    /// [`Tools::connect_beside`] starts it anew.
    pub async fn renewed(&self) -> Self {
        let mut tools = Self::none(self.options.clone());
        tools.failures.clone_from(&self.failures);
        tools.slow.clone_from(&self.slow);
        let renewed = join_all(self.servers.iter().map(|connected| connected.renewed(&self.options))).await;
        tools.take(self.servers.iter().map(|connected| connected.server.clone()).zip(renewed));
        tools
    }

    /// A server has announced a change of its tools since they were read.
    #[must_use]
    pub fn have_changed(&self) -> bool {
        self.servers.iter().any(ConnectedServer::has_changed)
    }

    fn take(&mut self, found: impl IntoIterator<Item = (Server, Result<ConnectedServer, Unready>)>) {
        for (server, found) in found {
            if self.servers.iter().any(|connected| connected.server.name == server.name) {
                let why = say::server_twice(&server.name);
                self.failures.push(Failure { server: server.name, why });
                continue;
            }
            match found {
                Ok(connected) => self.add(connected),
                Err(Unready { why, is_slow }) => {
                    tracing::warn!(server = server.name, %why, "a tool server cannot be used");
                    self.failures.push(Failure { server: server.name.clone(), why });
                    self.slow.extend(is_slow.then_some(server));
                }
            }
        }
    }

    fn none(options: Options) -> Self {
        Self {
            options,
            servers: Vec::new(),
            specs: Vec::new(),
            places: HashMap::new(),
            failures: Vec::new(),
            slow: Vec::new(),
            closed: AtomicBool::new(false),
        }
    }

    async fn found(&self, server: &Server, before: Option<&Self>) -> Result<ConnectedServer, Unready> {
        let running = before.and_then(|before| before.servers.iter().find(|connected| connected.server == *server));
        if let Some(connected) = running
            && connected.running().await.is_some()
        {
            return connected.renewed(&self.options).await;
        }
        let was_slow = before.is_some_and(|before| before.slow.contains(server));
        let start = if was_slow { self.options.again } else { self.options.start };
        let (options, changes) = (Options { start, ..self.options.clone() }, Changes::default());
        let connection = Connection::start(server, &options, &changes).await?;
        let offered = connection.offered.clone();
        let connection = Arc::new(Mutex::new(Some(connection)));
        // A change that was announced while they were read counts.
        Ok(ConnectedServer { server: server.clone(), offered, seen: 0, changes, connection })
    }

    fn add(&mut self, connected: ConnectedServer) {
        let (at, server) = (self.servers.len(), &connected.server);
        for tool in &connected.offered {
            let name = names::name(&server.name, &tool.name);
            if names::is_reserved(&name) || self.places.contains_key(&name) {
                tracing::warn!(server = server.name, tool = %tool.name, "a tool cannot be told from another");
                continue;
            }
            let text = tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default();
            let description = text[..text.floor_char_boundary(DESCRIPTION)].to_owned();
            let schema = Value::Object(tool.input_schema.as_ref().clone());
            self.specs.push(ToolSpec { name: name.clone(), description, schema });
            self.places.insert(name, (at, tool.name.clone().into_owned()));
        }
        self.servers.push(connected);
    }

    /// The tools as the model sees them. Names are `SERVER__TOOL`, changed if needed, and always the same, whatever other
    /// servers there are.
    #[must_use]
    pub fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }

    /// The servers that cannot be used.
    #[must_use]
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// Calls a tool. Dropping the future cancels the call, and the server is told.
    ///
    /// A process that sends more than 16 MiB in one message is ended, and its calls fail; the next call starts it again.
    /// Answers that are not JSON are ignored: the call ends by its time limit.
    pub async fn call(&self, name: &str, args: &Value) -> ToolResult {
        let Some((at, tool)) = self.places.get(name) else {
            return ToolResult::error(format!("There is no tool \"{name}\"."));
        };
        let Some(connected) = self.servers.get(*at) else { return ToolResult::error("The server is gone.") };
        let args = match args {
            Value::Object(args) => Some(args.clone()),
            Value::Null => None,
            _ => return ToolResult::error("The arguments are no JSON object; nothing was called. Send them as one."),
        };
        let (peer, too_long) = match connected.peer(tool, &self.options, &self.closed).await {
            Ok(peer) => peer,
            Err(why) => return ToolResult::error(why),
        };
        let call = connection::call(&peer, &too_long, &connected.server, tool, args);
        match tokio::time::timeout(self.options.call, call).await {
            Ok(outcome) => outcome,
            Err(_) => ToolResult::error(format!(
                "The call took longer than {} seconds, and was cancelled.",
                self.options.call.as_secs_f64()
            )),
        }
    }

    /// Ends all servers: asks them to end, and kills those that do not, with the processes that they started. No call works
    /// afterwards.
    pub async fn close(&self) {
        self.end(|_| true).await;
    }

    /// Ends the servers that are not in `others`. No call works here afterwards.
    pub async fn close_but(&self, others: &Self) {
        let is_other = |connected: &ConnectedServer| {
            !others.servers.iter().any(|other| Arc::ptr_eq(&connected.connection, &other.connection))
        };
        self.end(is_other).await;
    }

    async fn end(&self, is_to_end: impl Fn(&ConnectedServer) -> bool) {
        self.closed.store(true, Ordering::Release);
        join_all(self.servers.iter().filter(|connected| is_to_end(connected)).map(|connected| async {
            let connection = connected.connection.lock().await.take();
            if let Some(connection) = connection {
                connection.close().await;
            }
        }))
        .await;
    }
}

impl ConnectedServer {
    async fn running(&self) -> Option<(connection::Peer, TooLong)> {
        self.connection.lock().await.as_ref().and_then(Connection::peer)
    }

    fn has_changed(&self) -> bool {
        self.changes.count() != self.seen
    }

    /// The server with its current tools, read again if it has announced a change.
    async fn renewed(&self, options: &Options) -> Result<Self, Unready> {
        // Taken before they are read, so that a change meanwhile counts.
        let seen = self.changes.count();
        let Some((peer, _)) = self.running().await.filter(|_| self.has_changed()) else { return Ok(self.clone()) };
        match tokio::time::timeout(options.again, connection::list(&peer)).await {
            Ok(Ok(offered)) => {
                if let Some(connection) = self.connection.lock().await.as_mut() {
                    connection.offered.clone_from(&offered);
                }
                Ok(Self { offered, seen, ..self.clone() })
            }
            Ok(Err(why)) => Err(Unready { why, is_slow: false }),
            Err(_) => {
                let seconds = options.again.as_secs_f64();
                let why = say::server_names_late(seconds);
                Err(Unready { why, is_slow: true })
            }
        }
    }

    /// The far end; a server that has ended is started again.
    ///
    /// # Errors
    /// The reason why the tool cannot be called, as a sentence.
    async fn peer(
        &self,
        tool: &str,
        options: &Options,
        closed: &AtomicBool,
    ) -> Result<(connection::Peer, TooLong), String> {
        let mut connection = self.connection.lock().await;
        if closed.load(Ordering::Acquire) {
            return Err("The tool servers have been ended.".to_owned());
        }
        if connection.as_ref().and_then(Connection::peer).is_none() {
            *connection = None;
            let started = Connection::start(&self.server, options, &self.changes).await;
            let again =
                |unready: Unready| format!("The server has ended, and cannot be started again. {}", unready.why);
            let fresh = started.map_err(again)?;
            if fresh.offered != self.offered {
                self.changes.note();
            }
            *connection = Some(fresh);
        }
        let running =
            connection.as_ref().and_then(|running| Some((running.peer()?, named(&running.offered, tool).cloned())));
        drop(connection);
        let (peer, offered) = running.ok_or_else(|| "The server has ended again.".to_owned())?;
        if offered.as_ref() != named(&self.offered, tool) {
            return Err("The server has another tool of this name by now; nothing was called.".to_owned());
        }
        Ok(peer)
    }
}

fn named<'a>(tools: &'a [Tool], name: &str) -> Option<&'a Tool> {
    tools.iter().find(|tool| tool.name == name)
}
