//! An agent's own command that changes its servers: calling it, and what is done when it fails.

use crate::configuration::Configuration;
use crate::entry;
use crate::error::{Error, Result};
use crate::plan::{Call, Plan, Registered};
use crate::run::run;
use crate::server::{Ours, words};
use crate::source::Source;
use agents::{Agent, EntryForm, ManagementCommand, SERVER, ServerForm};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;
use texts::{Text, all as say};

/// The longest time that such a command may take; Claude Code's starts Node.
const PATIENCE: Duration = Duration::from_secs(30);

/// An installed program that changes its own configuration.
pub(crate) struct InstalledCommand {
    agent: &'static dyn Agent,
    program: PathBuf,
    form: EntryForm,
    command: ManagementCommand,
    environment: Vec<(&'static str, String)>,
}

impl InstalledCommand {
    /// The agent's command for this configuration. `None` where there is none, or it is not installed.
    pub(crate) fn of(configuration: &Configuration<'_>) -> Option<Self> {
        let command = configuration.files.command?;
        let environment = configuration.environment;
        let program = environment.program(configuration.agent.facts().program)?;
        let variable = |name| environment.variable(name).map(|value| (name, value.to_owned()));
        let home = Some(("HOME", environment.home.to_str()?.to_owned()));
        let variables = [home, variable("PATH"), variable(command.folder_variable)];
        let environment = variables.into_iter().flatten().collect();
        let (agent, ServerForm::Entry(form)) = (configuration.agent, configuration.form) else { return None };
        Some(Self { agent, program, form, command, environment })
    }

    /// The entry under our name in the agent's file.
    ///
    /// # Errors
    /// A syntax error.
    pub(crate) fn entry(&self, source: &Source) -> Result<Value> {
        entry::read(source.body(), self.form).map_err(|fault| fault.at(&source.path))
    }

    fn call(&self, args: &[&str], more: &[&str]) -> Call {
        let args = args.iter().chain(more).map(|&word| word.to_owned()).collect();
        Call { program: self.program.clone(), args, environment: self.environment.clone() }
    }

    fn remove_call(&self) -> Call {
        self.call(self.command.remove, &[SERVER])
    }

    fn add_call(&self, entry: &str) -> Call {
        self.call(self.command.add, &[SERVER, entry])
    }

    /// Registers ours. An entry of ours keeps everything but the program that it runs; it cannot be changed, only removed
    /// and added again.
    pub(crate) fn register(&self, plan: &mut Plan, path: PathBuf, old: Value, ours: &Ours, foreign: bool) {
        let entry = ours.entry(self.form);
        let mut text = serde_json::to_string(&entry).unwrap_or_default();
        let mut new = serde_json::to_value(entry).unwrap_or_default();
        if old.is_object() && !foreign {
            let mut kept = old.clone();
            for member in ["command", "args"] {
                kept[member] = new[member].clone();
            }
            (text, new) = (kept.to_string(), kept);
        }
        let remove = (!old.is_null()).then(|| self.remove_call());
        plan.calls.extend(remove.into_iter().chain([self.add_call(&text)]));
        self.changes(plan, path, old, Some(new));
    }

    /// Removes the entry.
    pub(crate) fn remove(&self, plan: &mut Plan, path: PathBuf, old: Value) {
        plan.calls.push(self.remove_call());
        self.changes(plan, path, old, None);
    }

    fn changes(&self, plan: &mut Plan, path: PathBuf, old: Value, after: Option<Value>) {
        let before = Some(old).filter(|old| !old.is_null());
        let undo = (self.remove_call(), before.as_ref().map(|old| self.add_call(&old.to_string())));
        plan.registered = Some(Registered { path, agent: self.agent, before, after, undo });
    }
}

impl Registered {
    /// The entry as it is now.
    fn now(&self) -> Result<Option<Value>> {
        let source = Source::read(&self.path)?;
        let Some(ServerForm::Entry(form)) = self.agent.facts().server_form else {
            return Err(Error::Unknown { agent: self.agent.title() });
        };
        let entry = entry::read(source.body(), form).map_err(|fault| fault.at(&self.path))?;
        Ok(Some(entry).filter(|entry| !entry.is_null()))
    }

    /// Checks that the entry is still what the plan was made from.
    ///
    /// # Errors
    /// [`Error::Changed`] where it is not.
    pub(crate) fn check(&self) -> Result<()> {
        if self.now()? == self.before { Ok(()) } else { Err(Error::Changed { path: self.path.clone() }) }
    }

    /// Registers the entry from before again, unless it is there.
    ///
    /// # Errors
    /// The reason why that cannot be done.
    pub(crate) fn put_back(&self) -> Result<(), Text> {
        let now = || self.now().map_err(|error| error.to_string());
        let there = now()?;
        if there == self.before {
            return Ok(());
        }
        let (remove, add) = &self.undo;
        if let Some(there) = &there {
            if self.after.as_ref().map(words) != Some(words(there)) {
                return Err("somebody else has registered another one".to_owned().into());
            }
            remove.run()?;
        }
        if let Some(add) = add {
            add.run()?;
        }
        if now()? == self.before { Ok(()) } else { Err("the entry is another one now".to_owned().into()) }
    }
}

impl Call {
    /// Runs it.
    ///
    /// # Errors
    /// The output of a command that failed.
    pub(crate) fn run(&self) -> Result<(), Text> {
        let mut command = Command::new(&self.program);
        command.args(&self.args).envs(self.environment.iter().map(|(name, value)| (name, value)));
        match run(&mut command, PATIENCE) {
            Some(ended) if ended.well => Ok(()),
            Some(ended) => Err(ended.output.trim().to_owned().into()),
            None => Err(say::call_too_long(PATIENCE.as_secs())),
        }
    }
}
