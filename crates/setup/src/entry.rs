//! Our server among others' in an agent's file.

use crate::server::{Ours, words};
use crate::status::Registration;
use crate::text::Fault;
use crate::{json, toml};
use agents::{SERVER, ServerForm, Syntax};
use serde_json::Value;

/// The state of the server under our name.
///
/// # Errors
/// A syntax error.
pub(crate) fn look(text: &str, ours: &Ours, form: ServerForm) -> Result<Registration, Fault> {
    let entry = read(text, form)?;
    if entry.is_null() {
        return Ok(Registration::Absent);
    }
    let own = words(&entry);
    let off = is_off(&entry, form);
    let current: Vec<String> = std::iter::once(ours.command().to_owned()).chain(ours.args()).collect();
    let runs = match entry.get("url").or_else(|| entry.get("httpUrl")).and_then(Value::as_str) {
        Some(address) => address.to_owned(),
        None if own.is_empty() => entry.to_string(),
        None => own.join(" "),
    };
    Ok(match () {
        () if off && ours.serves(&own) => Registration::Disabled("`enabled` is false".to_owned()),
        () if own == current => Registration::Ours,
        () if ours.serves(&own) => Registration::Outdated(runs),
        () => Registration::Other(runs),
    })
}

/// The text with our server. An entry that exists keeps everything but the program that it runs and that it is off,
/// unless it is `foreign`: then it is replaced as a whole.
///
/// # Errors
/// A syntax error, or servers in another form.
pub(crate) fn connect(text: &str, ours: &Ours, form: ServerForm, foreign: bool) -> Result<String, Fault> {
    let text = if foreign { disconnect(text, form)? } else { text.to_owned() };
    let old = read(&text, form)?;
    let new = ours.entry(form);
    let path @ [servers, name] = server_path(form);
    if old.is_null() && form.syntax == Syntax::Json {
        return json::put(&text, &path, &new);
    }
    let runs = new.0.into_iter().filter(|(member, _)| old.is_null() || ["command", "args"].contains(member));
    let members = runs.chain(is_off(&old, form).then(|| ("enabled", true.into())));
    match form.syntax {
        Syntax::Json => members
            .into_iter()
            .try_fold(text, |text, (member, value)| json::put(&text, &[servers, name, member], &value)),
        Syntax::Toml => {
            let pairs: Vec<toml::Pair<'_>> = members.map(|(member, value)| (member, toml::from_json(&value))).collect();
            toml::put(&text, path, &pairs)
        }
    }
}

/// The text without the server of our name.
///
/// # Errors
/// A syntax error, or an edit that would change something else.
pub(crate) fn disconnect(text: &str, form: ServerForm) -> Result<String, Fault> {
    let path = server_path(form);
    match form.syntax {
        Syntax::Json => json::take(text, &path),
        Syntax::Toml => toml::take(text, path),
    }
}

/// The path of our server in a file of servers.
const fn server_path(form: ServerForm) -> [&'static str; 2] {
    [form.servers, SERVER]
}

fn is_off(entry: &Value, form: ServerForm) -> bool {
    form.reads_enabled && entry["enabled"] == Value::Bool(false)
}

/// The entry under our name as JSON, whatever the file is written in; `null` where there is none.
///
/// # Errors
/// A syntax error.
pub(crate) fn read(text: &str, form: ServerForm) -> Result<Value, Fault> {
    let path @ [servers, name] = server_path(form);
    if form.syntax == Syntax::Json {
        return Ok(json::value(text)?[servers][name].clone());
    }
    let document = toml::parse(text)?;
    let Some(item) = toml::get(&document, path) else { return Ok(Value::Null) };
    let text = |key| item.get(key).and_then(toml_edit::Item::as_str);
    let list = |key| item.get(key).and_then(toml_edit::Item::as_array);
    let args =
        |list: &toml_edit::Array| list.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect::<Vec<_>>();
    let enabled = item.get("enabled").and_then(toml_edit::Item::as_bool);
    Ok(serde_json::json!({
        "command": text("command"), "args": list("args").map(args), "url": text("url"), "enabled": enabled
    }))
}
