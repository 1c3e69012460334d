//! Settings of the built-in agent, and their limits.

use crate::proof::of_hex;
use crate::request::settings::{Settings, invalid};
use crate::{Result, say};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// Policies for the calls of a tool.
// requirement G3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ToolPolicy {
    /// It is called without asking.
    Auto,
    /// The user is asked before.
    #[default]
    Ask,
    /// It is not called.
    Deny,
}

/// Moments at which a new prompt puts the list into the history.
// requirements P1, G4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Archiving {
    /// When nothing in it is open.
    #[default]
    WhenCompleted,
    /// At each prompt.
    Always,
    /// Never; only the user archives it.
    Never,
}

/// Protocols of model providers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProviderKind {
    /// OpenAI's chat completions, which most servers understand.
    #[default]
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Gemini's own.
    Gemini,
    /// Ollama's own.
    Ollama,
}

/// A model provider that the user added, beside `openai`, `anthropic`, `gemini` and `ollama`. With one of those names
/// it changes that provider's address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatProvider {
    /// Name: 1 to 32 letters, digits and hyphens, beginning with a letter.
    pub name: String,
    /// The protocol that it understands.
    pub kind: ProviderKind,
    /// Base address: `http://127.0.0.1:1234/v1/`.
    pub endpoint: String,
    /// Origin to which the environment's key of this name may be sent, such as `https://api.example.com`. Left out, it is
    /// sent to the known provider's own address only.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[ts(optional, as = "Option<String>")]
    pub environment_key: String,
}

/// An MCP server with tools for the built-in agent: a command or an address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(default)]
pub struct ChatServer {
    /// Name: 1 to 32 letters, digits and hyphens, beginning with a letter.
    pub name: String,
    /// Program and arguments; empty where there is a `url`.
    pub command: Vec<String>,
    /// Variables added to the gateway's environment. `${NAME}` in a value stands for the gateway's own variable, so
    /// that no secret is written down here.
    pub env: BTreeMap<String, String>,
    /// Folder that it starts in; the session's when empty.
    pub folder: String,
    /// Address: `http://127.0.0.1:8080/mcp`; empty where there is a `command`.
    pub url: String,
    /// Headers of each request; `${NAME}` as in `env`.
    pub headers: BTreeMap<String, String>,
    /// The server is not used.
    pub disabled: bool,
    /// The server, a command, writes to its folder and a temporary one only, and sees neither Sightline's data nor the
    /// user's secrets. It is not started where the system cannot do that: Linux with bubblewrap can.
    pub confined: bool,
}

/// Providers and servers that can be configured.
const CONFIGURED: usize = 50;

/// Policies of tools by name.
const POLICIES: usize = 1_000;

/// Characters of a command, an address or a value of the built-in agent's configuration.
const CHARACTERS: usize = 2_000;

/// Checks the settings of the built-in agent; the error is the first problem.
pub(in crate::request) fn check(settings: &Settings) -> Result<()> {
    let (providers, servers) = (&settings.chat_providers, &settings.chat_servers);
    for (what, names) in [
        ("chatProviders", providers.iter().map(|one| &one.name).collect::<Vec<_>>()),
        ("chatServers", servers.iter().map(|one| &one.name).collect()),
    ] {
        if names.len() > CONFIGURED {
            return Err(invalid(say::setting_at_most(what, CONFIGURED)));
        }
        for (at, name) in names.iter().enumerate() {
            if !is_name(name) {
                return Err(invalid(say::setting_name(what)));
            }
            if names.iter().take(at).any(|other| other == name) {
                return Err(invalid(say::setting_name_twice(what, name)));
            }
        }
    }
    for server in servers {
        if server.command.is_empty() == server.url.is_empty() {
            return Err(invalid(say::setting_server(&server.name)));
        }
        if server.confined && server.command.is_empty() {
            return Err(invalid(say::setting_confined(&server.name)));
        }
    }
    let origins = providers.iter().map(|one| &one.environment_key);
    let addresses =
        origins.clone().chain(providers.iter().map(|one| &one.endpoint)).chain(servers.iter().map(|one| &one.url));
    for address in addresses.filter(|address| !address.is_empty()) {
        if !address.starts_with("http://") && !address.starts_with("https://") {
            return Err(invalid(say::setting_address(todo::short(address))));
        }
    }
    let words = servers.iter().flat_map(|one| {
        let values = one.env.iter().chain(&one.headers).flat_map(|(name, value)| [name, value]);
        one.command.iter().chain([&one.folder]).chain(values)
    });
    let words =
        words.chain(providers.iter().map(|one| &one.endpoint)).chain(servers.iter().map(|one| &one.url)).chain(origins);
    for text in
        words.chain([&settings.chat_model]).chain(settings.chat_tools.keys()).chain(settings.chat_tool_digests.keys())
    {
        if text.chars().count() > CHARACTERS || text.chars().any(char::is_control) {
            return Err(invalid(say::setting_chat_line(CHARACTERS)));
        }
    }
    for (what, tools) in
        [("chatTools", settings.chat_tools.len()), ("chatToolDigests", settings.chat_tool_digests.len())]
    {
        if tools > POLICIES {
            return Err(invalid(
                say::setting_at_most(what, POLICIES).in_english(format!("\"{what}\" takes at most {POLICIES} tools")),
            ));
        }
    }
    if settings.chat_tool_digests.values().any(|digest| of_hex(digest).is_none()) {
        return Err(invalid("a value of \"chatToolDigests\" is a tool's \"digest\" in chat.tools.result"));
    }
    if !settings.chat_model.is_empty() && !settings.chat_model.contains(':') {
        return Err(invalid(say::setting_model()));
    }
    if !(1..=1_000).contains(&settings.chat_steps) {
        return Err(invalid(say::setting_range("chatSteps", 1, 1000)));
    }
    if settings.chat_continuations > 20 {
        return Err(invalid(
            say::setting_range("chatContinuations", 0, 20)
                .in_english("\"chatContinuations\" must be 0, for none, to 20"),
        ));
    }
    if !(10..=86_400).contains(&settings.chat_approval_seconds) {
        return Err(invalid(say::setting_range("chatApprovalSeconds", 10, 86400)));
    }
    Ok(())
}

fn is_name(name: &str) -> bool {
    name.len() <= 32
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|one| one.is_ascii_alphanumeric() || one == '-')
}
