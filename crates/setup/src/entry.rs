//! Our server among others' in an agent's file.

use crate::agent::Form;
use crate::look::Registration;
use crate::server::{NAME, Ours, words};
use crate::text::Fault;
use crate::{json, toml};
use serde_json::Value;

const TABLE: toml::Path<'static> = ["mcp_servers", NAME];

/// Where an agent's JSON has our server.
const fn path(form: Form) -> [&'static str; 2] {
    match form {
        Form::Opencode => ["mcp", NAME],
        _ => ["mcpServers", NAME],
    }
}

/// What the text has under our name.
///
/// # Errors
/// A syntax error.
pub(crate) fn look(text: &str, ours: &Ours, form: Form) -> Result<Registration, Fault> {
    let entry = entry(text, form)?;
    if entry.is_null() {
        return Ok(Registration::Absent);
    }
    let own = words(&entry);
    let off = is_off(&entry, form);
    let current: Vec<String> = std::iter::once(ours.command().to_owned()).chain(ours.args()).collect();
    let said = match entry.get("url").or_else(|| entry.get("httpUrl")).and_then(Value::as_str) {
        Some(address) => address.to_owned(),
        None if own.is_empty() => entry.to_string(),
        None => own.join(" "),
    };
    Ok(match () {
        () if off && ours.serves(&own) => Registration::Disabled("`enabled` is false".to_owned()),
        () if own == current => Registration::Ours,
        () if ours.serves(&own) => Registration::Outdated(said),
        () => Registration::Other(said),
    })
}

/// The text with our server. An entry that is there keeps all but what it runs and that it is off, unless it is
/// `foreign`: then it is replaced as a whole.
///
/// # Errors
/// A syntax error, or servers in another form.
pub(crate) fn connect(text: &str, ours: &Ours, form: Form, foreign: bool) -> Result<String, Fault> {
    let mut text = if foreign { disconnect(text, form)? } else { text.to_owned() };
    let there = entry(&text, form)?;
    let off = is_off(&there, form);
    if form == Form::Codex {
        let args: toml_edit::Array = ours.args().into_iter().collect();
        let enabled = off.then(|| ("enabled", true.into()));
        let pairs = [("command", ours.command().into()), ("args", args.into())].into_iter().chain(enabled);
        return toml::put(&text, TABLE, &pairs.collect::<Vec<_>>());
    }
    let [servers, name] = path(form);
    let new = ours.entry();
    if there.is_null() {
        return json::put(&text, &[servers, name], &new);
    }
    text = json::put(&text, &[servers, name, "command"], &new.command)?;
    if let Some(args) = &new.args {
        text = json::put(&text, &[servers, name, "args"], args)?;
    }
    if off { json::put(&text, &[servers, name, "enabled"], &true) } else { Ok(text) }
}

/// The text without the server of our name.
///
/// # Errors
/// A syntax error, or an edit that would change something else.
pub(crate) fn disconnect(text: &str, form: Form) -> Result<String, Fault> {
    if form == Form::Codex { toml::take(text, TABLE) } else { json::take(text, &path(form)) }
}

/// Codex and opencode start no server that is not enabled; the others do not read the word.
fn is_off(entry: &Value, form: Form) -> bool {
    matches!(form, Form::Codex | Form::Opencode) && entry["enabled"] == Value::Bool(false)
}

/// The entry as JSON, whatever the file is written in.
///
/// # Errors
/// A syntax error.
pub(crate) fn entry(text: &str, form: Form) -> Result<Value, Fault> {
    if form != Form::Codex {
        let [servers, name] = path(form);
        return Ok(json::value(text)?[servers][name].clone());
    }
    let document = toml::parse(text)?;
    let Some(item) = toml::get(&document, TABLE) else { return Ok(Value::Null) };
    let text = |key| item.get(key).and_then(toml_edit::Item::as_str);
    let list = |key| item.get(key).and_then(toml_edit::Item::as_array);
    let args =
        |list: &toml_edit::Array| list.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect::<Vec<_>>();
    let enabled = item.get("enabled").and_then(toml_edit::Item::as_bool);
    Ok(serde_json::json!({
        "command": text("command"), "args": list("args").map(args), "url": text("url"), "enabled": enabled
    }))
}
