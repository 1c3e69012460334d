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
    let current: Vec<String> = std::iter::once(ours.command().to_owned()).chain(ours.args()).collect();
    let said = match entry.get("url").or_else(|| entry.get("httpUrl")).and_then(Value::as_str) {
        Some(address) => address.to_owned(),
        None if own.is_empty() => entry.to_string(),
        None => own.join(" "),
    };
    Ok(match () {
        () if own == current => Registration::Ours,
        () if ours.serves(&own) => Registration::Outdated(said),
        () => Registration::Other(said),
    })
}

/// The text with our server. An entry that is there keeps all but what it runs, unless it is `foreign`: then it is
/// replaced as a whole.
///
/// # Errors
/// A syntax error, or servers in another form.
pub(crate) fn connect(text: &str, ours: &Ours, form: Form, foreign: bool) -> Result<String, Fault> {
    let text = if foreign { disconnect(text, form)? } else { text.to_owned() };
    if form == Form::Codex {
        let args: toml_edit::Array = ours.args().into_iter().collect();
        return toml::put(&text, TABLE, &[("command", ours.command().into()), ("args", args.into())]);
    }
    let [servers, name] = path(form);
    let new = ours.entry();
    if entry(&text, form)?.is_null() {
        return json::put(&text, &[servers, name], &new);
    }
    let text = json::put(&text, &[servers, name, "command"], &new.command)?;
    match &new.args {
        Some(args) => json::put(&text, &[servers, name, "args"], args),
        None => Ok(text),
    }
}

/// The text without the server of our name.
///
/// # Errors
/// A syntax error, or an edit that would change something else.
pub(crate) fn disconnect(text: &str, form: Form) -> Result<String, Fault> {
    if form == Form::Codex { toml::take(text, TABLE) } else { json::take(text, &path(form)) }
}

/// The entry as JSON, whatever the file is written in.
fn entry(text: &str, form: Form) -> Result<Value, Fault> {
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
    Ok(serde_json::json!({ "command": text("command"), "args": list("args").map(args), "url": text("url") }))
}
