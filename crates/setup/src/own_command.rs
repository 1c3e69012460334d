//! Claude Code's own command: what it is called with, what is done when it fails.

use crate::agent::{Agent, Form};
use crate::entry;
use crate::error::{Error, Result};
use crate::machine::{Machine, Scope};
use crate::plan::{Call, Plan, Registered};
use crate::run::run;
use crate::server::{NAME, Ours, words};
use crate::source::Source;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// How long an agent's own command may take; Claude Code's starts Node.
const PATIENCE: Duration = Duration::from_secs(30);

/// Claude Code's own command, where it is installed and the file is the one that it rewrites while it runs.
pub(crate) fn own_command(machine: &Machine, agent: Agent, scope: &Scope) -> Option<OwnCommand> {
    if agent.form() != Form::Claude || *scope != Scope::User {
        return None;
    }
    let program = machine.program(agent.name())?;
    let path = machine.variable("PATH").map(|path| ("PATH", path.to_owned()));
    let moved = machine.variable("CLAUDE_CONFIG_DIR").map(|path| ("CLAUDE_CONFIG_DIR", path.to_owned()));
    let home = Some(("HOME", machine.home.to_str()?.to_owned()));
    Some(OwnCommand { program, environment: [home, path, moved].into_iter().flatten().collect() })
}

/// A program that changes its own configuration.
pub(crate) struct OwnCommand {
    program: PathBuf,
    environment: Vec<(&'static str, String)>,
}

impl OwnCommand {
    fn call(&self, args: &[&str]) -> Call {
        let args = args.iter().map(|&word| word.to_owned()).collect();
        Call { program: self.program.clone(), args, environment: self.environment.clone() }
    }

    fn remove_call(&self) -> Call {
        self.call(&["mcp", "remove", "--scope", "user", NAME])
    }

    fn add_call(&self, entry: &str) -> Call {
        self.call(&["mcp", "add-json", "--scope", "user", NAME, entry])
    }

    /// Registers ours. An entry of ours keeps all but what it runs; it cannot be changed, only taken out and put in again.
    pub(crate) fn register(&self, plan: &mut Plan, path: PathBuf, old: Value, ours: &Ours, foreign: bool) {
        let text = serde_json::to_string(&ours.entry()).unwrap_or_default();
        let ours = serde_json::to_value(ours.entry()).unwrap_or_default();
        let mut new = (text, ours);
        if old.is_object() && !foreign {
            let mut kept = old.clone();
            for member in ["command", "args"] {
                kept[member] = new.1[member].clone();
            }
            new = (kept.to_string(), kept);
        }
        let remove = (!old.is_null()).then(|| self.remove_call());
        plan.calls.extend(remove.into_iter().chain([self.add_call(&new.0)]));
        self.changes(plan, path, old, Some(new.1));
    }

    /// Takes the entry out.
    pub(crate) fn remove(&self, plan: &mut Plan, path: PathBuf, old: Value) {
        plan.calls.push(self.remove_call());
        self.changes(plan, path, old, None);
    }

    fn changes(&self, plan: &mut Plan, path: PathBuf, old: Value, after: Option<Value>) {
        let before = Some(old).filter(|old| !old.is_null());
        let undo = (self.remove_call(), before.as_ref().map(|old| self.add_call(&old.to_string())));
        plan.registered = Some(Registered { path, before, after, undo });
    }
}

impl Registered {
    /// What is registered now.
    fn now(&self) -> Result<Option<Value>> {
        let source = Source::read(&self.path)?;
        let entry = entry::entry(source.body(), Form::Claude).map_err(|fault| fault.at(&self.path))?;
        Ok(Some(entry).filter(|entry| !entry.is_null()))
    }

    /// # Errors
    /// [`Error::Changed`] where it is not what the plan was made from.
    pub(crate) fn check(&self) -> Result<()> {
        if self.now()? == self.before { Ok(()) } else { Err(Error::Changed { path: self.path.clone() }) }
    }

    /// Registers again what was there before, unless it is there.
    ///
    /// # Errors
    /// Why that cannot be done.
    pub(crate) fn put_back(&self) -> Result<(), String> {
        let now = || self.now().map_err(|error| error.to_string());
        let there = now()?;
        if there == self.before {
            return Ok(());
        }
        let (remove, add) = &self.undo;
        if let Some(there) = &there {
            if self.after.as_ref().map(words) != Some(words(there)) {
                return Err("somebody else has registered another one".to_owned());
            }
            remove.run()?;
        }
        if let Some(add) = add {
            add.run()?;
        }
        if now()? == self.before { Ok(()) } else { Err("the entry is another one now".to_owned()) }
    }
}

impl Call {
    /// # Errors
    /// What it said.
    pub(crate) fn run(&self) -> Result<(), String> {
        let mut command = Command::new(&self.program);
        command.args(&self.args).envs(self.environment.iter().map(|(name, value)| (name, value)));
        match run(&mut command, PATIENCE) {
            Some(ended) if ended.well => Ok(()),
            Some(ended) => Err(ended.output.trim().to_owned()),
            None => Err(format!("it cannot be started, or took longer than {} s", PATIENCE.as_secs())),
        }
    }
}
