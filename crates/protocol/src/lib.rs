//! The messages between a gateway and its clients: requests, replies, events and errors, and the [`Backend`] that answers
//! requests.
//!
//! One message set in JSON, camelCase, `type` with dots; the same on the WebSocket and over the window's IPC.
//! The TypeScript types in `ui/src/protocol`, `docs/protocol.md` and `docs/protocol.schema.json` are made from here by
//! `cargo xtask types`; docstrings of messages and their fields are the text of that page.
//! This crate names no runtime and no transport, and decides nothing about lists.
#![warn(missing_docs)]

mod address;
mod backend;
mod caller;
pub mod command;
mod error;
mod event;
#[cfg(feature = "fuzz")]
pub mod fuzz;
mod permission;
pub mod proof;
mod request;
mod rights;
mod session;
mod terminal;

pub use self::session::{
    AgentInfo, EditKind, EditState, EditView, LastCall, Need, NeedKind, RevisionView, Session, SessionState,
    SessionTodos,
};
pub use ::session::{Actor, ActorKind, ListState, Progress, Transport, Usage};
pub use address::{gateway_address, host_address, is_loopback, public_host, tek};
pub use backend::{Backend, BoxFuture, EventStream, SharedEvent, Subscription};
pub use caller::{AgentIdentity, Caller, ClientInfo};
pub use error::{Code, Error, Result};
pub use event::{
    AgentsStepEvent, EditStateEvent, ErrorEvent, Event, GatewayState, GatewayStateEvent, HostsEvent, KeysEvent,
    LaterEvent, ListEvent, SessionDeleted, SessionEvent, SettingsEvent, TodoUpdate,
};
pub use permission::{command_of, input_digest, plain_words};
pub use request::*;
pub use rights::Rights;
pub use terminal::Terminal;
pub use texts::{Lines, Text, TextPart, TextRef, all as say, recognised};

/// The version of the protocol, exchanged in `hello`. Neighbouring versions understand each other.
pub const PROTOCOL: u32 = 1;

/// The port a gateway takes when it is free.
pub const DEFAULT_PORT: u16 = 3271;

/// Number of ports that a gateway tries, from [`DEFAULT_PORT`] on.
pub const PORTS: u16 = 10;

/// The largest message in bytes, but for `session.import`; a larger one is answered with an error and close code 1009.
pub const MESSAGE_BYTES: usize = 1024 * 1024;

/// The largest `session.import` in bytes: the whole history of sessions is one message.
pub const IMPORT_BYTES: usize = 8 * 1024 * 1024;

/// The number of sessions that an imported one may be under, each under the next.
pub const IMPORT_PARENTS: usize = 64;

/// Returns the largest message of a type, in bytes.
#[must_use]
pub fn message_bytes(kind: &str) -> usize {
    if kind == "session.import" { IMPORT_BYTES } else { MESSAGE_BYTES }
}

/// Requests that one connection may send a second, in the long run.
pub const REQUESTS_A_SECOND: std::num::NonZeroU32 = std::num::NonZeroU32::new(500).unwrap();

/// Requests that one connection may send at once, after a pause.
pub const REQUESTS_AT_ONCE: std::num::NonZeroU32 = std::num::NonZeroU32::new(2_000).unwrap();

/// Calls of other tools after which an unfinished list that did not change may be out of date.
pub const DRIFT_CALLS: u32 = 15;

/// The most sessions in a snapshot; `session.list` has the rest.
pub const SNAPSHOT_SESSIONS: usize = 200;

/// Beginning of the label of a self-test's session, which is shown to nobody and deleted by the test.
pub const SELF_TEST_LABEL: &str = "sightline self-test";

#[cfg(test)]
mod generated;
