//! What of ours goes into which file, and out of it again.

use crate::agent::{Agent, Form, Hooks};
use crate::machine::{Machine, Scope};
use crate::server::Ours;
use crate::source::Source;
use crate::text::Fault;
use crate::turned_off::{self, Switch, What};
use crate::{entry, hooks};
use std::path::{Path, PathBuf};

/// Something of ours in a file, or something that keeps ours from running.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part {
    Server,
    Hooks,
    Switch(Switch),
}

impl Part {
    pub(crate) const fn is_switch(self) -> bool {
        matches!(self, Self::Switch(_))
    }

    /// What the user has to know of a switch that turns ours off.
    pub(crate) fn note(self, path: &Path) -> Option<String> {
        let Self::Switch(switch) = self else { return None };
        let source = Source::read(path).ok()?;
        let off = switch.off(source.body()).ok()??;
        let mended = switch.mend(source.body()).and_then(|text| switch.off(&text)).is_ok_and(|off| off.is_none());
        let end = if mended { "turned ours off; it is turned on" } else { "turns ours off; change it by hand" };
        Some(format!("{off} in {}, which {end}", path.display()))
    }
}

/// What an agent's files get at a scope.
pub(crate) fn of(machine: &Machine, agent: Agent, scope: &Scope, server: bool, hooks: bool) -> Vec<(PathBuf, Part)> {
    let files = machine.files(agent, scope);
    let server = server.then_some((files.server, Part::Server));
    let of_hooks = files.hooks.filter(|_| hooks).map(|path| (path, Part::Hooks));
    let switches = turned_off::switches(machine, agent, scope).into_iter();
    let switches = switches.filter(|(_, switch)| hooks || switch.what == What::Server);
    server.into_iter().chain(of_hooks).chain(switches.map(|(path, switch)| (path, Part::Switch(switch)))).collect()
}

/// The parts of each file, the files in the order in which they come first.
pub(crate) fn by_file(parts: &[(PathBuf, Part)]) -> Vec<(&Path, Vec<Part>)> {
    let mut files: Vec<(&Path, Vec<Part>)> = Vec::new();
    for (path, part) in parts {
        match files.iter_mut().find(|(own, _)| own == path) {
            Some((_, parts)) => parts.push(*part),
            None => files.push((path, vec![*part])),
        }
    }
    files
}

/// What decides how a file's text goes there and back.
pub(crate) struct Whole<'a> {
    pub(crate) ours: &'a Ours,
    pub(crate) form: Form,
    pub(crate) hooks: Option<Hooks>,
    pub(crate) foreign: bool,
    pub(crate) is_ours: bool,
}

impl Whole<'_> {
    /// # Errors
    /// A syntax error, or something of another form.
    pub(crate) fn there(&self, parts: &[Part], text: &str) -> Result<String, Fault> {
        parts.iter().try_fold(text.to_owned(), |text, part| match (part, &self.hooks) {
            (Part::Server, _) if self.is_ours => entry::connect(&text, self.ours, self.form, self.foreign),
            (Part::Hooks, Some(facts)) => hooks::connect(&text, self.ours, facts),
            (Part::Switch(switch), _) => switch.mend(&text),
            _ => Ok(text),
        })
    }

    /// # Errors
    /// A syntax error, or an edit that would change something else.
    pub(crate) fn back(&self, parts: &[Part], text: &str) -> Result<String, Fault> {
        parts.iter().rev().try_fold(text.to_owned(), |text, part| match part {
            Part::Server if self.is_ours => entry::disconnect(&text, self.form),
            Part::Hooks => hooks::disconnect(&text, self.ours),
            _ => Ok(text),
        })
    }
}
