//! The MCP server over any [`Backend`]: the tools `todo_write`, `todo_read` and `todo_manager`, their results, the
//! texts for hooks, and the list as a resource. It knows no socket: the gateway serves it over HTTP, the command line
//! over stdio.

mod go_on;
mod identity;
mod receipts;
mod reminder;
mod resource;
mod roots;
mod server;
mod todo_call;
mod tool;

pub use go_on::going_on;
pub use identity::{HttpCall, Origin, Peer, PeerProcess};
pub use receipts::{Acknowledging, Receipt, Receipts};
pub use reminder::{EditReport, built_in_list_report, hook_report, proof_in};
pub use server::TodoServer;
pub use todo_call::{TodoCall, manager_result, refusal, remark_lines, write_headline};
pub use tool::{INSTRUCTIONS, TODO_TOOLS, tools_for_one_list};

#[cfg(test)]
mod tests;
