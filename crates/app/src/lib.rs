//! The parts of the program put together, for the window and for `sightline serve`: the data folder, its lock and keys,
//! the hub, the gateway. What is stored has its times, ids and secrets from here (`clock`).

mod attach;
mod clock;
mod commands;
mod console;
mod database;
pub mod demo;
mod demo_machine;
mod desk;
mod dial;
mod folder;
mod follow;
mod gateway_file;
mod holder;
mod host_keys;
mod idle;
mod logs;
pub mod machine;
mod parts;
mod private_socket;
mod runtime;
mod start;

pub use self::demo::Demo;
pub use agent::wat;
pub use attach::{Opened, client, ensure_gateway, gateway_at, host_or_attach, open, remote, split_key};
pub use clock::{new_uid, now};
pub use desk::{Desk, Run};
pub use dial::{dial_stdio, private_stream};
pub use folder::{IDENTIFIER, data_dir};
pub use follow::{Message, follow};
pub use holder::answering;
pub use logs::logs;
pub use runtime::Runtime;
pub use start::{Config, Running, Started, start};

/// This build's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
