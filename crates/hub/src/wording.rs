//! Words about who changed something, and names of sentences of ours that are kept in English.

use protocol::{Actor, ActorKind, AuditDeed, Text, TextRef, Transport, recognised, say};
use todo::short;

/// An actor and its way in: `codex over MCP`, `you in the window`.
pub(crate) fn who(actor: &Actor) -> Text {
    let name: Text = todo::text::plain(&short(&actor.name)).into();
    let name = match actor.kind {
        ActorKind::Subagent => say::who_subagent(name),
        ActorKind::Agent => name,
        ActorKind::User => say::who_you(),
    };
    let with_way = match actor.transport {
        Transport::Window => say::who_window(&name),
        Transport::Page => say::who_page(&name),
        Transport::Cli => say::who_terminal(&name),
        Transport::Websocket => say::who_websocket(&name),
        Transport::Mcp => say::who_mcp(&name),
        Transport::Hook => say::who_hook(&name),
        Transport::File => say::who_file(&name),
        Transport::Builtin => say::who_here(&name),
    };
    with_way.with("name", &name)
}

/// The name of a reason for a session's state, where the words are ours.
pub(crate) fn reason(english: &str) -> Option<TextRef> {
    ["reason_", "run_", "model_", "chat_fault"].iter().find_map(|rows| recognised(english, rows))
}

/// The name of what an edit makes of a step, where it is one status or one place.
pub(crate) fn change(english: &str) -> Option<TextRef> {
    recognised(english, "change_").filter(|text| text.params.values().all(|value| !value.contains([',', ';'])))
}

/// A step and what an edit makes of it.
pub(crate) fn changed(text: String, detail: String) -> Text {
    let Some(named) = change(&detail) else { return format!("{text} ({detail})").into() };
    say::need_change(text, &detail).with("detail", &Text { english: detail, named: Some(named) })
}

/// The name of a deed's subject, where it is a sentence of ours.
pub(crate) fn subject(deed: AuditDeed, english: &str) -> Option<TextRef> {
    let rows = match deed {
        AuditDeed::Settings => {
            let names = english.to_lowercase().replace(", ", ",");
            let params = [("settings".to_owned(), names)].into();
            return Some(TextRef { name: "log_settings".to_owned(), params, texts: [].into() });
        }
        AuditDeed::KeyNew
        | AuditDeed::KeyRevoke
        | AuditDeed::KeyRenew
        | AuditDeed::KeyConfirm
        | AuditDeed::KeyRefuse
        | AuditDeed::KeyWait
        | AuditDeed::Pair => "log_key",
        AuditDeed::Approve | AuditDeed::Deny => {
            return ["log_answer", "log_rule"].iter().find_map(|rows| recognised(english, rows));
        }
        AuditDeed::Rule => "log_rule",
        AuditDeed::Delete => "log_delete",
        AuditDeed::Import => "log_import",
        AuditDeed::Start => "log_start",
        AuditDeed::ProviderKey => "log_provider",
        AuditDeed::Host => "log_host",
        _ => return None,
    };
    let mut found = recognised(english, rows)?;
    if let Some(wanted) = found.params.get("wanted") {
        let name = format!("rights_{wanted}");
        found.texts.insert("wanted".to_owned(), TextRef { name, params: [].into(), texts: [].into() });
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_status_and_one_place_are_known_by_name() {
        let of = |english: &str| change(english).map(|text| (text.name, text.params.into_values().collect::<Vec<_>>()));
        let named = |name: &str, value: &str| Some((name.to_owned(), vec![value.to_owned()]));
        assert_eq!(of("status in_progress"), named("change_status", "in_progress"));
        assert_eq!(of("to 1.2"), named("change_place", "1.2"));
        let need = changed("Fix".to_owned(), "status in_progress".to_owned());
        assert_eq!(need.english, "Fix (status in_progress)");
        assert_eq!(need.named.expect("it is known").texts["detail"].name, "change_status");
        for words in ["status blocked, reason \"to 2\"", "to 2, as a step of its own", "notes \"to 2\"", ""] {
            assert_eq!(of(words), None, "{words}");
        }
    }
}
