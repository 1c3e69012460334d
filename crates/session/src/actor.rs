//! The maker of a revision, and the way in that they used.

use crate::word::words;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

words! {
    /// The way in that a request took.
    Transport, unknown words are Websocket
    /// The desktop window.
    Window = "window"
    /// The page in a browser.
    Page = "page"
    /// The `sightline` command.
    Cli = "cli"
    /// A WebSocket client that did not say what it is.
    Websocket = "websocket"
    /// A tool call, over HTTP or stdio.
    Mcp = "mcp"
    /// A hook of an agent.
    Hook = "hook"
    /// A file that the agent keeps for itself.
    File = "file"
    /// The built-in agent.
    Builtin = "builtin"
}

words! {
    /// The kind of an actor.
    ActorKind, unknown words are User
    /// An agent.
    Agent = "agent"
    /// An agent that works for another one.
    Subagent = "subagent"
    /// A person.
    User = "user"
}

/// The maker of a revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Actor {
    /// Agent, subagent or user.
    pub kind: ActorKind,
    /// The agent's name; `you` for the user.
    pub name: String,
    /// The way in.
    pub transport: Transport,
}
