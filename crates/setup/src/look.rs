//! What an agent's configuration says now. Nothing is run and nothing written, but for [`version`].

use crate::agent::Agent;
use crate::connect::ours;
use crate::error::Result;
use crate::machine::{Machine, Scope};
use crate::server::{Ours, Server};
use crate::source::Source;
use crate::turned_off::{self, What};
use crate::{entry, hooks, json, own_list};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Whether something of ours is registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Registration {
    /// Nothing.
    Absent,
    /// As [`crate::connect()`] writes it.
    Ours,
    /// Ours, but not as it would be written today (another path, an event without a hook): what it is instead.
    Outdated(String),
    /// Ours, but a switch of the agent's keeps it from running: which.
    Disabled(String),
    /// Somebody else's under our name: what it runs.
    Other(String),
    /// The file cannot be read: why.
    Unreadable(String),
}

impl Registration {
    /// Whether something of ours is there, running or not.
    pub(crate) const fn is_ours(&self) -> bool {
        matches!(self, Self::Ours | Self::Outdated(_) | Self::Disabled(_))
    }

    fn unless_off(self, off: Option<String>) -> Self {
        match off.filter(|_| self.is_ours()) {
            Some(off) => Self::Disabled(off),
            None => self,
        }
    }
}

/// Whether the agent's own tool for todo lists is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnList {
    /// Turned on.
    On,
    /// Off, as it is unless one turns it on (Codex since 0.152, Qwen Code).
    Off,
    /// The agent decides by its version and the model, or the file cannot be read.
    Unknown,
}

/// An agent on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its program, if it is on the search path.
    pub program: Option<PathBuf>,
    /// Our server.
    pub server: Registration,
    /// Our hooks; none for an agent without hooks.
    pub hooks: Option<Registration>,
    /// All hooks are turned off by the agent's own setting in the same file.
    pub hooks_off: bool,
    /// Its own list.
    pub own_list: OwnList,
    /// The files that were looked at, whether they are there or not.
    pub files: Vec<PathBuf>,
}

/// Looks at an agent's configuration: reads two or three small files and runs nothing, so it may be asked often.
///
/// # Errors
/// [`crate::Error::Path`] only; what cannot be read is said in [`Found`].
pub fn look(machine: &Machine, agent: Agent, scope: &Scope, server: &Server) -> Result<Found> {
    let ours = ours(server, agent)?;
    let files = machine.files(agent, scope);
    let read = |path: &Path| Source::read(path);
    let registered = read(&files.server)
        .and_then(|source| entry::look(source.body(), &ours, agent.form()).map_err(|fault| fault.at(&files.server)));
    let (hooks, hooks_off) = match files.hooks.as_ref().map(|path| look_at_hooks(path, agent, &ours)) {
        Some(Ok((hooks, off))) => (Some(hooks.unless_off(turned_off::look(machine, agent, scope, What::Hooks))), off),
        Some(Err(error)) => (Some(Registration::Unreadable(error.to_string())), false),
        None => (None, false),
    };
    let mut paths: Vec<PathBuf> = [Some(files.server), files.hooks, files.own_list].into_iter().flatten().collect();
    paths.dedup();
    if paths.len() == 3 && paths[0] == paths[2] {
        paths.pop();
    }
    Ok(Found {
        program: machine.program(agent.name()),
        server: registered
            .unwrap_or_else(|error| Registration::Unreadable(error.to_string()))
            .unless_off(turned_off::look(machine, agent, scope, What::Server)),
        hooks,
        hooks_off,
        own_list: own_list::look(machine, agent, scope).unwrap_or(OwnList::Unknown),
        files: paths,
    })
}

fn look_at_hooks(path: &Path, agent: Agent, ours: &Ours) -> Result<(Registration, bool)> {
    let source = Source::read(path)?;
    let value = json::value(source.body()).map_err(|fault| fault.at(path))?;
    let Some(facts) = agent.hooks() else { return Ok((Registration::Absent, false)) };
    let off = facts.off.is_some_and(|(switch, when)| {
        let value = switch.iter().fold(&value, |value, step| &value[step]);
        value.as_bool() == Some(when)
    });
    Ok((hooks::look(&value, ours, &facts), off))
}

/// The version that `PROGRAM --version` says, or none when it says none within `limit`. The program is ended then.
#[must_use]
pub fn version(program: &Path, limit: Duration) -> Option<String> {
    let ended = crate::run::run(Command::new(program).arg("--version"), limit)?;
    let words = ended.output.split_whitespace().map(|word| word.trim_start_matches('v'));
    let mut versions =
        words.filter(|word| word.starts_with(|first: char| first.is_ascii_digit()) && word.contains('.'));
    versions.next().map(|word| word.trim_end_matches([',', ')']).to_owned())
}
