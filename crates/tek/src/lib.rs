//! A client of the Tek gateway's protocol (docs/formats/gateways.md): its chats become sessions here, its lists their
//! built-in lists, and the user's messages go into its chats.
//!
//! `message` reads what it sends, and takes nothing for granted. `fsm` decides what it means and does nothing, `driver` does
//! and decides nothing. Its lists cannot be edited from here: the protocol has no message for that.

mod driver;
mod fsm;
mod message;
mod socket;
mod tasks;

pub use driver::{Config, run};
pub use fsm::Timing;
