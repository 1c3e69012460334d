//! Our server among others' in an agent's file.

use crate::server::{Ours, words};
use crate::status::Registration;
use crate::text::Fault;
use crate::{json, toml, yaml};
use agents::{Entry, EntryForm, SERVER, Syntax};
use serde_json::Value;
use texts::all as say;

/// The state of the server under our name.
///
/// # Errors
/// A syntax error.
pub(crate) fn look(text: &str, ours: &Ours, form: EntryForm) -> Result<Registration, Fault> {
    let entry = read(text, form)?;
    if entry.is_null() {
        return Ok(Registration::Absent);
    }
    let own = words(&entry);
    let off = form.off.filter(|_| is_off(&entry, form)).map(|(member, off)| say::switch_is(member, off));
    let current: Vec<String> = std::iter::once(ours.command().to_owned()).chain(ours.args()).collect();
    let runs = match entry.get("url").or_else(|| entry.get("httpUrl")).and_then(Value::as_str) {
        Some(address) => address.to_owned(),
        None if own.is_empty() => entry.to_string(),
        None => own.join(" "),
    };
    Ok(match () {
        () if ours.serves(&own) && off.is_some() => Registration::Disabled(off.unwrap_or_default()),
        () if own == current => Registration::Ours,
        () if ours.serves(&own) => Registration::Outdated(runs.into()),
        () => Registration::Other(runs.into()),
    })
}

/// The text with our server. An entry that exists keeps everything but the program that it runs and that it is off,
/// unless it is `foreign`: then it is replaced as a whole.
///
/// # Errors
/// A syntax error, or servers in another form.
pub(crate) fn connect(text: &str, ours: &Ours, form: EntryForm, foreign: bool) -> Result<String, Fault> {
    let text = if foreign { disconnect(text, form)? } else { text.to_owned() };
    let old = read(&text, form)?;
    let new = ours.entry(form);
    let path @ [servers, name] = server_path(form);
    if old.is_null() && form.syntax == Syntax::Json {
        return json::put(&text, &path, &new);
    }
    let runs = new.0.into_iter().filter(|(member, _)| old.is_null() || ["command", "args"].contains(member));
    let members = runs.chain(form.off.filter(|_| is_off(&old, form)).map(|(member, off)| (member, (!off).into())));
    let pair = |(member, value): (&'static str, Value)| (member, toml::from_json(&value));
    match form.syntax {
        Syntax::Json => members
            .into_iter()
            .try_fold(text, |text, (member, value)| json::put(&text, &[servers, name, member], &value)),
        Syntax::Yaml => yaml::put(&text, servers, &Entry(members.collect())),
        Syntax::Toml if form.is_list => {
            let own = (old.is_null()).then(|| (NAME, SERVER.into()));
            let pairs: Vec<toml::Pair<'_>> = own.into_iter().chain(members.map(pair)).collect();
            toml::list::put(&text, servers, &is_named, &pairs)
        }
        Syntax::Toml => toml::put(&text, path, &members.map(pair).collect::<Vec<_>>()),
    }
}

/// The text without the server of our name.
///
/// # Errors
/// A syntax error, or an edit that would change something else.
pub(crate) fn disconnect(text: &str, form: EntryForm) -> Result<String, Fault> {
    let path = server_path(form);
    match form.syntax {
        Syntax::Json => json::take(text, &path),
        Syntax::Yaml => yaml::take(text, form.servers),
        Syntax::Toml if form.is_list => toml::list::take(text, form.servers, &is_named),
        Syntax::Toml => toml::take(text, path),
    }
}

/// The path of our server in a file of servers.
const fn server_path(form: EntryForm) -> [&'static str; 2] {
    [form.servers, SERVER]
}

fn is_off(entry: &Value, form: EntryForm) -> bool {
    form.off.is_some_and(|(member, off)| entry[member] == Value::Bool(off))
}

/// The member of a listed entry that has its name.
const NAME: &str = "name";

/// Returns whether an entry of a list has our name.
fn is_named(entry: &dyn toml_edit::TableLike) -> bool {
    entry.get(NAME).and_then(toml_edit::Item::as_str) == Some(SERVER)
}

/// The entry under our name as JSON, whatever the file is written in; `null` where there is none.
///
/// # Errors
/// A syntax error.
pub(crate) fn read(text: &str, form: EntryForm) -> Result<Value, Fault> {
    let path @ [servers, name] = server_path(form);
    match form.syntax {
        Syntax::Json => return Ok(json::value(text)?[servers][name].clone()),
        Syntax::Yaml => return yaml::read(text, servers),
        Syntax::Toml => {}
    }
    let document = toml::parse(text)?;
    if form.is_list {
        let entry = toml::list::entries(&document, servers).into_iter().find(|entry| is_named(*entry));
        return Ok(entry.map_or(Value::Null, toml::table_to_json));
    }
    let entry = toml::get(&document, path).and_then(toml_edit::Item::as_table_like);
    Ok(entry.map_or(Value::Null, toml::table_to_json))
}
