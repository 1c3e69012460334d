//! The switch of an agent's own todo tool: offered, never turned on along with connecting.

use crate::agent::Agent;
use crate::error::{Error, Result};
use crate::look::OwnList;
use crate::machine::{Machine, Scope};
use crate::plan::{Place, Plan};
use crate::source::Source;
use crate::text::Fault;
use crate::{json, toml};
use serde_json::{Value, json};

enum Switch {
    Json(&'static [&'static str], Value),
    Toml(toml::Path<'static>, &'static str),
}

/// Claude Code since 2.1.233, Codex since 0.152, Qwen Code since 0.24 at the latest. Gemini CLI and opencode have none.
fn switch(agent: Agent) -> Option<Switch> {
    match agent {
        Agent::Claude => Some(Switch::Json(&["env", "CLAUDE_CODE_ENABLE_TODO_TOOLS"], json!("1"))),
        Agent::Codex => Some(Switch::Toml(["tools", "update_plan"], "enabled")),
        Agent::Qwen => Some(Switch::Json(&["tools", "todoWrite", "enabled"], json!(true))),
        Agent::Gemini | Agent::Opencode => None,
    }
}

/// Turns the agent's own todo tool on, so that lists written with it can be shown, too.
///
/// # Errors
/// [`Error::NoSwitch`], and what keeps a file from being edited.
pub fn turn_own_list_on(machine: &Machine, agent: Agent, scope: &Scope) -> Result<Plan> {
    turn(machine, agent, scope, |source, switch| {
        let edited = on(source.body(), switch).map_err(|fault| fault.at(&source.path))?;
        Ok(source.with(&edited))
    })
}

/// Takes out what [`turn_own_list_on`] put in.
///
/// # Errors
/// As there.
pub fn turn_own_list_off(machine: &Machine, agent: Agent, scope: &Scope) -> Result<Plan> {
    turn(machine, agent, scope, |source, switch| source.undone(|text| on(text, switch), |text| off(text, switch)))
}

fn turn(
    machine: &Machine,
    agent: Agent,
    scope: &Scope,
    edit: impl Fn(&Source, &Switch) -> Result<Option<String>>,
) -> Result<Plan> {
    let no_switch = || Error::NoSwitch { agent: agent.title() };
    let files = machine.files(agent, scope);
    let (switch, path) = switch(agent).zip(files.own_list).ok_or_else(no_switch)?;
    let source = Source::read(&path)?;
    let after = edit(&source, &switch)?;
    let mut plan = Plan::default();
    plan.edit(source, after, &Place { private: *scope == Scope::User, folder: files.folder })?;
    Ok(plan)
}

/// Whether it is on.
///
/// # Errors
/// What keeps the file from being read.
pub(crate) fn look(machine: &Machine, agent: Agent, scope: &Scope) -> Result<OwnList> {
    let Some((switch, path)) = switch(agent).zip(machine.files(agent, scope).own_list) else {
        return Ok(OwnList::Unknown);
    };
    let source = Source::read(&path)?;
    let is_on = is_on(source.body(), &switch).map_err(|fault| fault.at(&path))?;
    Ok(match (is_on, agent) {
        (true, _) => OwnList::On,
        // By the model.
        (false, Agent::Claude) => OwnList::Unknown,
        (false, _) => OwnList::Off,
    })
}

fn is_on(text: &str, switch: &Switch) -> Result<bool, Fault> {
    match switch {
        Switch::Json(path, on) => Ok(path.iter().fold(&json::value(text)?, |value, step| &value[step]) == on),
        Switch::Toml(path, key) => {
            let document = toml::parse(text)?;
            Ok(toml::get(&document, *path).and_then(|table| table.get(key)).and_then(toml_edit::Item::as_bool)
                == Some(true))
        }
    }
}

fn on(text: &str, switch: &Switch) -> Result<String, Fault> {
    match switch {
        Switch::Json(path, on) => json::put(text, path, on),
        Switch::Toml(path, key) => toml::put(text, *path, &[(key, true.into())]),
    }
}

fn off(text: &str, switch: &Switch) -> Result<String, Fault> {
    match switch {
        _ if !is_on(text, switch)? => Ok(text.to_owned()),
        Switch::Json(path, _) => json::take(text, path),
        Switch::Toml(path, key) => toml::take_key(text, *path, key),
    }
}
