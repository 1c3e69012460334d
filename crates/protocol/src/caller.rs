//! Who a request comes from. A transport says it once per connection; the hub decides what it means.

use crate::AgentInfo;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The way in that a request took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// The desktop window.
    Window,
    /// The page in a browser.
    Page,
    /// The `sightline` command.
    Cli,
    /// A WebSocket client that did not say what it is.
    Websocket,
    /// A tool call, over HTTP or stdio.
    Mcp,
    /// A hook of an agent's.
    Hook,
    /// A file that the agent keeps for itself.
    File,
    /// The built-in agent.
    Builtin,
}

/// What a client of the WebSocket says of itself in `hello`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ClientInfo {
    /// A name for people: `sightline mcp`.
    pub name: String,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub version: Option<String>,
    /// Tells it from others of its kind over all its connections, so that it can undo its own edits after a reconnect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub id: Option<String>,
    /// What it is; [`Transport::Websocket`] when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub transport: Option<Transport>,
}

/// What is known of an agent that calls: the evidence for which session it means, best first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AgentIdentity {
    /// Its name and version.
    pub agent: AgentInfo,
    /// The agent's own id for its session; a resumed run has the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub own_session: Option<String>,
    /// Of a subagent: the own id of the session that it works for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub parent: Option<String>,
    /// The MCP session or the shim's process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub connection: Option<String>,
    /// The label in the address (`/mcp/LABEL`) or on the shim's command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub label: Option<String>,
    /// The processes that it is, or may be, the nearest first, each as its id and start: of a tool server the one that
    /// started it, of a hook those above it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub processes: Vec<String>,
    /// The folder it works in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub folder: Option<String>,
    /// The short name of the project: of the folder that holds the repository, or of the folder itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub project: Option<String>,
    /// The git branch that is checked out there; the commit's first letters where none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub branch: Option<String>,
}

/// Who a request comes from, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// The way in.
    pub transport: Transport,
    /// Tells this client from others of its kind; each window undoes its own edits.
    pub client: String,
    /// For agents: who it is.
    pub agent: Option<AgentIdentity>,
}

impl Caller {
    /// A person at a window, a page or a terminal.
    pub fn user(transport: Transport, client: impl Into<String>) -> Self {
        Self { transport, client: client.into(), agent: None }
    }
}
