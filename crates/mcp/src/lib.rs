//! The MCP server over any [`Backend`]: the tools `todo_write`, `todo_read` and `todo_manager`, their results, what
//! an agent is told otherwise, and the list as a resource. The only crate that says what a model reads. It knows no socket: the gateway serves it over HTTP, the
//! command line over stdio.

mod identity;
mod receipts;
mod reminder;
mod resource;
mod roots;
mod server;
mod tool;

pub use identity::{HttpCall, Origin, agent_kind};
pub use receipts::{Acknowledging, Receipt, Receipts};
pub use reminder::{Told, session_in, told_by_hook, told_of_own_list};
pub use server::TodoServer;
pub use tool::{INSTRUCTIONS, of_one_list};

#[cfg(test)]
mod tests;
