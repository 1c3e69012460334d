//! The reasons why a configuration cannot be read or changed, with what to do about it.

use crate::text::Fault;
use std::path::{Path, PathBuf};
use texts::Text;

/// No file was changed, or all that were are as before.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Neither readable nor absent.
    #[error("{path} cannot be read: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A folder, a socket or a link to nothing.
    #[error("{path} is {what}. Move it away and try again")]
    NoFile {
        path: PathBuf,
        /// The kind of thing that it is.
        what: Box<Text>,
    },
    /// A file that has to have the user's own part first.
    #[error(
        "there is no {path} yet, and {agent} needs more in it than our server. Set {agent} up first, then connect it"
    )]
    NotSetUp {
        /// The file.
        path: PathBuf,
        /// The agent's name for people.
        agent: &'static str,
    },
    /// An agent whose permission prompts no hook can answer.
    #[error("{agent} lets nobody else answer its permission prompts. Connect it without --answers")]
    NoAnswers {
        /// The agent's name for people.
        agent: &'static str,
    },
    /// An editor without an agent that our proxy can be put before.
    #[error(
        "{path} has no agent that {editor} starts by a command. Add one there (its `command` and `args`), then connect {editor}"
    )]
    NoAgents {
        /// The file.
        path: PathBuf,
        /// The editor's name for people.
        editor: &'static str,
    },
    /// A file of a project that is elsewhere.
    #[error(
        "{path} leads out of the project, to {real}; nothing was written there. Put a file of its own in its place, or connect \
         without --project"
    )]
    Outside {
        /// The path in the project.
        path: PathBuf,
        /// The end of its links.
        real: PathBuf,
    },
    /// More than [`crate::LIMIT`] bytes.
    #[error("{path} takes {bytes} bytes, more than a configuration may have ({limit}); it is left alone")]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The most that it may take.
        limit: u64,
    },
    /// A file that is not UTF-8.
    #[error("{path} is no UTF-8 text (byte {at} is not). Save it as UTF-8 and try again")]
    NoText {
        /// The file.
        path: PathBuf,
        /// The first byte that is none, from 0.
        at: usize,
    },
    /// A file that is neither JSON nor TOML.
    #[error("{path} has a mistake in line {line}, column {column}: {message}. Mend it there and try again")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// In characters, from 1.
        column: usize,
        /// The parser's message.
        message: String,
    },
    /// Well-formed, but something in it is not what the agent expects.
    #[error("{path} cannot be edited: {what}. Change it by hand and try again")]
    Shape {
        /// The file.
        path: PathBuf,
        /// The fault.
        what: Box<Text>,
    },
    /// Somebody else's server has our name.
    #[error(
        "{path} has a server named \"sightline\" that is not ours (it runs {runs}). Rename it, or replace it explicitly"
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The program or address that it runs.
        runs: String,
    },
    /// A file that may not be written.
    #[error("{path} is read-only. Make it writable, or change it where it comes from, and try again")]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// A file that is not what the plan was made from.
    #[error("{path} was changed meanwhile; nothing was written. Look at the difference again")]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// Writing failed.
    #[error("{path} cannot be written: {source}. Nothing was changed")]
    Write {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// Something failed, and so did putting back what had been done.
    #[error("{cause}. Besides, {path} could not be put back as it was: {source}. The text from before is in {backup}")]
    Restore {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
        /// The backup beside it, or "no backup, it was new".
        backup: Box<Text>,
        /// The first failure.
        cause: Box<Error>,
    },
    /// Something failed, and a file that had been written was changed by somebody else before it could be put back.
    #[error(
        "{cause}. Besides, {path} was changed by somebody else meanwhile and stays as it is now. The text from before is in {backup}"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The backup beside it, or "no backup, it was new".
        backup: Box<Text>,
        /// The first failure.
        cause: Box<Error>,
    },
    /// The agent's own command failed; all is as before.
    #[error("`{command}` failed: {why}. Nothing was changed; run it by hand to see more")]
    Command {
        /// As a shell would take it, without what it is to register.
        command: String,
        /// Its output, or that it took too long.
        why: Text,
    },
    /// A path of the program or the data folder is no text, or not absolute.
    #[error("{path} cannot stand in a configuration: it has to be an absolute path and UTF-8 text")]
    Path { path: PathBuf },
    /// An agent whose configuration is not understood.
    #[error("the configuration of {agent} is not known here")]
    Unknown {
        /// The agent's name.
        agent: &'static str,
    },
    /// The agent has no such switch.
    #[error("{agent} has no setting for its own list; it decides by version and model")]
    NoSwitch {
        /// The agent's name.
        agent: &'static str,
    },
}

/// This crate's results.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Fault {
    /// The fault of the file at this path.
    pub(crate) fn at(self, path: &Path) -> Error {
        let path = path.to_owned();
        match self {
            Self::Syntax { line, column, message } => Error::Syntax { path, line, column, message },
            Self::Shape(what) => Error::Shape { path, what: Box::new(what) },
        }
    }
}
