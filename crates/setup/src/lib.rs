//! Other people's agents' configuration: find them, register our MCP server and hooks, take that away.
//!
//! `agents` says what differs between agents. Everything is a [`Plan`] first, which can be looked at as a diff, and is
//! then done as a whole or not at all.
//!
//! The files are edited directly, also where an agent has a command of its own for it: such a command can neither
//! show beforehand what it will do, nor be undone exactly, and some lay the file out anew. The exception is a file that
//! the agent rewrites while it runs, such as Claude Code's `~/.claude.json`: there its own command is called where it is
//! installed.
//!
//! The promise of an edit: every byte that need not change stays (comments, order, indentation, line ends, byte
//! order mark, a missing last line end); connecting twice changes nothing; disconnecting takes out what is ours and
//! leaves what is others'. An empty object that was there before, and a file that was not, are known again by the
//! backup beside the file or the lack of one. What somebody else writes meanwhile is not written over: each file is
//! looked at again just before it gets its new text, and before that is taken back.
//!
//! No hub and no clock; environment, folders and time come in from outside. Nothing secret is written anywhere: the
//! registration holds a program's path and a folder's.

mod apply;
mod built_in_list;
mod configuration;
mod connect;
mod disabling;
mod editor;
mod entry;
mod error;
mod hooks;
mod instruct;
mod json;
mod look;
mod management_command;
mod own_file;
mod parts;
mod plan;
mod run;
mod server;
mod shell;
mod source;
mod status;
mod text;
mod toml;
mod wording;
mod yaml;

#[cfg(test)]
#[cfg_attr(not(unix), allow(dead_code, unused_imports, reason = "some of what they share is for those of Unix alone"))]
mod tests;

pub use apply::Applied;
pub use built_in_list::{turn_built_in_list_off, turn_built_in_list_on};
pub use connect::{Answers, Options, connect, disconnect};
pub use error::{Error, Result};
pub use instruct::{instruct, uninstruct};
pub use look::{look, version};
pub use plan::{Call, Edit, Plan, Registered};
pub use server::Server;
pub use shell::Shell;
pub use source::LIMIT;
pub use status::{BuiltInList, Registration, Status};
