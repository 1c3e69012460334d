//! The state of an agent's configuration. Nothing is run and nothing written, but for [`version`].

use crate::configuration::{Configuration, program};
use crate::error::Result;
use crate::server::{Ours, Server};
use crate::source::Source;
use crate::status::{BuiltInList, Registration, Status};
use crate::{built_in_list, disabling, entry, hooks, json};
use agents::{Agent, Disables, Environment, Scope};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Looks at an agent's configuration: reads two or three small files and runs nothing, so it may be asked often.
///
/// # Errors
/// [`crate::Error::Path`] and [`crate::Error::Unknown`] only; a file that cannot be read is in the [`Status`].
pub fn look(environment: &Environment, agent: &'static dyn Agent, scope: &Scope, server: &Server) -> Result<Status> {
    let ours = server.of(agent)?;
    let configuration = Configuration::of(environment, agent, scope)?;
    let Configuration { files, form, server, .. } = &configuration;
    let registered = Source::read(server)
        .and_then(|source| entry::look(source.body(), &ours, *form).map_err(|fault| fault.at(server)));
    let (hooks, hooks_off) = match files.hooks.as_ref().map(|path| look_at_hooks(path, agent, &ours)) {
        Some(Ok((hooks, off))) => (Some(hooks.unless_off(disabling::look(&configuration, Disables::Hooks))), off),
        Some(Err(error)) => (Some(Registration::Unreadable(error.to_string())), false),
        None => (None, false),
    };
    let mut paths: Vec<PathBuf> = Vec::new();
    for path in [Some(server), files.hooks.as_ref(), files.built_in_switch.as_ref()].into_iter().flatten() {
        if !paths.contains(path) {
            paths.push(path.clone());
        }
    }
    Ok(Status {
        program: program(environment, agent.facts().program),
        server: registered
            .unwrap_or_else(|error| Registration::Unreadable(error.to_string()))
            .unless_off(disabling::look(&configuration, Disables::Server)),
        hooks,
        hooks_off,
        built_in_list: built_in_list::look(&configuration).unwrap_or(BuiltInList::Unknown),
        files: paths,
    })
}

fn look_at_hooks(path: &Path, agent: &dyn Agent, ours: &Ours) -> Result<(Registration, bool)> {
    let source = Source::read(path)?;
    let value = json::value(source.body()).map_err(|fault| fault.at(path))?;
    let Some(facts) = agent.facts().hooks else { return Ok((Registration::Absent, false)) };
    let off = facts.off.is_some_and(|(switch, when)| json::at(&value, switch).as_bool() == Some(when));
    Ok((hooks::look(&value, ours, &facts), off))
}

/// The version that an agent's program gives. `None` where it gives none within `limit`; the program is ended then.
#[must_use]
pub fn version(agent: &dyn Agent, program: &Path, limit: Duration) -> Option<String> {
    let ended = crate::run::run(Command::new(program).arg("--version"), limit)?;
    agent.version_in(&ended.output)
}
