//! Connecting an agent, and taking that away.

use crate::agent::Agent;
use crate::error::{Error, Result};
use crate::look::{OwnList, Registration};
use crate::machine::{Machine, Scope};
use crate::own_command::own_command;
use crate::parts::{self, Part, Whole, by_file};
use crate::plan::{Place, Plan};
use crate::server::{NAME, Ours, Server};
use crate::source::Source;
use crate::{entry, own_list};
use std::path::PathBuf;

/// What connecting is to do besides registering the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Register our hooks, where the agent has hooks.
    pub hooks: bool,
    /// Replace a server of our name that is not ours.
    pub replace: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { hooks: true, replace: false }
    }
}

/// Registers our server and hooks with an agent. An entry of ours that is there is brought up to date, and turned on
/// where it is off, no more.
///
/// # Errors
/// [`Error::Foreign`] for somebody else's server of our name, [`Error::Path`], and what keeps a file from being
/// edited.
pub fn connect(machine: &Machine, agent: Agent, scope: &Scope, server: &Server, options: Options) -> Result<Plan> {
    let ours = ours(server, agent)?;
    let (files, form) = (machine.files(agent, scope), agent.form());
    let source = Source::read(&files.server)?;
    let registered = entry::look(source.body(), &ours, form).map_err(|fault| fault.at(&files.server))?;
    let foreign = matches!(registered, Registration::Other(_));
    if let (Registration::Other(runs), false) = (&registered, options.replace) {
        return Err(Error::Foreign { path: files.server, runs: runs.clone() });
    }
    let mut plan = Plan::default();
    let own_command = own_command(machine, agent, scope);
    let mut parts = parts::of(machine, agent, scope, own_command.is_none(), options.hooks);
    plan.notes.extend(parts.iter().filter_map(|(path, part)| part.note(path)));
    // What is not to be edited anyway need not be readable.
    parts.retain(|(path, part)| match part {
        Part::Switch(switch) => Source::read(path).is_ok_and(|source| switch.mend(source.body()).is_ok()),
        Part::Server | Part::Hooks => true,
    });
    let whole = Whole { ours: &ours, form, hooks: agent.hooks(), foreign, is_ours: true };
    if let Some(program) = own_command
        && registered != Registration::Ours
    {
        let old = entry::entry(source.body(), form).map_err(|fault| fault.at(&files.server))?;
        program.register(&mut plan, files.server, old, &ours, foreign);
    }
    for (path, parts) in by_file(&parts) {
        let source = Source::read(path)?;
        let after = source.with(&whole.there(&parts, source.body()).map_err(|fault| fault.at(path))?);
        plan.edit(source, after, &Place { private: *scope == Scope::User, folder: files.folder.clone() })?;
    }
    if !plan.is_nothing() {
        let project = *scope != Scope::User;
        plan.notes.extend(agent.notes(options.hooks, project).iter().map(|&note| note.to_owned()));
    }
    Ok(plan)
}

/// Takes out what [`connect`] put in, and leaves the rest: a server of our name that is not ours stays, with a note, and
/// so does the switch of the agent's own list, which may be the user's own choice.
///
/// # Errors
/// [`Error::Path`], and what keeps a file from being edited.
pub fn disconnect(machine: &Machine, agent: Agent, scope: &Scope, server: &Server) -> Result<Plan> {
    let ours = ours(server, agent)?;
    let (files, form) = (machine.files(agent, scope), agent.form());
    let source = Source::read(&files.server)?;
    let registered = entry::look(source.body(), &ours, form).map_err(|fault| fault.at(&files.server))?;
    let mut plan = Plan::default();
    if let Registration::Other(runs) = &registered {
        plan.notes.push(format!("a server named \"{NAME}\" runs {runs}; it is not ours and stays"));
    }
    let own_command = own_command(machine, agent, scope);
    let mut parts = parts::of(machine, agent, scope, own_command.is_none(), true);
    // A switch in a file that nothing of ours is in stays as it is.
    let edited: Vec<PathBuf> =
        parts.iter().filter(|(_, part)| !part.is_switch()).map(|(path, _)| path.clone()).collect();
    parts.retain(|(path, _)| edited.contains(path));
    // A foreign server stays, on the way there and back.
    let whole = Whole { ours: &ours, form, hooks: agent.hooks(), foreign: false, is_ours: registered.is_ours() };
    if let Some(program) = own_command.filter(|_| registered.is_ours()) {
        let old = entry::entry(source.body(), form).map_err(|fault| fault.at(&files.server))?;
        program.remove(&mut plan, files.server, old);
    }
    for (path, parts) in by_file(&parts) {
        let source = Source::read(path)?;
        let after = source.undone(|text| whole.there(&parts, text), |text| whole.back(&parts, text))?;
        plan.edit(source, after, &Place { private: *scope == Scope::User, folder: files.folder.clone() })?;
    }
    if !plan.is_nothing() && own_list::look(machine, agent, scope).is_ok_and(|own| own == OwnList::On) {
        plan.notes.push(format!("{}'s own todo list is turned on and stays so", agent.title()));
    }
    Ok(plan)
}

pub(crate) fn ours(server: &Server, agent: Agent) -> Result<Ours> {
    for path in [&server.command, &server.data_dir] {
        if !path.is_absolute() {
            return Err(Error::Path { path: path.clone() });
        }
    }
    server.of(agent).ok_or_else(|| {
        let unfit = if server.command.to_str().is_none() { &server.command } else { &server.data_dir };
        Error::Path { path: unfit.clone() }
    })
}
