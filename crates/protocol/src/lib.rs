//! What crosses a wire: requests, replies, events and errors, and the [`Backend`] that answers them.
//!
//! One message set in JSON, camelCase, `type` with dots; the same on the WebSocket and over the window's IPC.
//! The TypeScript types in `ui/src/protocol` are made from here (`cargo xtask types`).
//! This crate names no runtime and no transport, and decides nothing about lists.

mod backend;
mod caller;
pub mod command;
mod error;
mod event;
#[cfg(feature = "fuzz")]
pub mod fuzz;
mod request;
mod session;

pub use backend::{Backend, BoxFuture, EventStream, SharedEvent, Subscription};
pub use caller::{AgentIdentity, Caller, ClientInfo, Transport};
pub use error::{Code, Error, Result};
pub use event::{
    AgentsStepEvent, EditStateEvent, ErrorEvent, Event, GatewayState, GatewayStateEvent, SessionDeleted, SessionEvent,
    SettingsEvent, TodoUpdate,
};
pub use request::*;
pub use session::{
    Actor, ActorKind, AgentInfo, EditKind, EditState, EditView, ListState, Need, NeedKind, Progress, RevisionView,
    Session, SessionState, SessionTodos,
};

/// The version of this message set, said in `hello`. Neighbouring versions understand each other.
pub const PROTOCOL: u32 = 1;

/// The port a gateway takes when it is free.
pub const DEFAULT_PORT: u16 = 3271;

/// How many ports from [`DEFAULT_PORT`] on a gateway tries.
pub const PORTS: u16 = 10;

/// The largest message, in bytes; a larger one is answered with an error and close code 1009.
pub const MESSAGE_BYTES: usize = 1024 * 1024;

/// The largest `session.import`, in bytes: all that was ever in a session is one message.
pub const IMPORT_BYTES: usize = 8 * 1024 * 1024;

/// An agent that made so many calls of other tools while its unfinished list stood still drifts.
pub const DRIFT_CALLS: u32 = 15;

/// How many sessions a snapshot holds at most; the rest is paged by `session.list`.
pub const SNAPSHOT_SESSIONS: usize = 200;

/// What the label of a self-test's session begins with. Nobody is shown such a session; the test deletes it.
pub const SELF_TEST_LABEL: &str = "sightline self-test";

#[cfg(test)]
mod tests;
