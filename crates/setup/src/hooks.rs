//! Our hooks among others' in an agent's file; [`HooksForm`] says in which form.

use crate::server::Ours;
use crate::status::Registration;
use crate::text::Fault;
use crate::{json, toml};
use agents::{HookEvent, HookTables, Hooks, HooksForm, SERVER};
use serde_json::Value;
use texts::all as say;
use toml_edit::{Item, TableLike};

/// The list of hooks in TOML.
const TABLES: &str = "hooks";

/// One of our hooks in JSON: its event, its group's and its own number.
type Position = (String, usize, usize);

/// The text with one of our hooks at each event. One that is there keeps all but its command and shell, and its time limit
/// where it waits for an answer or did so.
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
        HooksForm::Groups => disconnect_groups(text, ours, None),
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
    if registered.is_empty() {
        return Ok(Registration::Absent);
    }
    let events = ours.events(hooks);
    let stale = registered.iter().find(|hook| hook.command != ours.hook_command_at(&hook.event));
    let missing = events.iter().find(|event| !registered.iter().any(|hook| hook.event == event.name));
    let limited = registered.iter().find(|hook| is_limited(hook, &events, ours));
    Ok(match (stale, missing, limited) {
        (Some(hook), ..) => Registration::Outdated(hook.command.clone().into()),
        (None, Some(event), _) => Registration::Outdated(say::hook_missing(event.name)),
        (None, None, Some(hook)) => Registration::Outdated(say::hook_limit(&hook.event)),
        (None, None, None) => Registration::Ours,
    })
}

/// Returns whether a hook that waits for an answer has another time limit than goes with it.
fn is_limited(hook: &OurHook, events: &[HookEvent], ours: &Ours) -> bool {
    let event = events.iter().find(|event| event.name == hook.event);
    ours.answers_in(&hook.command).is_some()
        && event.is_some_and(|event| event.timeout.is_some_and(|limit| hook.timeout != Some(limit.into())))
}

/// The seconds for which the agent waits for an answer. `None` where it asks by itself.
///
/// # Errors
/// A syntax error.
pub(crate) fn answers(text: &str, ours: &Ours, hooks: &Hooks) -> Result<Option<u32>, Fault> {
    let registered = registered(text, ours, hooks)?;
    let mut asking = registered.iter().filter(|hook| Some(hook.event.as_str()) == ours.asks_at());
    Ok(asking.find_map(|hook| ours.answers_in(&hook.command)))
}

/// One of our hooks.
struct OurHook {
    event: String,
    command: String,
    timeout: Option<i64>,
}

/// Our hooks.
fn registered(text: &str, ours: &Ours, hooks: &Hooks) -> Result<Vec<OurHook>, Fault> {
    Ok(match hooks.form {
        HooksForm::Groups => {
            let value = json::value(text)?;
            let hook = |(event, group, hook): Position| {
                let hook = &value["hooks"][&event][group]["hooks"][hook];
                let command = hook["command"].as_str()?.to_owned();
                Some(OurHook { event, command, timeout: hook["timeout"].as_i64() })
            };
            positions(&value, ours).into_iter().filter_map(hook).collect()
        }
        HooksForm::Tables(form) => {
            let document = toml::parse(text)?;
            let tables = toml::list::entries(&document, TABLES).into_iter().filter(|table| is_ours(*table, ours));
            let hook = |table: &dyn TableLike| {
                let timeout = table.get("timeout").and_then(Item::as_integer);
                Some(OurHook { event: member(table, form.event)?, command: member(table, "command")?, timeout })
            };
            tables.filter_map(hook).collect()
        }
        HooksForm::Files => Vec::new(),
    })
}

fn connect_groups(text: &str, ours: &Ours, hooks: &Hooks) -> Result<String, Fault> {
    let events = ours.events(hooks);
    // It is not heard but where the user has answers given here.
    let unwanted = ours.asks_at().filter(|asks| !events.iter().any(|event| event.name == *asks));
    let mut edited = match unwanted {
        Some(_) => disconnect_groups(text, ours, unwanted)?,
        None => text.to_owned(),
    };
    let value = json::value(&edited)?;
    let positions = positions(&value, ours);
    for (event, group, hook) in &positions {
        let now = value["hooks"][event][group]["hooks"][hook]["command"].as_str().unwrap_or_default();
        let (group, hook) = (group.to_string(), hook.to_string());
        let member = |name| ["hooks", event, &group, "hooks", &hook, name];
        let command = ours.hook_command_at(event);
        if [now, &command].iter().any(|command| ours.answers_in(command).is_some()) {
            let limit = events.iter().find(|known| known.name == event).and_then(|event| event.timeout);
            edited = json::put(&edited, &member("timeout"), &limit.unwrap_or(hooks.timeout))?;
        }
        edited = json::put(&edited, &member("command"), &command)?;
        if let Some(shell) = ours.hook_shell(hooks) {
            edited = json::put(&edited, &member("shell"), &shell)?;
        }
    }
    for event in events.iter().filter(|event| !positions.iter().any(|(own, ..)| own == event.name)) {
        edited = json::push(&edited, &["hooks", event.name], &ours.group(hooks, event))?;
    }
    Ok(edited)
}

/// The text without our hooks, or without those at one event.
fn disconnect_groups(text: &str, ours: &Ours, only: Option<&str>) -> Result<String, Fault> {
    let mut edited = text.to_owned();
    loop {
        let value = json::value(&edited)?;
        let mut taken = positions(&value, ours);
        taken.retain(|(event, ..)| only.is_none_or(|only| event == only));
        let Some((event, group, hook)) = taken.pop() else { return Ok(edited) };
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
    for event in &ours.events(hooks) {
        let is_at_event = |table: &dyn TableLike| {
            is_ours(table, ours) && member(table, form.event).is_some_and(|own| own == event.name)
        };
        let is_there = toml::list::entries(&toml::parse(&edited)?, TABLES).into_iter().any(is_at_event);
        let command = ("command", ours.hook_command_at(event.name).into());
        let timeout = ("timeout", i64::from(event.timeout.unwrap_or(hooks.timeout)).into());
        let matcher: Option<toml::Pair<'_>> = event.matcher.map(|matcher| (form.matcher, matcher.into()));
        let name = form.named.then(|| ("name", format!("{SERVER}-{}", event.name).into()));
        let pairs: Vec<toml::Pair<'_>> = match is_there {
            // With answers it hears of every call.
            true if Some(event.name) == ours.asks_at() => matcher.into_iter().chain([command, timeout]).collect(),
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
