//! The switch of an agent's built-in list: offered, never turned on along with connecting.

use crate::configuration::Configuration;
use crate::error::{Error, Result};
use crate::plan::Plan;
use crate::source::Source;
use crate::status::BuiltInList;
use crate::text::Fault;
use crate::{json, toml};
use agents::{Agent, BuiltInSwitch, Environment, Scope, Syntax};

/// Turns the agent's built-in list on, so that lists written with it can be shown, too.
///
/// # Errors
/// [`Error::NoSwitch`], and the reasons why a file cannot be edited.
pub fn turn_built_in_list_on(environment: &Environment, agent: &'static dyn Agent, scope: &Scope) -> Result<Plan> {
    turn(environment, agent, scope, |source, switch| {
        let edited = on(source.body(), switch).map_err(|fault| fault.at(&source.path))?;
        Ok(source.with(&edited))
    })
}

/// Removes what [`turn_built_in_list_on`] put in.
///
/// # Errors
/// As there.
pub fn turn_built_in_list_off(environment: &Environment, agent: &'static dyn Agent, scope: &Scope) -> Result<Plan> {
    turn(environment, agent, scope, |source, switch| source.undone(|text| on(text, switch), |text| off(text, switch)))
}

fn turn(
    environment: &Environment,
    agent: &'static dyn Agent,
    scope: &Scope,
    edit: impl Fn(&Source, &BuiltInSwitch) -> Result<Option<String>>,
) -> Result<Plan> {
    let mut configuration = Configuration::of(environment, agent, scope)?;
    let file = configuration.files.built_in_switch.take();
    let (switch, path) = agent.built_in_switch().zip(file).ok_or(Error::NoSwitch { agent: agent.title() })?;
    let source = Source::read(&path)?;
    let after = edit(&source, &switch)?;
    let mut plan = Plan::default();
    plan.edit(source, after, &configuration.owner())?;
    Ok(plan)
}

/// The state of the switch.
///
/// # Errors
/// The reason why the file cannot be read.
pub(crate) fn look(configuration: &Configuration<'_>) -> Result<BuiltInList> {
    let file = configuration.files.built_in_switch.as_ref();
    let Some((switch, path)) = configuration.agent.built_in_switch().zip(file) else {
        return Ok(BuiltInList::Unknown);
    };
    let source = Source::read(path)?;
    let is_on = is_on(source.body(), &switch).map_err(|fault| fault.at(path))?;
    Ok(match (is_on, switch.off_by_default) {
        (true, _) => BuiltInList::On,
        (false, true) => BuiltInList::Off,
        (false, false) => BuiltInList::Unknown,
    })
}

fn is_on(text: &str, switch: &BuiltInSwitch) -> Result<bool, Fault> {
    match (switch.syntax, switch.path) {
        (Syntax::Toml, [parent, table, key]) => {
            let document = toml::parse(text)?;
            let item = toml::get(&document, [parent, table]).and_then(|table| table.get(key));
            Ok(item.and_then(toml_edit::Item::as_bool) == switch.on.as_bool())
        }
        (_, path) => Ok(json::at(&json::value(text)?, path) == &switch.on),
    }
}

fn on(text: &str, switch: &BuiltInSwitch) -> Result<String, Fault> {
    match (switch.syntax, switch.path) {
        (Syntax::Toml, [parent, table, key]) => toml::put(text, [parent, table], &[(key, toml::from_json(&switch.on))]),
        (_, path) => json::put(text, path, &switch.on),
    }
}

fn off(text: &str, switch: &BuiltInSwitch) -> Result<String, Fault> {
    match (switch.syntax, switch.path) {
        _ if !is_on(text, switch)? => Ok(text.to_owned()),
        (Syntax::Toml, [parent, table, key]) => toml::take_key(text, [parent, table], key),
        (_, path) => json::take(text, path),
    }
}
