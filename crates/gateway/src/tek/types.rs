//! The messages that a client of the older protocol sends, and the treatment of each. One that is not here is of
//! Sightline's own protocol, or of none.

/// The treatment of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Treatment {
    /// Sightline's own protocol has it, too; so it does not tell which of the two its sender speaks.
    Shared,
    /// The same, but its sender expects to hear the answer without having subscribed.
    Chat,
    /// It is answered by a request of Sightline's (`question.rs`).
    Question,
    /// It is answered by the usage of the connection's own chats (`usage.rs`).
    Usage,
    /// There is nothing of the kind here: it is answered by an empty list in this field.
    Empty(&'static str),
    /// It is refused with this code and this message.
    Refused(&'static str, &'static str),
}

use Treatment::{Chat, Empty, Question, Refused, Shared, Usage};

/// The code of what Sightline does not do, where the older protocol has none for it.
const NOT_SUPPORTED: &str = "NOT_SUPPORTED";

const fn unsupported(message: &'static str) -> Treatment {
    Refused(NOT_SUPPORTED, message)
}

const CONTEXT: Treatment = unsupported("Sightline does not show a model's context; chat.get has the conversation");
const LOGS: Treatment = unsupported("Sightline sends no log over a connection; read \"logs\" in its data folder");
const THREADS: Treatment = unsupported("Sightline has no threads; session.list has its sessions");
const SCHEDULES: Treatment = unsupported("Sightline runs nothing by the clock; start the task with chat.send");
const TERMINAL: Treatment = unsupported("Sightline shares no terminal; use the agent's own");
const AGENTS: Treatment =
    unsupported("Sightline has one built-in agent, which cannot be changed here; its settings are in Sightline");
const CLAUDE_CODE: Treatment = Refused(
    "NO_SESSION_MANAGER",
    "Sightline does not start Claude Code; start it yourself, it is shown once it is connected (`sightline connect claude`)",
);

/// The types in the order of the older protocol's own list.
pub(super) const TYPES: [(&str, Treatment); 48] = [
    ("chat.send", Chat),
    ("chat.route.confirm", Refused("NO_PENDING_ROUTING", "Sightline proposes no models; name one in chat.send")),
    (
        "chat.model.switch",
        unsupported("name the model in the next chat.send of the session, as provider:model; it is kept from then on"),
    ),
    ("context.inspect", CONTEXT),
    ("context.dump", CONTEXT),
    ("usage.query", Usage),
    ("session.list", Shared),
    ("tool.approval.response", Shared),
    ("preflight.approval", Shared),
    (
        "soul.evolution.response",
        unsupported("Sightline proposes no changes to an agent; nothing waits for this answer"),
    ),
    ("claude-code.start", CLAUDE_CODE),
    ("claude-code.abort", CLAUDE_CODE),
    ("memory.search", Refused("MEMORY_SEARCH_ERROR", "Sightline keeps no memories; `sightline search` finds steps")),
    ("thread.create", THREADS),
    ("thread.list", Empty("threads")),
    ("thread.update", THREADS),
    ("prompt.set", unsupported("Sightline keeps no prompts; say it in chat.send")),
    ("prompt.list", Empty("prompts")),
    ("workflow.trigger", Refused("WORKFLOW_NOT_FOUND", "Sightline has no workflows; start the task with chat.send")),
    (
        "workflow.approval",
        Refused("NO_PENDING_APPROVAL", "Sightline has no workflows; nothing waits for this approval"),
    ),
    ("workflow.list", Empty("workflows")),
    ("workflow.execution.list", Empty("executions")),
    ("schedule.create", SCHEDULES),
    ("schedule.update", SCHEDULES),
    ("schedule.delete", SCHEDULES),
    ("schedule.list", Empty("schedules")),
    ("heartbeat.configure", SCHEDULES),
    ("terminal.snapshot", TERMINAL),
    ("terminal.control.grant", TERMINAL),
    ("terminal.control.revoke", TERMINAL),
    ("vault.keys.list", Shared),
    ("vault.keys.set", Shared),
    ("vault.keys.delete", Shared),
    ("vault.keys.test", Question),
    ("config.get", Question),
    (
        "config.update",
        Refused("CONFIG_ERROR", "nothing was changed; change the settings in Sightline's window or page"),
    ),
    (
        "ollama.discover",
        unsupported("nothing was looked for; add the address to the providers in Sightline's settings"),
    ),
    ("provider.models.list", Question),
    ("agent.identity.read", AGENTS),
    ("agent.identity.write", AGENTS),
    ("agent.create", AGENTS),
    ("agent.update", AGENTS),
    ("agent.delete", AGENTS),
    ("telegram.users.list", Empty("users")),
    (
        "telegram.users.update",
        Refused("TELEGRAM_ERROR", "Sightline is not connected to Telegram; it has no such users"),
    ),
    ("gateway.logs.subscribe", LOGS),
    ("gateway.logs.unsubscribe", LOGS),
    ("gateway.status", Shared),
];

/// Returns the treatment of a message; `None` for a type that the older protocol does not have.
pub(super) fn treatment(kind: &str) -> Option<Treatment> {
    TYPES.iter().find(|(name, _)| *name == kind).map(|(_, treatment)| *treatment)
}

#[cfg(test)]
mod tests {
    use super::{TYPES, Treatment};
    use protocol::Request;
    use std::collections::HashSet;

    #[test]
    fn a_type_stands_once_and_is_shared_where_sightline_has_a_request_of_that_name() {
        let names: HashSet<&str> = TYPES.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), TYPES.len());
        for (name, treatment) in TYPES {
            let is_ours = matches!(treatment, Treatment::Shared | Treatment::Chat);
            assert_eq!(is_ours, Request::TYPES.contains(&name), "{name}");
        }
    }
}
