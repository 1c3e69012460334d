//! The events that other people's agents report in their own ways, handed to any [`protocol::Backend`].
//!
//! They come from hooks ([`hooks`]) and transcripts ([`files`]), live ([`Live`]) and from old ones ([`import()`]), with the
//! project and branch of the folder that an agent works in ([`GitFolder`]). What an agent's payloads and files mean is
//! said in `agents`. No socket is named here; the gateway takes hooks over HTTP, the command line from standard input.

mod feed;
pub mod files;
#[cfg(feature = "fuzz")]
pub mod fuzz;
mod git_folder;
pub mod hooks;
mod import;
mod live;
mod processes;
mod terminal;

pub use git_folder::GitFolder;
pub use import::import;
pub use live::Live;
pub use processes::above;
pub use terminal::{terminal, terminal_of_process};
