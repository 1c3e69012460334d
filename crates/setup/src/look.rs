//! The state of an agent's configuration. Nothing is run and nothing written, but for [`version`].

use crate::configuration::Configuration;
use crate::error::Result;
use crate::server::{Ours, Server};
use crate::source::Source;
use crate::status::{BuiltInList, Registration, Status};
use crate::{built_in_list, disabling, hooks, json, own_file};
use agents::{Agent, Disables, Environment, OwnFile, Scope};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use texts::all as say;

/// Looks at an agent's configuration: reads two or three small files and runs nothing, so it may be asked often.
///
/// # Errors
/// [`crate::Error::Path`] and [`crate::Error::Unknown`] only; a file that cannot be read is in the [`Status`].
pub fn look(environment: &Environment, agent: &'static dyn Agent, scope: &Scope, server: &Server) -> Result<Status> {
    let ours = server.of(agent)?;
    let configuration = Configuration::of(environment, agent, scope)?;
    let answers = configuration.answers(&ours);
    let ours = ours.answering(answers);
    let Configuration { files, server, .. } = &configuration;
    let registered = Source::read(server)
        .and_then(|source| configuration.look(source.body(), &ours).map_err(|fault| fault.at(server)));
    let own_files = configuration.own_files();
    let looked = match &files.hooks {
        Some(path) => Some(look_at_hooks(path, agent, &ours)),
        None => (!own_files.is_empty()).then(|| Ok((look_at_files(&own_files, &ours)?, false))),
    };
    let (hooks, hooks_off) = match looked {
        Some(Ok((hooks, off))) => (Some(hooks.unless_off(disabling::look(&configuration, Disables::Hooks))), off),
        Some(Err(error)) => (Some(Registration::Unreadable(error.text())), false),
        None => (None, false),
    };
    let mut paths: Vec<PathBuf> = Vec::new();
    let own_paths = own_files.iter().map(|file| &file.path);
    let configured = [Some(server), files.hooks.as_ref(), files.built_in_switch.as_ref()].into_iter().flatten();
    for path in configured.chain(own_paths) {
        if !paths.contains(path) {
            paths.push(path.clone());
        }
    }
    Ok(Status {
        program: environment.program(agent.facts().program),
        server: registered
            .unwrap_or_else(|error| Registration::Unreadable(error.text()))
            .unless_off(disabling::look(&configuration, Disables::Server)),
        hooks,
        hooks_off,
        answers,
        built_in_list: built_in_list::look(&configuration).unwrap_or(BuiltInList::Unknown),
        files: paths,
    })
}

fn look_at_hooks(path: &Path, agent: &dyn Agent, ours: &Ours) -> Result<(Registration, bool)> {
    let source = Source::read(path)?;
    let Some(facts) = agent.facts().hooks else { return Ok((Registration::Absent, false)) };
    let registered = hooks::look(source.body(), ours, &facts).map_err(|fault| fault.at(path))?;
    let Some((switch, when)) = facts.off else { return Ok((registered, false)) };
    let value = json::value(source.body()).map_err(|fault| fault.at(path))?;
    Ok((registered, json::at(&value, switch).as_bool() == Some(when)))
}

/// The state of files that are ours as a whole: the first that is not as it is to be, unless none is there.
fn look_at_files(files: &[OwnFile], ours: &Ours) -> Result<Registration> {
    let look = |file: &OwnFile| Ok(own_file::look(Source::read(&file.path)?.body(), ours, file.text));
    let looked = files.iter().map(look).collect::<Result<Vec<_>>>()?;
    if !looked.iter().any(Registration::is_ours) {
        let other = looked.into_iter().find(|one| matches!(one, Registration::Other(_)));
        return Ok(other.unwrap_or(Registration::Absent));
    }
    let missing = |at: usize| Registration::Outdated(say::own_file_missing(files[at].path.display()));
    Ok(match looked.iter().position(|one| *one != Registration::Ours) {
        None => Registration::Ours,
        Some(at) if looked[at] == Registration::Absent => missing(at),
        Some(at) => looked[at].clone(),
    })
}

/// The version that an agent's program gives. `None` where it gives none within `limit`; the program is ended then.
#[must_use]
pub fn version(agent: &dyn Agent, program: &Path, limit: Duration) -> Option<String> {
    let ended = crate::run::run(Command::new(program).arg("--version"), limit)?;
    agent.version_in(&ended.output)
}
