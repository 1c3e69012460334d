//! The machine's part in setting agents up: the user's environment, our command, and the agents by name.

use crate::commands;
use crate::demo::is_demo;
use agents::{Agent, Environment, Registry};
use anyhow::Context;
use protocol::{Code, Error, Result, say};
use setup::Server;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The user's home folder and environment.
///
/// # Errors
/// When the user has no home folder.
pub fn environment() -> anyhow::Result<Environment> {
    let home = std::env::home_dir().context("this user has no home folder")?;
    Ok(Environment { home, variables: variables().collect() })
}

/// The variables of this process's environment that are text, by the names that they are looked up by.
pub fn variables() -> impl Iterator<Item = (String, String)> {
    let text = |(name, value): (OsString, OsString)| {
        Some((agents::variable_name(name.into_string().ok()?), value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text)
}

/// The program that agents are to run for this data folder: the `sightline` command by the path that stays. A link on the
/// search path outlives the version that it leads to.
///
/// # Errors
/// When the command is not beside this program, or the folder is no path or a demo's.
pub fn server(environment: &Environment, data_dir: &Path) -> anyhow::Result<Server> {
    anyhow::ensure!(
        !is_demo(data_dir) || environment.home.starts_with(data_dir),
        "{} is the folder of a demo, which has agents of its own; those of this machine are not connected to it",
        data_dir.display()
    );
    let here = commands::sightline().with_context(say::no_command)?;
    let same =
        |path: &PathBuf| path.canonicalize().is_ok_and(|real| here.canonicalize().is_ok_and(|here| here == real));
    let called = std::env::args_os().next().map(PathBuf::from).filter(|path| path.is_absolute());
    let found = environment.program(agents::SERVER);
    let command = [called, found].into_iter().flatten().find(same).unwrap_or_else(|| here.clone());
    Ok(Server { command, data_dir: std::path::absolute(data_dir)? })
}

/// The agent's own program, where it is to make a real call.
///
/// # Errors
/// When it is not there.
pub fn program(environment: &Environment, agent: &dyn Agent, wanted: bool) -> Result<Option<PathBuf>> {
    if !wanted {
        return Ok(None);
    }
    let missing = || Error::new(Code::Configuration, say::agent_no_call(agent.title()));
    environment.program(agent.facts().program).map(Some).ok_or_else(missing)
}

/// The agent of this name that can be connected.
///
/// # Errors
/// [`Code::InvalidMessage`] with the names there are.
pub fn named(agents: Registry, name: &str) -> Result<&'static dyn Agent> {
    agents.connectable().find(|agent| agent.name() == name).ok_or_else(|| {
        let known = Registry::names(agents.connectable());
        let name = todo::text::plain(&todo::short(name));
        Error::new(Code::InvalidMessage, say::agent_unknown(name, known))
    })
}

pub(crate) fn failed(error: impl std::fmt::Display) -> Error {
    Error::new(Code::Internal, format!("{error:#}"))
}
