//! Changes to be looked at before they are made.

use crate::error::{Error, Result};
use crate::source::{Source, follow_links};
use agents::{Agent, SERVER};
use serde_json::Value;
use similar::TextDiff;
use std::path::{Path, PathBuf};
use texts::Text;

/// Changes of files and calls of an agent's own command, none of them made yet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[must_use = "nothing is done until it is applied"]
pub struct Plan {
    /// Files, in the order in which they are written.
    pub edits: Vec<Edit>,
    /// Commands, run when the files are ready to be written and before they are.
    pub calls: Vec<Call>,
    /// The entry that the commands change.
    pub registered: Option<Registered>,
    /// Sentences without a full stop on what the user has to know or to do besides.
    pub notes: Vec<Text>,
}

/// A file before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Its path as the agent names it.
    pub path: PathBuf,
    /// The file that is written: the path itself, or the end of its link.
    pub real: PathBuf,
    /// True if links lead from the path to the file.
    pub(crate) is_linked: bool,
    /// None: there is no such file.
    pub before: Option<String>,
    /// None: it is removed.
    pub after: Option<String>,
    /// True if the agent runs the file.
    pub(crate) is_program: bool,
    /// A new file is for its owner only, since others' secrets may come into it.
    pub(crate) private: bool,
    /// The agent's own folders that it is in, the nearest first: made with the file, removed with it when nothing else is in
    /// them.
    pub(crate) own_folders: Vec<PathBuf>,
}

/// An entry that an agent's own command changes, in a file that the agent rewrites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registered {
    /// The file; it gets a backup.
    pub path: PathBuf,
    /// The agent whose file it is.
    pub(crate) agent: &'static dyn Agent,
    /// None: there is no such entry.
    pub before: Option<Value>,
    /// None: it is removed.
    pub after: Option<Value>,
    /// The call that removes any such entry, and the one that adds the entry from before.
    pub(crate) undo: (Call, Option<Call>),
}

/// A call of an agent's own command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables that decide which user's configuration it changes.
    pub(crate) environment: Vec<(&'static str, String)>,
}

impl Plan {
    /// Returns whether it changes nothing.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.edits.is_empty() && self.calls.is_empty()
    }

    /// All of it as a unified diff, calls as `$ command`; empty for nothing.
    #[must_use]
    pub fn diff(&self) -> String {
        let mut out = String::new();
        for edit in &self.edits {
            if edit.is_linked {
                out.push_str(&format!("{} leads to {}\n", edit.path.display(), edit.real.display()));
            }
            let name = |text: &Option<String>| {
                text.as_ref().map_or("/dev/null".to_owned(), |_| edit.path.display().to_string())
            };
            let (before, after) =
                (edit.before.as_deref().unwrap_or_default(), edit.after.as_deref().unwrap_or_default());
            if edit.before.is_some() != edit.after.is_some() && before == after {
                out.push_str(&format!("--- {}\n+++ {}\n", name(&edit.before), name(&edit.after)));
            }
            let diff = TextDiff::from_lines(before, after);
            out.push_str(
                &diff.unified_diff().context_radius(3).header(&name(&edit.before), &name(&edit.after)).to_string(),
            );
        }
        if let Some(Registered { path, before, after, .. }) = &self.registered {
            let name = |entry: &Option<Value>| {
                entry.as_ref().map_or("/dev/null".to_owned(), |_| format!("{}: \"{SERVER}\"", path.display()))
            };
            let text = |entry: &Option<Value>| entry.as_ref().map_or(String::new(), |entry| format!("{entry:#}\n"));
            let (old, new) = (text(before), text(after));
            let diff = TextDiff::from_lines(&old, &new);
            out.push_str(&diff.unified_diff().context_radius(3).header(&name(before), &name(after)).to_string());
        }
        for call in &self.calls {
            out.push_str(&format!("$ {}\n", call.shown()));
        }
        out
    }

    /// Adds the edit of a file, unless it changes nothing.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], and [`Error::Outside`].
    pub(crate) fn edit(&mut self, source: Source, after: Option<String>, owner: &Owner) -> Result<()> {
        if source.text == after {
            return Ok(());
        }
        if source.text.is_some() && source.real.metadata().is_ok_and(|file| file.permissions().readonly()) {
            return Err(Error::ReadOnly { path: source.path });
        }
        let is_linked = follow_links(&source.path, &source.real, &owner.root, !owner.private)?;
        let own_folders = owner.folder.as_ref().map_or_else(Vec::new, |top| {
            let folders = source.path.ancestors().skip(1).take_while(|folder| folder.starts_with(top));
            folders.map(Path::to_owned).collect()
        });
        self.edits.push(Edit {
            path: source.path,
            real: source.real,
            is_linked,
            before: source.text,
            after,
            is_program: owner.is_program,
            private: owner.private,
            own_folders,
        });
        Ok(())
    }
}

/// The owner of a plan's new files.
pub(crate) struct Owner {
    /// True if they are one user's.
    pub(crate) private: bool,
    /// The user's home, or the project.
    pub(crate) root: PathBuf,
    /// The agent's own folder.
    pub(crate) folder: Option<PathBuf>,
    /// True if the agent runs the file.
    pub(crate) is_program: bool,
}

impl Call {
    /// The command as one would type it.
    #[must_use]
    pub fn shown(&self) -> String {
        self.words(self.args.iter())
    }

    /// The command without an entry's text, which may hold others' secrets: for messages that others may read.
    pub(crate) fn named(&self) -> String {
        self.words(self.args.iter().filter(|word| !word.starts_with('{')))
    }

    fn words<'a>(&'a self, args: impl Iterator<Item = &'a String>) -> String {
        let name = self.program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let quoted = |word: &String| shlex::try_quote(word).unwrap_or_default().into_owned();
        std::iter::once(quoted(&name)).chain(args.map(quoted)).collect::<Vec<_>>().join(" ")
    }
}
