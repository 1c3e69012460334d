//! An agent's configuration at a scope: its files as they are on this machine.

use crate::error::Error;
use crate::parts::Part;
use crate::server::Ours;
use crate::source::{Source, refuse_outside};
use crate::status::Registration;
use crate::text::Fault;
use crate::{editor, entry, hooks, own_file, plan};
use agents::{Agent, ConfigurationFiles, Environment, OwnFile, Scope, ServerForm};
use std::path::{Path, PathBuf};

/// An agent's configuration at a scope.
pub(crate) struct Configuration<'a> {
    pub(crate) agent: &'static dyn Agent,
    pub(crate) environment: &'a Environment,
    pub(crate) scope: &'a Scope,
    pub(crate) form: ServerForm,
    pub(crate) files: ConfigurationFiles,
    /// The file that has or gets our server.
    pub(crate) server: PathBuf,
}

impl<'a> Configuration<'a> {
    /// Finds the files of an agent.
    ///
    /// # Errors
    /// [`Error::Unknown`] for an agent whose configuration is not understood, [`Error::Outside`] for a project's file that
    /// is elsewhere.
    pub(crate) fn of(environment: &'a Environment, agent: &'static dyn Agent, scope: &'a Scope) -> crate::Result<Self> {
        let form = agent.facts().server_form.ok_or_else(|| Error::Unknown { agent: agent.title() })?;
        let files = agent.files(environment, scope);
        if let Scope::Project(project) = scope {
            let own_files = agent.own_files(environment, scope);
            let own = [&files.hooks, &files.built_in_switch].into_iter().flatten();
            for path in files.servers.iter().chain(own).chain(own_files.iter().map(|file| &file.path)) {
                refuse_outside(path, project)?;
            }
        }
        let has_ours = |path: &&PathBuf| {
            let source = Source::read(path).ok();
            let ServerForm::Entry(form) = form else { return false };
            source.and_then(|source| entry::read(source.body(), form).ok()).is_some_and(|entry| !entry.is_null())
        };
        let exists = |path: &&PathBuf| path.symlink_metadata().is_ok();
        let servers = &files.servers;
        let server = match servers.as_slice() {
            [only] => Some(only),
            _ => servers.iter().find(has_ours).or_else(|| servers.iter().find(exists)).or_else(|| servers.first()),
        };
        let server = server.cloned().ok_or_else(|| Error::Unknown { agent: agent.title() })?;
        Ok(Self { agent, environment, scope, form, files, server })
    }

    /// The state of our server in a text of its file.
    ///
    /// # Errors
    /// A syntax error.
    pub(crate) fn look(&self, text: &str, ours: &Ours) -> Result<Registration, Fault> {
        match self.form {
            ServerForm::Entry(form) => entry::look(text, ours, form),
            ServerForm::File(own) => Ok(own_file::look(text, ours, own)),
            ServerForm::Agents(form) => editor::look(text, ours, form),
        }
    }

    /// Returns whether there is nothing that ours can be put to: an editor has no agents.
    ///
    /// # Errors
    /// A syntax error.
    pub(crate) fn lacks_agents(&self, text: &str, ours: &Ours) -> Result<bool, Fault> {
        match self.form {
            ServerForm::Agents(form) => Ok(!editor::has_agents(text, ours, form)?),
            ServerForm::Entry(_) | ServerForm::File(_) => Ok(false),
        }
    }

    /// Returns whether the file with our server is never made.
    pub(crate) const fn needs_file(&self) -> bool {
        matches!(self.form, ServerForm::Entry(form) if form.needs_file)
    }

    /// The seconds for which the agent waits for answers to its permission prompts, as its files say. `None` where it asks by
    /// itself.
    pub(crate) fn answers(&self, ours: &Ours) -> Option<u32> {
        let hooks = self.agent.facts().hooks?;
        self.agent.asking()?;
        let registered = self.files.hooks.as_ref().and_then(|path| Source::read(path).ok());
        let registered = registered.and_then(|source| hooks::answers(source.body(), ours, &hooks).ok()?);
        let of_file = |file: OwnFile| own_file::answers(Source::read(&file.path).ok()?.body(), ours);
        registered.or_else(|| self.own_files().into_iter().find_map(of_file))
    }

    /// The files that are ours as a whole and hear the agent's events.
    pub(crate) fn own_files(&self) -> Vec<OwnFile> {
        self.agent.own_files(self.environment, self.scope)
    }

    /// The owner of a file that gets these parts.
    pub(crate) fn owner_of(&self, path: &Path, parts: &[Part]) -> plan::Owner {
        let owner = self.owner();
        match parts {
            [Part::File(_, is_program)] => {
                let folder = owner.folder.or_else(|| path.parent().map(Path::to_owned));
                plan::Owner { is_program: *is_program, folder, ..owner }
            }
            _ => owner,
        }
    }

    /// The owner of new files.
    pub(crate) fn owner(&self) -> plan::Owner {
        let root = match self.scope {
            Scope::User => &self.environment.home,
            Scope::Project(project) => project,
        };
        plan::Owner {
            private: *self.scope == Scope::User,
            root: root.clone(),
            folder: self.files.own_folder.clone(),
            is_program: false,
        }
    }
}
