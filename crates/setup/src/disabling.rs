//! Switches outside of our entries that keep an agent from starting our server, or from running our hooks.

use crate::configuration::Configuration;
use crate::json;
use crate::source::Source;
use crate::text::Fault;
use agents::{Disables, DisablingSwitch, DisablingSwitchKind, NameMatch, SERVER};
use serde_json::{Value, json};
use std::path::PathBuf;
use texts::{Text, all as say};

/// The switches of a configuration, with their files.
pub(crate) fn switches(configuration: &Configuration<'_>) -> Vec<(PathBuf, DisablingSwitch)> {
    configuration.agent.disabling_switches(configuration.environment, configuration.scope)
}

/// The switch that keeps a part of ours from running, in the user's words. `None` also where its file cannot be read.
pub(crate) fn look(configuration: &Configuration<'_>, part: Disables) -> Option<Text> {
    let mut switches = switches(configuration).into_iter().filter(|(_, switch)| switch.disables == part);
    switches.find_map(|(path, switch)| {
        let source = Source::read(&path).ok()?;
        let off = off(&switch, source.body()).ok()??;
        Some(say::switch_in(&off, path.display()).with("switch", &off))
    })
}

/// The words of a switch that turns ours off.
///
/// # Errors
/// A syntax error.
pub(crate) fn off(switch: &DisablingSwitch, text: &str) -> Result<Option<Text>, Fault> {
    let value = json::value(text)?;
    let value = json::at(&value, switch.path);
    let name = switch.path.join(".");
    let named = |how| {
        let mut names = value.as_array().into_iter().flatten().filter_map(Value::as_str);
        names.find(move |name| is_ours(how, name))
    };
    Ok(match switch.kind {
        DisablingSwitchKind::Excluded(how) => named(how).map(|own| say::switch_has(&name, own)),
        DisablingSwitchKind::Allowed(how) if value.is_array() && named(how).is_none() => {
            Some(say::switch_lacks(&name, SERVER))
        }
        DisablingSwitchKind::Enabled if *value == json!(false) => Some(say::switch_is(&name, "false")),
        DisablingSwitchKind::Disabled if *value == json!(true) => Some(say::switch_is(&name, "true")),
        _ => None,
    })
}

/// The text that lets ours run. A pattern that means others, too, stays: its meaning is for the user to say.
///
/// # Errors
/// A syntax error, or an edit that would change something else.
pub(crate) fn mend(switch: &DisablingSwitch, text: &str) -> Result<String, Fault> {
    let mut text = text.to_owned();
    if off(switch, &text)?.is_none() {
        return Ok(text);
    }
    match switch.kind {
        DisablingSwitchKind::Excluded(how) => loop {
            let value = json::value(&text)?;
            let list = json::at(&value, switch.path);
            let plain = |name: &Value| {
                name.as_str().is_some_and(|name| is_ours(NameMatch::AnyCase, name) && is_ours(how, name))
            };
            match list.as_array().and_then(|list| list.iter().position(plain)) {
                Some(at) => text = json::take_from(&text, switch.path, at)?,
                None => return Ok(text),
            }
        },
        DisablingSwitchKind::Allowed(_) => json::push(&text, switch.path, &SERVER),
        DisablingSwitchKind::Enabled => json::put(&text, switch.path, &true),
        DisablingSwitchKind::Disabled => json::put(&text, switch.path, &false),
    }
}

/// Returns whether a name in a list means our server.
fn is_ours(how: NameMatch, name: &str) -> bool {
    match how {
        NameMatch::Exact => name == SERVER,
        NameMatch::AnyCase => name.trim().eq_ignore_ascii_case(SERVER),
        NameMatch::Pattern => matches(name.as_bytes(), SERVER.as_bytes()),
    }
}

/// Returns whether a name fits a pattern with `*` (any characters) and `?` (any one).
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) if matches(rest, name) => true,
        (Some((b'*', _)), Some((_, name))) => matches(pattern, name),
        (Some((own, pattern)), Some((other, name))) => (own == other || *own == b'?') && matches(pattern, name),
        _ => false,
    }
}
