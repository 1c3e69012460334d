//! Our hooks among others' in a JSON file; [`Hooks`] says its form.

use crate::json;
use crate::server::Ours;
use crate::status::Registration;
use crate::text::Fault;
use agents::Hooks;
use serde_json::Value;

/// The position of one of our hooks: its event, its group's and its own number.
type Position = (String, usize, usize);

/// The text with one of our hooks at each event. One that is there keeps all but its command and shell.
///
/// # Errors
/// A syntax error, or hooks in another form.
pub(crate) fn connect(text: &str, ours: &Ours, hooks: &Hooks) -> Result<String, Fault> {
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

/// The text without our hooks, at whatever event they are.
///
/// # Errors
/// A syntax error.
pub(crate) fn disconnect(text: &str, ours: &Ours) -> Result<String, Fault> {
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

/// The state of our hooks: present at all events, and as they are to be.
pub(crate) fn look(value: &Value, ours: &Ours, hooks: &Hooks) -> Registration {
    let positions = positions(value, ours);
    let command = |(event, group, hook): &Position| value["hooks"][event][group]["hooks"][hook]["command"].as_str();
    let stale = positions.iter().filter_map(command).find(|command| *command != ours.hook_command());
    let missing = hooks.events.iter().find(|event| !positions.iter().any(|(own, ..)| own == event.name));
    match (positions.is_empty(), stale, missing) {
        (true, ..) => Registration::Absent,
        (false, Some(command), _) => Registration::Outdated(command.to_owned()),
        (false, None, Some(event)) => Registration::Outdated(format!("no hook at {}", event.name)),
        (false, None, None) => Registration::Ours,
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
