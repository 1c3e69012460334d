//! Connecting an agent, and taking that away.

use crate::agent::{Agent, Form};
use crate::error::{Error, Result};
use crate::look::Registration;
use crate::machine::{Machine, Scope};
use crate::plan::{Call, Place, Plan};
use crate::server::{NAME, Ours, Server};
use crate::source::Source;
use crate::text::Fault;
use crate::{entry, hooks};
use std::path::Path;

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

/// Registers our server and hooks with an agent. An entry of ours that is there is brought up to date, no more.
///
/// # Errors
/// [`Error::Foreign`] for somebody else's server of our name, [`Error::Path`], and what keeps a file from being
/// edited.
pub fn connect(machine: &Machine, agent: Agent, scope: &Scope, server: &Server, options: Options) -> Result<Plan> {
    let ours = ours(server, agent)?;
    let (files, place, form) = (machine.files(agent, scope), place(machine, scope), agent.form());
    let source = Source::read(&files.server)?;
    let registered = entry::look(source.body(), &ours, form).map_err(|fault| fault.at(&files.server))?;
    let foreign = matches!(registered, Registration::Other(_));
    if let (Registration::Other(runs), false) = (&registered, options.replace) {
        return Err(Error::Foreign { path: files.server, runs: runs.clone() });
    }
    let mut plan = Plan::default();
    let own_command = own_command(machine, agent, scope);
    let with_server = |text: &str| entry::connect(text, &ours, form, foreign);
    let with_hooks = |text: &str| match agent.hooks().filter(|_| options.hooks) {
        Some(facts) => hooks::connect(text, &ours, &facts),
        None => Ok(text.to_owned()),
    };
    let hooks_file = files.hooks.filter(|_| options.hooks);
    let together = hooks_file.as_ref() == Some(&files.server);
    if let Some(program) = own_command {
        if !matches!(registered, Registration::Absent | Registration::Ours) {
            plan.calls.push(program.call(&["mcp", "remove", "--scope", "user", NAME]));
        }
        if registered != Registration::Ours {
            let entry = serde_json::to_string(&ours.entry()).unwrap_or_default();
            plan.calls.push(program.call(&["mcp", "add-json", "--scope", "user", NAME, &entry]));
        }
    } else {
        let edited = with_server(source.body()).and_then(|text| if together { with_hooks(&text) } else { Ok(text) });
        let after = source.with(&edited.map_err(|fault| fault.at(&files.server))?);
        plan.edit(source, after, &place)?;
    }
    if let Some(path) = hooks_file.filter(|_| !together) {
        let source = Source::read(&path)?;
        let after = source.with(&with_hooks(source.body()).map_err(|fault| fault.at(&path))?);
        plan.edit(source, after, &place)?;
    }
    if !plan.calls.is_empty() {
        plan.kept.push(files.server);
    }
    if !plan.is_nothing() {
        plan.notes = agent.notes(options.hooks, place.project.is_some()).iter().map(|&note| note.to_owned()).collect();
    }
    Ok(plan)
}

/// Takes out what [`connect`] put in, and leaves the rest: a server of our name that is not ours stays, with a note.
///
/// # Errors
/// [`Error::Path`], and what keeps a file from being edited.
pub fn disconnect(machine: &Machine, agent: Agent, scope: &Scope, server: &Server) -> Result<Plan> {
    let ours = ours(server, agent)?;
    let (files, place, form) = (machine.files(agent, scope), place(machine, scope), agent.form());
    let source = Source::read(&files.server)?;
    let registered = entry::look(source.body(), &ours, form).map_err(|fault| fault.at(&files.server))?;
    let mut plan = Plan::default();
    if let Registration::Other(runs) = &registered {
        plan.notes.push(format!("a server named \"{NAME}\" runs {runs}; it is not ours and stays"));
    }
    let is_ours = matches!(registered, Registration::Ours | Registration::Outdated(_));
    let facts = agent.hooks();
    let add_hooks = |text: String| facts.as_ref().map_or(Ok(text.clone()), |facts| hooks::connect(&text, &ours, facts));
    let own_command = own_command(machine, agent, scope);
    let together = files.hooks.as_ref() == Some(&files.server);
    if let Some(program) = own_command {
        if is_ours {
            plan.calls.push(program.call(&["mcp", "remove", "--scope", "user", NAME]));
            plan.kept.push(files.server.clone());
        }
    } else {
        // A foreign server stays, on the way there and back.
        let there = |text: &str| -> Result<String, Fault> {
            let text = if is_ours { entry::connect(text, &ours, form, false)? } else { text.to_owned() };
            if together { add_hooks(text) } else { Ok(text) }
        };
        let back = |text: &str| -> Result<String, Fault> {
            let text = if together { hooks::disconnect(text, &ours)? } else { text.to_owned() };
            if is_ours { entry::disconnect(&text, form) } else { Ok(text) }
        };
        let after = source.undone(there, back)?;
        plan.edit(source, after, &place)?;
    }
    if let Some(path) = files.hooks.filter(|_| !together) {
        let source = Source::read(&path)?;
        let after = source.undone(|text| add_hooks(text.to_owned()), |text| hooks::disconnect(text, &ours))?;
        plan.edit(source, after, &place)?;
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

pub(crate) fn place<'a>(machine: &'a Machine, scope: &'a Scope) -> Place<'a> {
    let project: Option<&Path> = match scope {
        Scope::User => None,
        Scope::Project(folder) => Some(folder),
    };
    Place { home: &machine.home, project }
}

/// Claude Code's own command, where it is installed and the file is the one that it rewrites while it runs.
fn own_command(machine: &Machine, agent: Agent, scope: &Scope) -> Option<OwnCommand> {
    if agent.form() != Form::Claude || *scope != Scope::User {
        return None;
    }
    let program = machine.program(agent.name())?;
    let path = machine.variable("PATH").map(|path| ("PATH", path.to_owned()));
    let moved = machine.variable("CLAUDE_CONFIG_DIR").map(|path| ("CLAUDE_CONFIG_DIR", path.to_owned()));
    let home = Some(("HOME", machine.home.to_str()?.to_owned()));
    Some(OwnCommand { program, environment: [home, path, moved].into_iter().flatten().collect() })
}

struct OwnCommand {
    program: std::path::PathBuf,
    environment: Vec<(&'static str, String)>,
}

impl OwnCommand {
    fn call(&self, args: &[&str]) -> Call {
        let args = args.iter().map(|&word| word.to_owned()).collect();
        Call { program: self.program.clone(), args, environment: self.environment.clone() }
    }
}
