//! What other people's agents tell of themselves in their own ways.
//!
//! The events of their hooks ([`hooks`]); their own lists and runs, as their files have them ([`files`]), live
//! ([`Live`]) and from old transcripts ([`import()`]); and the project and branch of the folder that they work in
//! ([`Place`]). All of it goes to any [`protocol::Backend`]. No socket is named here; the gateway takes hooks over HTTP,
//! the command line from standard input.

mod calls;
mod feed;
pub mod files;
#[cfg(feature = "fuzz")]
pub mod fuzz;
pub mod hooks;
mod import;
mod live;
mod place;
mod processes;

pub use import::import;
pub use live::Live;
pub use place::Place;
pub use processes::above;

/// A subagent's own id, made of its agent's and its own within that: the same by hooks, files and calls.
#[must_use]
pub(crate) fn of_subagent(session: &str, subagent: &str) -> String {
    format!("{session}/{subagent}")
}

/// The variables in which agents say their own session's id to the programs that they start, by the agent's name.
pub const OWN_SESSIONS: [(&str, &str); 2] = [("claude", "CLAUDE_CODE_SESSION_ID"), ("qwen", "QWEN_CODE_SESSION_ID")];

/// Likewise the variables in which they say their version.
pub const VERSIONS: [(&str, &str); 1] = [("qwen", "QWEN_CODE_STARTUP_VERSION")];
