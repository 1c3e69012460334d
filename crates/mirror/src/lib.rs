//! Links to other gateways: their sessions are followed into the hub here, and edits of those are taken to them.
//!
//! A session has one owner, the hub beside its agent. A link asks which sessions changed after a cursor, then each for the
//! rows after the revision that is here; the cursor moves when all of them are stored. So a link that breaks at any time
//! goes on where it was, and nothing is missing or here twice.
//!
//! A Tek gateway has a protocol of its own, which the crate `tek` follows.
//!
//! `fsm` decides and does nothing, `driver` does and decides nothing. This crate opens no port, and stores no key.

mod command;
mod driver;
mod fsm;
mod keys;
mod links;

pub use fsm::Timing;
pub use keys::Keys;
pub use links::{Config, Running, start};
