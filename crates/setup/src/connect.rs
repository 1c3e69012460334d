//! Connecting an agent, and disconnecting it.

use crate::configuration::Configuration;
use crate::error::{Error, Result};
use crate::management_command::InstalledCommand;
use crate::parts::{self, Editor, Part, by_file};
use crate::plan::Plan;
use crate::server::Server;
use crate::source::Source;
use crate::status::{BuiltInList, Registration};
use crate::{built_in_list, disabling};
use agents::{Agent, Environment, SERVER, Scope};
use std::path::PathBuf;
use texts::all as say;

/// Choices for connecting, besides registering the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Register our hooks, where the agent has hooks.
    pub hooks: bool,
    /// Replace a server of our name that is not ours.
    pub replace: bool,
    /// Answers to the agent's permission prompts.
    pub answers: Answers,
}

/// Whether an agent waits for answers to its permission prompts that are given here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Answers {
    /// As it is.
    #[default]
    Unchanged,
    /// It asks by itself.
    Off,
    /// It waits for so many seconds, or for as long as such an agent does by default.
    On(Option<u32>),
}

impl Default for Options {
    fn default() -> Self {
        Self { hooks: true, replace: false, answers: Answers::default() }
    }
}

/// Registers our server and hooks with an agent. An entry of ours that exists is brought up to date, and turned on where
/// it is off, no more.
///
/// # Errors
/// [`Error::Foreign`] for somebody else's server of our name, [`Error::Path`], and the reasons why a file cannot be
/// edited.
pub fn connect(
    environment: &Environment,
    agent: &'static dyn Agent,
    scope: &Scope,
    server: &Server,
    options: Options,
) -> Result<Plan> {
    let ours = server.of(agent)?;
    let configuration = Configuration::of(environment, agent, scope)?;
    let answers = match (options.answers, agent.asking()) {
        (Answers::Unchanged, _) => configuration.answers(&ours),
        (Answers::Off, _) => None,
        (Answers::On(seconds), Some(asking)) => Some(asking.seconds(seconds)),
        (Answers::On(_), None) => return Err(Error::NoAnswers { agent: agent.title() }),
    };
    let ours = ours.answering(answers);
    let path = &configuration.server;
    let source = Source::read(path)?;
    if source.text.is_none() && configuration.needs_file() {
        return Err(Error::NotSetUp { path: path.clone(), agent: agent.title() });
    }
    let registered = configuration.look(source.body(), &ours).map_err(|fault| fault.at(path))?;
    if configuration.lacks_agents(source.body(), &ours).map_err(|fault| fault.at(path))? {
        return Err(Error::NoAgents { path: path.clone(), editor: agent.title() });
    }
    let foreign = matches!(registered, Registration::Other(_));
    if let (Registration::Other(runs), false) = (&registered, options.replace) {
        return Err(Error::Foreign { path: path.clone(), runs: runs.english.clone() });
    }
    let mut plan = Plan::default();
    let command = InstalledCommand::of(&configuration);
    let mut parts = parts::of(&configuration, command.is_none(), options.hooks);
    plan.notes.extend(parts.iter().filter_map(|(path, part)| part.note(path, &ours)));
    // A file that need not be edited need not be readable.
    parts.retain(|(path, part)| match part {
        Part::Switch(switch) => Source::read(path).is_ok_and(|source| disabling::mend(switch, source.body()).is_ok()),
        Part::Server | Part::Hooks | Part::File(..) => true,
    });
    if let Some(command) = command
        && registered != Registration::Ours
    {
        let old = command.entry(&source)?;
        command.register(&mut plan, path.clone(), old, &ours, foreign);
    }
    let editor = Editor { configuration: &configuration, ours: &ours, foreign, is_ours: true };
    for (path, parts) in by_file(&parts) {
        let source = Source::read(path)?;
        let after = source.with(&editor.there(&parts, source.body()).map_err(|fault| fault.at(path))?);
        plan.edit(source, after, &configuration.owner_of(path, &parts))?;
    }
    if !plan.is_nothing() {
        plan.notes.extend(agent.notes(options.hooks, scope));
    }
    Ok(plan)
}

/// Removes what [`connect`] put in, and leaves the rest: a server of our name that is not ours stays, with a note, and
/// so does the switch of the built-in list, which may be the user's own choice.
///
/// # Errors
/// [`Error::Path`], and the reasons why a file cannot be edited.
pub fn disconnect(
    environment: &Environment,
    agent: &'static dyn Agent,
    scope: &Scope,
    server: &Server,
) -> Result<Plan> {
    let ours = server.of(agent)?;
    let configuration = Configuration::of(environment, agent, scope)?;
    let answers = configuration.answers(&ours);
    let ours = ours.answering(answers);
    let path = &configuration.server;
    let source = Source::read(path)?;
    let registered = configuration.look(source.body(), &ours).map_err(|fault| fault.at(path))?;
    let mut plan = Plan::default();
    if let Registration::Other(runs) = &registered {
        plan.notes.push(say::note_foreign_server(SERVER, runs));
    }
    let command = InstalledCommand::of(&configuration);
    let mut parts = parts::of(&configuration, command.is_none(), true);
    // A switch in a file that nothing of ours is in stays as it is.
    let edited: Vec<PathBuf> =
        parts.iter().filter(|(_, part)| !part.is_switch()).map(|(path, _)| path.clone()).collect();
    parts.retain(|(path, _)| edited.contains(path));
    if let Some(command) = command.filter(|_| registered.is_ours()) {
        let old = command.entry(&source)?;
        command.remove(&mut plan, path.clone(), old);
    }
    // A foreign server stays, on the way there and back.
    let is_ours = registered.is_ours();
    let editor = Editor { configuration: &configuration, ours: &ours, foreign: false, is_ours };
    for (path, parts) in by_file(&parts) {
        let source = Source::read(path)?;
        let after = source.undone(|text| editor.there(&parts, text), |text| editor.back(&parts, text))?;
        plan.edit(source, after, &configuration.owner_of(path, &parts))?;
    }
    if !plan.is_nothing() && built_in_list::look(&configuration).is_ok_and(|state| state == BuiltInList::On) {
        plan.notes.push(say::note_list_stays(agent.title()));
    }
    Ok(plan)
}
