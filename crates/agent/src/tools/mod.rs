//! The tools that a model may call: those of the MCP servers that the user configured.
//!
//! [`Tools::connect`] starts all servers at once. One that fails is reported and the others work. One that ends is
//! started again at the next call of a tool of its own. [`Tools::connect_beside`] leaves those running that are as they
//! were, and [`Tools::renewed`] has what they offer since they said that their tools have changed.

mod connection;
mod content;
mod fault;
mod names;
mod pipe;
mod process;
mod server;

#[cfg(test)]
mod tests;

pub use server::{At, Server};

use crate::model::ToolSpec;
use crate::model::keys::Environment;
use connection::{Changes, Connection, Unready};
use futures_util::future::join_all;
use pipe::TooLong;
use rmcp::model::Tool;
use serde_json::Value;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::Mutex;

/// Bytes of what a tool says of itself.
const DESCRIPTION: usize = 8 * 1024;

/// How servers are treated.
#[derive(Clone)]
pub struct Options {
    /// Where `${NAME}` is looked up; servers get the usual few variables of it, and those that they name.
    pub environment: Environment,
    /// How long a server may take to be ready.
    pub start: Duration,
    /// The same for one that was not ready in time before: whoever waits for it has waited once. Also how long one may
    /// take to name its tools once more when they have changed.
    pub again: Duration,
    /// How long a call may take.
    pub call: Duration,
}

impl Options {
    /// 30 seconds to start, since the first start of one may be its installation, 15 where that was too little; ten
    /// minutes a call.
    #[must_use]
    pub fn new(environment: Environment) -> Self {
        let (start, again) = (Duration::from_secs(30), Duration::from_secs(15));
        Self { environment, start, again, call: Duration::from_secs(600) }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("start", &self.start)
            .field("again", &self.again)
            .field("call", &self.call)
            .finish_non_exhaustive()
    }
}

/// What came of a call, for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The result, at most 100 KiB and a line that says what was cut.
    pub text: String,
    /// It failed.
    pub is_error: bool,
}

impl Outcome {
    fn error(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: true }
    }
}

/// The tools of all servers. A server ends with [`Tools::close`], and when the last of those is dropped that have it.
#[derive(Debug)]
pub struct Tools {
    options: Options,
    servers: Vec<Known>,
    specs: Vec<ToolSpec>,
    /// By the names that the model uses: which server, and its own name there.
    places: HashMap<String, (usize, String)>,
    failures: Vec<Failure>,
    /// Those that were not ready in time.
    slow: Vec<Server>,
    closed: AtomicBool,
}

/// A server that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Its name.
    pub server: String,
    /// Why, in a sentence.
    pub why: String,
}

/// A server that was connected once.
#[derive(Debug, Clone)]
struct Known {
    server: Server,
    offered: Vec<Tool>,
    /// Of how many changes the tools are.
    seen: u64,
    changes: Changes,
    connection: Arc<Mutex<Option<Connection>>>,
}

impl Tools {
    /// Starts these servers, or connects to them, all at once; takes as long as the slowest, at most `options.start`.
    pub async fn connect(servers: Vec<Server>, options: Options) -> Self {
        Self::connect_beside(servers, options, None).await
    }

    /// The same, where there are some already: those of these servers that are among them, and work, stay as they are.
    /// [`Tools::close_but`] ends the others.
    pub async fn connect_beside(servers: Vec<Server>, options: Options, before: Option<&Self>) -> Self {
        let mut tools = Self::none(options);
        let started = join_all(servers.iter().map(|server| tools.found(server, before))).await;
        tools.take(servers.into_iter().zip(started));
        tools
    }

    /// The same servers, with the tools that they offer now. One that does not name them in time is none of them any
    /// more; with the next [`Tools::connect_beside`] it is begun anew.
    pub async fn renewed(&self) -> Self {
        let mut tools = Self::none(self.options.clone());
        tools.failures.clone_from(&self.failures);
        tools.slow.clone_from(&self.slow);
        let renewed = join_all(self.servers.iter().map(|known| known.renewed(&self.options))).await;
        tools.take(self.servers.iter().map(|known| known.server.clone()).zip(renewed));
        tools
    }

    /// Whether a server has said that its tools have changed since they were asked for.
    #[must_use]
    pub fn have_changed(&self) -> bool {
        self.servers.iter().any(Known::has_changed)
    }

    fn take(&mut self, found: impl IntoIterator<Item = (Server, Result<Known, Unready>)>) {
        for (server, found) in found {
            if self.servers.iter().any(|known| known.server.name == server.name) {
                let why = format!("Two servers are called \"{}\"; only the first is used.", server.name);
                self.failures.push(Failure { server: server.name, why });
                continue;
            }
            match found {
                Ok(known) => self.add(known),
                Err(Unready { why, is_slow }) => {
                    tracing::warn!(server = server.name, why, "a tool server cannot be used");
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

    async fn found(&self, server: &Server, before: Option<&Self>) -> Result<Known, Unready> {
        let running = before.and_then(|before| before.servers.iter().find(|known| known.server == *server));
        if let Some(known) = running
            && known.running().await.is_some()
        {
            return known.renewed(&self.options).await;
        }
        let was_slow = before.is_some_and(|before| before.slow.contains(server));
        let start = if was_slow { self.options.again } else { self.options.start };
        let (options, changes) = (Options { start, ..self.options.clone() }, Changes::default());
        let connection = Connection::start(server, &options, &changes).await?;
        let offered = connection.offered.clone();
        let connection = Arc::new(Mutex::new(Some(connection)));
        // What changed while they were asked for is asked for once more.
        Ok(Known { server: server.clone(), offered, seen: 0, changes, connection })
    }

    fn add(&mut self, known: Known) {
        let (at, server) = (self.servers.len(), &known.server);
        for tool in &known.offered {
            let name = names::name(&server.name, &tool.name);
            if names::is_reserved(&name) || self.places.contains_key(&name) {
                tracing::warn!(server = server.name, tool = %tool.name, "a tool cannot be told from another");
                continue;
            }
            let said = tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default();
            let description = said[..said.floor_char_boundary(DESCRIPTION)].to_owned();
            let schema = Value::Object(tool.input_schema.as_ref().clone());
            self.specs.push(ToolSpec { name: name.clone(), description, schema });
            self.places.insert(name, (at, tool.name.clone().into_owned()));
        }
        self.servers.push(known);
    }

    /// The tools, as the model is told of them. Names are `SERVER__TOOL`, changed where they have to be, and the same
    /// each time, whichever servers there are.
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
    /// A process that sends more than 16 MiB in one message is ended, and its calls fail; the next one starts it again.
    /// One that answers with what is no JSON is not heard: the call ends by its time limit.
    pub async fn call(&self, name: &str, args: &Value) -> Outcome {
        let Some((at, tool)) = self.places.get(name) else {
            return Outcome::error(format!("There is no tool \"{name}\"."));
        };
        let Some(known) = self.servers.get(*at) else { return Outcome::error("The server is gone.") };
        let args = match args {
            Value::Object(args) => Some(args.clone()),
            Value::Null => None,
            _ => return Outcome::error("The arguments are no JSON object; nothing was called. Send them as one."),
        };
        let (peer, too_long) = match known.peer(tool, &self.options, &self.closed).await {
            Ok(peer) => peer,
            Err(why) => return Outcome::error(why),
        };
        let call = connection::call(&peer, &too_long, &known.server, tool, args);
        match tokio::time::timeout(self.options.call, call).await {
            Ok(outcome) => outcome,
            Err(_) => Outcome::error(format!(
                "The call took longer than {} seconds, and was cancelled.",
                self.options.call.as_secs_f64()
            )),
        }
    }

    /// Ends all servers: asks them to, and kills those that go on, with whatever they started.
    /// No call works afterwards.
    pub async fn close(&self) {
        self.end(|_| true).await;
    }

    /// The same, but those go on that are in `others` as well. No call works here afterwards.
    pub async fn close_but(&self, others: &Self) {
        let is_other =
            |known: &Known| !others.servers.iter().any(|other| Arc::ptr_eq(&known.connection, &other.connection));
        self.end(is_other).await;
    }

    async fn end(&self, is_to_end: impl Fn(&Known) -> bool) {
        self.closed.store(true, Ordering::Release);
        join_all(self.servers.iter().filter(|known| is_to_end(known)).map(|known| async {
            let connection = known.connection.lock().await.take();
            if let Some(connection) = connection {
                connection.close().await;
            }
        }))
        .await;
    }
}

impl Known {
    async fn running(&self) -> Option<(connection::Peer, TooLong)> {
        self.connection.lock().await.as_ref().and_then(Connection::peer)
    }

    /// Whether it has said that its tools are others than these.
    fn has_changed(&self) -> bool {
        self.changes.count() != self.seen
    }

    /// With the tools that it offers now, where it has said that they are others.
    async fn renewed(&self, options: &Options) -> Result<Self, Unready> {
        // Before they are asked for: what changes meanwhile counts.
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
                let why = format!("It has changed its tools, and did not name them within {seconds} seconds.");
                Err(Unready { why, is_slow: true })
            }
        }
    }

    /// Who answers; started again where it has ended.
    ///
    /// # Errors
    /// Why the tool cannot be called, in a sentence.
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
