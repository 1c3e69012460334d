//! Words about who changed something and when, for people and for agents.

use protocol::{Actor, ActorKind, Transport};
use todo::short;

/// An actor and its way in: `codex over MCP`, `you in the window`.
pub(crate) fn who(actor: &Actor) -> String {
    let way = match actor.transport {
        Transport::Window => "in the window",
        Transport::Page => "in the browser",
        Transport::Cli => "in a terminal",
        Transport::Websocket => "over the WebSocket",
        Transport::Mcp => "over MCP",
        Transport::Hook => "by a hook",
        Transport::File => "from a file of its",
        Transport::Builtin => "here",
    };
    let name = match actor.kind {
        ActorKind::Subagent => format!("{} (subagent)", short(&actor.name)),
        ActorKind::Agent | ActorKind::User => short(&actor.name),
    };
    format!("{name} {way}")
}

/// `just now`, `4 minutes ago`
pub(crate) fn ago(seconds: i64) -> String {
    let counted = |number: i64, noun: &str| format!("{number} {noun}{} ago", if number == 1 { "" } else { "s" });
    match seconds {
        s if s < 60 => "just now".to_owned(),
        s if s < 3600 => counted(s / 60, "minute"),
        s if s < 24 * 3600 => counted(s / 3600, "hour"),
        s => counted(s / (24 * 3600), "day"),
    }
}
