//! The parts of ours that go into each file, and out of it again.

use crate::configuration::Configuration;
use crate::disabling;
use crate::server::Ours;
use crate::source::Source;
use crate::status::Registration;
use crate::text::Fault;
use crate::{editor, entry, hooks, own_file};
use agents::{Disables, DisablingSwitch, ServerForm};
use std::path::{Path, PathBuf};
use texts::{Text, all as say};

/// Something of ours in a file, or something that keeps ours from running.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part {
    Server,
    Hooks,
    /// A file that is ours as a whole, and whether the agent runs it.
    File(own_file::Text, bool),
    Switch(DisablingSwitch),
}

impl Part {
    pub(crate) const fn is_switch(self) -> bool {
        matches!(self, Self::Switch(_))
    }

    /// A note on a switch that turns ours off, or on a file that is somebody else's.
    pub(crate) fn note(self, path: &Path, ours: &Ours) -> Option<Text> {
        let source = Source::read(path).ok()?;
        let switch = match self {
            Self::Switch(switch) => switch,
            Self::File(text, _) if matches!(own_file::look(source.body(), ours, text), Registration::Other(_)) => {
                return Some(say::note_foreign_file(path.display()));
            }
            _ => return None,
        };
        let off = disabling::off(&switch, source.body()).ok()??;
        let mended = disabling::mend(&switch, source.body())
            .and_then(|text| disabling::off(&switch, &text))
            .is_ok_and(|off| off.is_none());
        let note = match mended {
            true => say::note_switched_on(&off, path.display()),
            false => say::note_switch_by_hand(&off, path.display()),
        };
        Some(note.with("switch", &off))
    }
}

/// The parts that go into the files of a configuration.
pub(crate) fn of(configuration: &Configuration<'_>, server: bool, hooks: bool) -> Vec<(PathBuf, Part)> {
    let server = server.then(|| (configuration.server.clone(), Part::Server));
    let of_hooks = configuration.files.hooks.clone().filter(|_| hooks).map(|path| (path, Part::Hooks));
    let own_files = hooks.then(|| configuration.own_files()).into_iter().flatten();
    let own_files = own_files.map(|file| (file.path, Part::File(file.text, file.is_program)));
    let switches = disabling::switches(configuration).into_iter();
    let switches = switches.filter(|(_, switch)| hooks || switch.disables == Disables::Server);
    let switches = switches.map(|(path, switch)| (path, Part::Switch(switch)));
    server.into_iter().chain(of_hooks).chain(own_files).chain(switches).collect()
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

/// The edits of a file's text, there and back.
pub(crate) struct Editor<'a> {
    pub(crate) configuration: &'a Configuration<'a>,
    pub(crate) ours: &'a Ours,
    /// True if a server of our name that is not ours is replaced.
    pub(crate) foreign: bool,
    /// True if the server under our name is or becomes ours.
    pub(crate) is_ours: bool,
}

impl Editor<'_> {
    /// The text with these parts.
    ///
    /// # Errors
    /// A syntax error, or something of another form.
    pub(crate) fn there(&self, parts: &[Part], text: &str) -> Result<String, Fault> {
        let Configuration { agent, form, .. } = self.configuration;
        parts.iter().try_fold(text.to_owned(), |text, part| match (part, agent.facts().hooks) {
            (Part::Server, _) if self.is_ours => match form {
                ServerForm::Entry(form) => entry::connect(&text, self.ours, *form, self.foreign),
                ServerForm::File(own) => Ok(own_file::connect(&text, self.ours, *own, self.foreign)),
                ServerForm::Agents(form) => editor::connect(&text, self.ours, *form),
            },
            (Part::Hooks, Some(facts)) => hooks::connect(&text, self.ours, &facts),
            (Part::File(own, _), _) => Ok(own_file::connect(&text, self.ours, *own, false)),
            (Part::Switch(switch), _) => disabling::mend(switch, &text),
            _ => Ok(text),
        })
    }

    /// The text without these parts.
    ///
    /// # Errors
    /// A syntax error, or an edit that would change something else.
    pub(crate) fn back(&self, parts: &[Part], text: &str) -> Result<String, Fault> {
        let Configuration { agent, form, .. } = self.configuration;
        parts.iter().rev().try_fold(text.to_owned(), |text, part| match (part, agent.facts().hooks) {
            (Part::Server, _) if self.is_ours => match form {
                ServerForm::Entry(form) => entry::disconnect(&text, *form),
                ServerForm::File(_) => Ok(own_file::disconnect(&text, self.ours)),
                ServerForm::Agents(form) => editor::disconnect(&text, self.ours, *form),
            },
            (Part::Hooks, Some(facts)) => hooks::disconnect(&text, self.ours, &facts),
            (Part::File(..), _) => Ok(own_file::disconnect(&text, self.ours)),
            _ => Ok(text),
        })
    }
}
