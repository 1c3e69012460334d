//! The tools of the MCP servers that the user has configured.
//!
//! [`Tools::connect`] starts all servers at once. A server that fails is reported, and the others work. A server that has
//! ended is started again by the next call of one of its tools. [`Tools::connect_beside`] keeps the servers whose
//! configuration has not changed, and [`Tools::renewed`] reads the tools of servers that have announced a change.

mod confined;
mod connection;
mod content;
mod fault;
mod folder;
mod names;
mod options;
mod pipe;
mod process;
mod server;
mod servers;

#[cfg(test)]
mod tests;

pub use content::ToolResult;
pub use folder::Folder;
pub use options::Options;
pub use server::{Server, Transport};
pub use servers::{Failure, Tools};
