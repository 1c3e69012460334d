//! The sender of a request. A transport sets it once for each connection; the hub decides what it means.

use crate::{AgentInfo, Rights, Terminal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use session::Transport;
use ts_rs::TS;

/// A client of the WebSocket, as it introduces itself in [`Hello`](crate::Hello).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientInfo {
    /// Name for people: `sightline mcp`.
    pub name: String,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub version: Option<String>,
    /// Id that the client keeps over all its connections, so that it can undo its own edits after a reconnect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub id: Option<String>,
    /// The way in; `websocket` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub transport: Option<Transport>,
}

/// An agent that calls, and the evidence for the session that it means, best first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentIdentity {
    /// Its name and version.
    pub agent: AgentInfo,
    /// The agent's own id for its session; a resumed run has the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub own_session: Option<String>,
    /// For a subagent: the own id of the session that it works for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub parent: Option<String>,
    /// The agent's own id of this very call, which its hooks name as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub call: Option<String>,
    /// The MCP session, or the shim's process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub connection: Option<String>,
    /// The label in the address (`/mcp/LABEL`) or on the shim's command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub label: Option<String>,
    /// The processes that it is or may be, nearest first, each as its id and start: for a tool server the process that
    /// started it, for a hook those above it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub processes: Vec<String>,
    /// The terminal that it runs in. It counts only for an agent without a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub terminal: Option<Box<Terminal>>,
    /// Path of the folder that it works in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub folder: Option<String>,
    /// Short name of the project: of the folder that holds the repository, or of the folder itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub project: Option<String>,
    /// Git branch that is checked out there; the first letters of the commit where none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub branch: Option<String>,
}

/// The sender of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// The way in.
    pub transport: Transport,
    /// Tells this client from others of its kind; each window undoes its own edits.
    pub client: String,
    /// For agents: the agent.
    pub agent: Option<AgentIdentity>,
    /// Rights of a person; `None` for an agent, which may send only what is for agents. A person's connection may speak
    /// for an agent, as a tool server does, and keeps its rights.
    pub rights: Option<Rights>,
    /// Id of the key that it came with; `None` in this process and over the private socket.
    pub key: Option<String>,
}

impl Caller {
    /// A person at a terminal, who may look and edit. A window or a key gives other rights by [`Self::with`].
    pub fn user(transport: Transport, client: impl Into<String>) -> Self {
        Self { transport, client: client.into(), agent: None, rights: Some(Rights::Edit), key: None }
    }

    /// An agent, which may send only what is for agents.
    pub fn agent(transport: Transport, client: impl Into<String>, agent: AgentIdentity) -> Self {
        Self { transport, client: client.into(), agent: Some(agent), rights: None, key: None }
    }

    /// With those rights.
    #[must_use]
    pub fn with(mut self, rights: Rights) -> Self {
        self.rights = Some(rights);
        self
    }
}
