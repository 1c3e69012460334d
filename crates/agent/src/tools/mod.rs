//! The tools that a model may call: those of the MCP servers that the user configured.
//!
//! [`Tools::connect`] starts all servers at once. One that fails is reported and the others work. One that ends is
//! started again at the next call of a tool of its own.

mod connection;
mod content;
mod names;
mod process;
mod server;

#[cfg(test)]
mod tests;

pub use server::{At, Server};

use crate::model::ToolSpec;
use crate::model::keys::Environment;
use connection::Connection;
use futures_util::future::join_all;
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
    /// How long a call may take.
    pub call: Duration,
}

impl Options {
    /// 20 seconds to start, ten minutes a call.
    #[must_use]
    pub fn new(environment: Environment) -> Self {
        Self { environment, start: Duration::from_secs(20), call: Duration::from_secs(600) }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("start", &self.start).field("call", &self.call).finish_non_exhaustive()
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

/// The tools of all servers. The servers end with [`Tools::close`], and when this is dropped.
#[derive(Debug)]
pub struct Tools {
    options: Options,
    servers: Vec<Arc<Known>>,
    specs: Vec<ToolSpec>,
    /// By the names that the model uses: which server, and its own name there.
    places: HashMap<String, (usize, String)>,
    failures: Vec<Failure>,
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
#[derive(Debug)]
struct Known {
    server: Server,
    connection: Mutex<Option<Connection>>,
}

impl Tools {
    /// Starts these servers, or connects to them, all at once; takes as long as the slowest, at most `options.start`.
    pub async fn connect(servers: Vec<Server>, options: Options) -> Self {
        let mut tools = Self {
            options,
            servers: Vec::new(),
            specs: Vec::new(),
            places: HashMap::new(),
            failures: Vec::new(),
            closed: AtomicBool::new(false),
        };
        let started = join_all(servers.iter().map(|server| Connection::start(server, &tools.options))).await;
        for (server, started) in servers.into_iter().zip(started) {
            if tools.servers.iter().any(|known| known.server.name == server.name) {
                let why = format!("Two servers are called \"{}\"; only the first is used.", server.name);
                tools.failures.push(Failure { server: server.name, why });
                continue;
            }
            match started {
                Ok((connection, offered)) => tools.add(server, connection, offered),
                Err(why) => {
                    tracing::warn!(server = server.name, why, "a tool server cannot be used");
                    tools.failures.push(Failure { server: server.name, why });
                }
            }
        }
        tools
    }

    fn add(&mut self, server: Server, connection: Connection, offered: Vec<rmcp::model::Tool>) {
        let at = self.servers.len();
        for tool in offered {
            let name = names::name(&server.name, &tool.name);
            if names::is_reserved(&name) || self.places.contains_key(&name) {
                tracing::warn!(server = server.name, tool = %tool.name, "a tool cannot be told from another");
                continue;
            }
            let mut description = tool.description.or(tool.title.map(Into::into)).unwrap_or_default().into_owned();
            description.truncate(description.floor_char_boundary(DESCRIPTION));
            let schema = Value::Object(tool.input_schema.as_ref().clone());
            self.specs.push(ToolSpec { name: name.clone(), description, schema });
            self.places.insert(name, (at, tool.name.into_owned()));
        }
        self.servers.push(Arc::new(Known { server, connection: Mutex::new(Some(connection)) }));
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
    /// A process that answers with more than 16 MiB in one message, or with what is no JSON, is not heard: the call
    /// ends by its time limit.
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
        let peer = match known.peer(&self.options, &self.closed).await {
            Ok(peer) => peer,
            Err(why) => return Outcome::error(why),
        };
        let call = connection::call(&peer, &known.server.name, tool, args);
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
        self.closed.store(true, Ordering::Release);
        join_all(self.servers.iter().map(|known| async {
            let connection = known.connection.lock().await.take();
            if let Some(connection) = connection {
                connection.close().await;
            }
        }))
        .await;
    }
}

impl Known {
    /// Who answers; started again where it has ended.
    async fn peer(&self, options: &Options, closed: &AtomicBool) -> Result<connection::Peer, String> {
        let mut connection = self.connection.lock().await;
        if closed.load(Ordering::Acquire) {
            return Err("The tool servers have been ended.".to_owned());
        }
        if let Some(peer) = connection.as_ref().and_then(Connection::peer) {
            return Ok(peer);
        }
        *connection = None;
        let started = Connection::start(&self.server, options).await;
        let (fresh, _) = started.map_err(|why| format!("The server has ended, and cannot be started again. {why}"))?;
        let peer = fresh.peer().ok_or_else(|| "The server has ended again.".to_owned());
        *connection = Some(fresh);
        peer
    }
}
