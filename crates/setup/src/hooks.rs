//! Our hooks among others' in an agent's file; [`HooksForm`] says in which form.

use crate::server::Ours;
use crate::status::Registration;
use crate::text::Fault;
use crate::{json, toml};
use agents::{HookTables, Hooks, HooksForm, SERVER};
use serde_json::Value;
use toml_edit::{Item, TableLike};

/// The list of hooks in TOML.
const TABLES: &str = "hooks";

/// One of our hooks in JSON: its event, its group's and its own number.
type Position = (String, usize, usize);

/// The text with one of our hooks at each event. One that is there keeps all but its command and shell.
///
/// # Errors
/// A syntax error, or hooks in another form.
pub(crate) fn connect(text: &str, ours: &Ours, hooks: &Hooks) -> Result<String, Fault> {
    match hooks.form {
        HooksForm::Groups => connect_groups(text, ours, hooks),
        HooksForm::Tables(form) => connect_tables(text, ours, hooks, form),
        HooksForm::Files => Ok(text.to_owned()),
    }
}

/// The text without our hooks, at whatever event they are.
///
/// # Errors
/// A syntax error.
pub(crate) fn disconnect(text: &str, ours: &Ours, hooks: &Hooks) -> Result<String, Fault> {
    match hooks.form {
        HooksForm::Groups => disconnect_groups(text, ours),
        HooksForm::Tables(_) => toml::list::take(text, TABLES, &|table| is_ours(table, ours)),
        HooksForm::Files => Ok(text.to_owned()),
    }
}

/// The state of our hooks: present at all events, and as they are to be.
///
/// # Errors
/// A syntax error.
pub(crate) fn look(text: &str, ours: &Ours, hooks: &Hooks) -> Result<Registration, Fault> {
    let registered = registered(text, ours, hooks)?;
    let stale = registered.iter().map(|(_, command)| command).find(|command| **command != ours.hook_command());
    let missing = hooks.events.iter().find(|event| !registered.iter().any(|(own, _)| own == event.name));
    Ok(match (registered.is_empty(), stale, missing) {
        (true, ..) => Registration::Absent,
        (false, Some(command), _) => Registration::Outdated(command.clone()),
        (false, None, Some(event)) => Registration::Outdated(format!("no hook at {}", event.name)),
        (false, None, None) => Registration::Ours,
    })
}

/// The events that have a hook of ours, with its command.
fn registered(text: &str, ours: &Ours, hooks: &Hooks) -> Result<Vec<(String, String)>, Fault> {
    Ok(match hooks.form {
        HooksForm::Groups => {
            let value = json::value(text)?;
            let command = |(event, group, hook): Position| {
                let command = value["hooks"][&event][group]["hooks"][hook]["command"].as_str()?.to_owned();
                Some((event, command))
            };
            positions(&value, ours).into_iter().filter_map(command).collect()
        }
        HooksForm::Tables(form) => {
            let document = toml::parse(text)?;
            let tables = toml::list::entries(&document, TABLES).into_iter().filter(|table| is_ours(*table, ours));
            tables.filter_map(|table| Some((member(table, form.event)?, member(table, "command")?))).collect()
        }
        HooksForm::Files => Vec::new(),
    })
}

fn connect_groups(text: &str, ours: &Ours, hooks: &Hooks) -> Result<String, Fault> {
    let mut edited = text.to_owned();
    let positions = positions(&json::value(text)?, ours);
    for (event, group, hook) in &positions {
        let (group, hook) = (group.to_string(), hook.to_string());
        let member = |name| ["hooks", event, &group, "hooks", &hook, name];
        edited = json::put(&edited, &member("command"), &ours.hook_command())?;
        if let Some(shell) = ours.hook_shell(hooks) {
            edited = json::put(&edited, &member("shell"), &shell)?;
        }
    }
    for event in hooks.events.iter().filter(|event| !positions.iter().any(|(own, ..)| own == event.name)) {
        edited = json::push(&edited, &["hooks", event.name], &ours.group(hooks, event))?;
    }
    Ok(edited)
}

fn disconnect_groups(text: &str, ours: &Ours) -> Result<String, Fault> {
    let mut edited = text.to_owned();
    loop {
        let value = json::value(&edited)?;
        let Some((event, group, hook)) = positions(&value, ours).pop() else { return Ok(edited) };
        let alone = value["hooks"][&event][group]["hooks"].as_array().is_some_and(|hooks| hooks.len() == 1);
        edited = if alone {
            json::take_from(&edited, &["hooks", &event], group)?
        } else {
            json::take_from(&edited, &["hooks", &event, &group.to_string(), "hooks"], hook)?
        };
    }
}

fn positions(value: &Value, ours: &Ours) -> Vec<Position> {
    let mut positions = Vec::new();
    for (event, groups) in value["hooks"].as_object().into_iter().flatten() {
        for (at, group) in groups.as_array().into_iter().flatten().enumerate() {
            for (number, hook) in group["hooks"].as_array().into_iter().flatten().enumerate() {
                if hook["command"].as_str().is_some_and(|command| ours.hears(command)) {
                    positions.push((event.clone(), at, number));
                }
            }
        }
    }
    positions
}

fn connect_tables(text: &str, ours: &Ours, hooks: &Hooks, form: HookTables) -> Result<String, Fault> {
    let mut edited = text.to_owned();
    for event in hooks.events {
        let is_at_event = |table: &dyn TableLike| {
            is_ours(table, ours) && member(table, form.event).is_some_and(|own| own == event.name)
        };
        let is_there = toml::list::entries(&toml::parse(&edited)?, TABLES).into_iter().any(is_at_event);
        let command = ("command", ours.hook_command().into());
        let timeout = ("timeout", i64::from(event.timeout.unwrap_or(hooks.timeout)).into());
        let matcher = event.matcher.map(|matcher| (form.matcher, matcher.into()));
        let name = form.named.then(|| ("name", format!("{SERVER}-{}", event.name).into()));
        let pairs: Vec<toml::Pair<'_>> = match is_there {
            true => vec![command],
            false => {
                let event = (form.event, event.name.into());
                name.into_iter().chain([event]).chain(matcher).chain([command, timeout]).collect()
            }
        };
        edited = toml::list::put(&edited, TABLES, &is_at_event, &pairs)?;
    }
    Ok(edited)
}

fn is_ours(table: &dyn TableLike, ours: &Ours) -> bool {
    member(table, "command").is_some_and(|command| ours.hears(&command))
}

fn member(table: &dyn TableLike, name: &str) -> Option<String> {
    table.get(name).and_then(Item::as_str).map(str::to_owned)
}
