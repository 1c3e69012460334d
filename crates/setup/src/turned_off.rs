//! Switches outside of our entry that keep an agent from starting our server, or from running our hooks.
//!
//! Gemini CLI leaves out what `mcp.excluded` names, what `mcp.allowed` does not name, and what `gemini mcp disable` put
//! into a file of its own; it compares names without case. Qwen Code has the same two lists, with `*` and `?` in their
//! names. Claude Code leaves servers of a project's `.mcp.json` out by name.

use crate::agent::Agent;
use crate::json;
use crate::machine::{Machine, Scope};
use crate::server::NAME;
use crate::source::Source;
use crate::text::Fault;
use serde_json::{Value, json};
use std::path::PathBuf;

/// What a switch turns off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Server,
    Hooks,
}

/// One such switch: where it is in its JSON file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Switch {
    pub(crate) what: What,
    path: &'static [&'static str],
    kind: Kind,
    same: Same,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    /// A list of those that are left out.
    Excluded,
    /// A list of the only ones that are let in, where there is one.
    Allowed,
    /// `false` turns it off.
    Enabled,
}

/// When a name in a list means ours.
type Same = fn(&str) -> bool;

const EXACT: Same = |name| name == NAME;
const ANY_CASE: Same = |name| name.trim().eq_ignore_ascii_case(NAME);
const PATTERN: Same = |name| matches(name.as_bytes(), NAME.as_bytes());

/// The switches of an agent, with their files.
pub(crate) fn switches(machine: &Machine, agent: Agent, scope: &Scope) -> Vec<(PathBuf, Switch)> {
    let file = machine.files(agent, scope).server;
    let server = |path, kind, same| Switch { what: What::Server, path, kind, same };
    match (agent, scope) {
        (Agent::Gemini, _) => vec![
            (file.clone(), server(&["mcp", "excluded"], Kind::Excluded, ANY_CASE)),
            (file.clone(), server(&["mcp", "allowed"], Kind::Allowed, ANY_CASE)),
            (file, Switch { what: What::Hooks, path: &["hooksConfig", "disabled"], kind: Kind::Excluded, same: EXACT }),
            (machine.gemini_enablement(), server(&[NAME, "enabled"], Kind::Enabled, EXACT)),
        ],
        (Agent::Qwen, _) => vec![
            (file.clone(), server(&["mcp", "excluded"], Kind::Excluded, PATTERN)),
            (file.clone(), server(&["mcp", "allowed"], Kind::Allowed, PATTERN)),
            // As it was called once; Qwen Code takes it over when it starts.
            (file.clone(), server(&["excludeMCPServers"], Kind::Excluded, PATTERN)),
            (file, server(&["allowMCPServers"], Kind::Allowed, PATTERN)),
        ],
        (Agent::Claude, Scope::Project(folder)) => ["settings.json", "settings.local.json"]
            .map(|name| (folder.join(".claude").join(name), server(&["disabledMcpjsonServers"], Kind::Excluded, EXACT)))
            .to_vec(),
        _ => Vec::new(),
    }
}

/// What keeps ours from running, in the user's words; none where nothing does, or the file cannot be read.
pub(crate) fn look(machine: &Machine, agent: Agent, scope: &Scope, what: What) -> Option<String> {
    let mut of_it = switches(machine, agent, scope).into_iter().filter(|(_, switch)| switch.what == what);
    of_it.find_map(|(path, switch)| {
        let source = Source::read(&path).ok()?;
        Some(format!("{} in {}", switch.off(source.body()).ok()??, path.display()))
    })
}

impl Switch {
    /// What it says where it turns ours off.
    ///
    /// # Errors
    /// A syntax error.
    pub(crate) fn off(&self, text: &str) -> Result<Option<String>, Fault> {
        let value = json::value(text)?;
        let value = self.path.iter().fold(&value, |value, step| &value[step]);
        let name = self.path.join(".");
        let named = || value.as_array().into_iter().flatten().filter_map(Value::as_str).find(|name| (self.same)(name));
        Ok(match self.kind {
            Kind::Excluded => named().map(|own| format!("`{name}` has \"{own}\"")),
            Kind::Allowed if value.is_array() && named().is_none() => Some(format!("`{name}` lacks \"{NAME}\"")),
            Kind::Enabled if *value == json!(false) => Some(format!("`{name}` is false")),
            Kind::Allowed | Kind::Enabled => None,
        })
    }

    /// The text that lets ours run. A pattern that means others, too, stays: what it is to mean is the user's to say.
    ///
    /// # Errors
    /// A syntax error, or an edit that would change something else.
    pub(crate) fn mend(&self, text: &str) -> Result<String, Fault> {
        let mut text = text.to_owned();
        if self.off(&text)?.is_none() {
            return Ok(text);
        }
        match self.kind {
            Kind::Excluded => loop {
                let value = json::value(&text)?;
                let list = self.path.iter().fold(&value, |value, step| &value[step]);
                let plain = |name: &Value| name.as_str().is_some_and(|name| ANY_CASE(name) && (self.same)(name));
                match list.as_array().and_then(|list| list.iter().position(plain)) {
                    Some(at) => text = json::take_from(&text, self.path, at)?,
                    None => return Ok(text),
                }
            },
            Kind::Allowed => json::push(&text, self.path, &NAME),
            Kind::Enabled => json::put(&text, self.path, &true),
        }
    }
}

/// Whether a name fits a pattern with `*` (any characters) and `?` (any one).
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) if matches(rest, name) => true,
        (Some((b'*', _)), Some((_, name))) => matches(pattern, name),
        (Some((own, pattern)), Some((other, name))) => (own == other || *own == b'?') && matches(pattern, name),
        _ => false,
    }
}
