//! The reading of files in folders that others name: an agent's hook, a project, a transcript.
//!
//! Such a path may lead to a pipe that nobody writes to, a device without an end, a socket, or a mount that does not
//! answer. A file is opened without blocking, has to be an ordinary one by its handle, and is read up to a bound
//! ([`open`], [`read`], [`text`]). That happens on a thread of its own with a limit in time ([`aside`]): what hangs
//! holds up neither others nor the end of the process.
//!
//! This crate does not know the meaning of a file, and writes nothing.

mod aside;
mod elsewhere;
mod file;

#[cfg(all(test, unix))]
mod tests;

pub use aside::{GaveUp, PATIENCE, aside};
pub use elsewhere::is_elsewhere;
pub use file::{is_absent, open, read, text};
