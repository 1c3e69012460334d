//! What keeps a configuration from being read or changed, said with what to do about it.

use crate::text::Fault;
use std::path::{Path, PathBuf};

/// No file was changed, or all that were are as before.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Neither readable nor absent.
    #[error("{path} cannot be read: {source}")]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A folder, a socket or a link to nothing.
    #[error("{path} is {what}. Move it away and try again")]
    NoFile {
        /// Which.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// More than [`crate::LIMIT`] bytes, or 64 MiB for Claude Code's own file.
    #[error("{path} takes {bytes} bytes, more than a configuration may have ({limit}); it is left alone")]
    TooLarge {
        /// Which file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The most that it may take.
        limit: u64,
    },
    /// No UTF-8.
    #[error("{path} is no UTF-8 text (byte {at} is not). Save it as UTF-8 and try again")]
    NoText {
        /// Which file.
        path: PathBuf,
        /// The first byte that is none, from 0.
        at: usize,
    },
    /// No JSON or TOML.
    #[error("{path} has a mistake in line {line}, column {column}: {message}. Mend it there and try again")]
    Syntax {
        /// Which file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// In characters, from 1.
        column: usize,
        /// What the parser says.
        message: String,
    },
    /// Well-formed, but something in it is not what the agent expects.
    #[error("{path} cannot be edited: {what}. Change it by hand and try again")]
    Shape {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// Somebody else's server has our name.
    #[error(
        "{path} has a server named \"sightline\" that is not ours (it runs {runs}). Rename it, or replace it explicitly"
    )]
    Foreign {
        /// Which file.
        path: PathBuf,
        /// What it runs.
        runs: String,
    },
    /// It may not be written.
    #[error("{path} is read-only. Make it writable, or change it where it comes from, and try again")]
    ReadOnly {
        /// Which file.
        path: PathBuf,
    },
    /// It is not what the plan was made from.
    #[error("{path} was changed meanwhile; nothing was written. Look at the difference again")]
    Changed {
        /// Which file.
        path: PathBuf,
    },
    /// Writing failed.
    #[error("{path} cannot be written: {source}. Nothing was changed")]
    Write {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Something failed, and so did putting back what had been done.
    #[error("{cause}. Besides, {path} could not be put back as it was: {source}. The text from before is in {backup}")]
    Restore {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
        /// The backup beside it, or "no backup, it was new".
        backup: String,
        /// What failed first.
        cause: Box<Error>,
    },
    /// Something failed, and a file that had been written was changed by somebody else before it could be put back.
    #[error(
        "{cause}. Besides, {path} was changed by somebody else meanwhile and stays as it is now. The text from before is in {backup}"
    )]
    Newer {
        /// Which file.
        path: PathBuf,
        /// The backup beside it, or "no backup, it was new".
        backup: String,
        /// What failed first.
        cause: Box<Error>,
    },
    /// The agent's own command failed; all is as before.
    #[error("`{command}` failed: {why}. Nothing was changed; run it by hand to see more")]
    Command {
        /// As a shell would take it, without what it is to register.
        command: String,
        /// What it said, or that it took too long.
        why: String,
    },
    /// A path of the program or the data folder is no text, or not absolute.
    #[error("{path} cannot stand in a configuration: it has to be an absolute path and UTF-8 text")]
    Path {
        /// Which path.
        path: PathBuf,
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
            Self::Shape(what) => Error::Shape { path, what },
        }
    }
}
