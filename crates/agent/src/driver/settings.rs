//! The user's settings as the machine and the models take them.

use super::toolbox::Toolbox;
use crate::fsm::{self, Policy};
use crate::model::{KeyFrom, Kind, Provider};
use protocol::{Archiving, ChatProvider, ProviderKind, Settings, ToolPolicy};

/// The machine's settings while no tool is known.
pub(super) fn without_tools(settings: &Settings) -> fsm::Settings {
    with_tools(settings, None)
}

/// The machine's settings with the policies of these tools. A call of a tool that does not exist needs no approval to
/// fail.
pub(super) fn with_tools(settings: &Settings, toolbox: Option<&Toolbox>) -> fsm::Settings {
    let names = toolbox.map(Toolbox::names).unwrap_or_default();
    fsm::Settings {
        max_steps: settings.chat_steps,
        max_continuations: u8::try_from(settings.chat_continuations).unwrap_or(u8::MAX),
        archiving: match settings.chat_archiving {
            Archiving::WhenCompleted => fsm::Archiving::WhenCompleted,
            Archiving::Always => fsm::Archiving::Always,
            Archiving::Never => fsm::Archiving::Never,
        },
        tools: names.into_iter().map(|name| (name.clone(), policy(policy_of(settings, &name)))).collect(),
        other_tools: if toolbox.is_some() { Policy::Auto } else { policy(settings.chat_other_tools) },
    }
}

/// The policy of a tool.
pub(super) fn policy_of(settings: &Settings, tool: &str) -> ToolPolicy {
    settings.chat_tools.get(tool).copied().unwrap_or(settings.chat_other_tools)
}

fn policy(policy: ToolPolicy) -> Policy {
    match policy {
        ToolPolicy::Auto => Policy::Auto,
        ToolPolicy::Ask => Policy::Ask,
        ToolPolicy::Deny => Policy::Deny,
    }
}

/// A provider of the user's settings.
pub(super) fn provider(given: &ChatProvider) -> Provider {
    let kind = match given.kind {
        ProviderKind::OpenAi => Kind::OpenAi,
        ProviderKind::Anthropic => Kind::Anthropic,
        ProviderKind::Gemini => Kind::Gemini,
        ProviderKind::Ollama => Kind::Ollama,
    };
    let endpoint = Some(given.endpoint.clone()).filter(|endpoint| !endpoint.is_empty());
    let key = if kind == Kind::Ollama { KeyFrom::Nowhere } else { KeyFrom::Usual };
    Provider { name: given.name.clone(), kind, endpoint, key }
}
