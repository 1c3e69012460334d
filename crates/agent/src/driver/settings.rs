//! The user's settings as the machine and the models take them.

use super::toolbox::Toolbox;
use crate::fsm::{self, Policy};
use crate::model::{KeyFrom, Kind, Provider};
use protocol::{Archiving, ChatProvider, ProviderKind, Settings, ToolPolicy};
use std::collections::BTreeMap;

/// The machine's settings while no tool is known.
pub(super) fn without_tools(settings: &Settings) -> fsm::Settings {
    with_tools(settings, None)
}

/// The machine's settings with the policies of these tools. A call of a tool that does not exist needs no approval to
/// fail.
pub(super) fn with_tools(settings: &Settings, toolbox: Option<&Toolbox>) -> fsm::Settings {
    fsm::Settings {
        max_steps: settings.chat_steps,
        max_continuations: u8::try_from(settings.chat_continuations).unwrap_or(u8::MAX),
        archiving: match settings.chat_archiving {
            Archiving::WhenCompleted => fsm::Archiving::WhenCompleted,
            Archiving::Always => fsm::Archiving::Always,
            Archiving::Never => fsm::Archiving::Never,
        },
        tools: toolbox.map(|toolbox| policies(settings, toolbox)).unwrap_or_default(),
        other_tools: if toolbox.is_some() { Policy::Auto } else { policy(settings.chat_other_tools) },
    }
}

fn policies(settings: &Settings, toolbox: &Toolbox) -> BTreeMap<String, Policy> {
    toolbox.names().into_iter().map(|tool| (tool.clone(), policy(toolbox.policy(settings, &tool)))).collect()
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
    let environment = Some(given.environment_key.clone()).filter(|origin| !origin.is_empty());
    Provider { name: given.name.clone(), kind, endpoint, key, environment }
}
