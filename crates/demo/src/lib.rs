//! Scripted runs of several agents, played to a hub as if they happened.
//!
//! A [`Scene`] is a script of the time before the demo begins and of the time after. The past is played at once, with a
//! [`Clock`] that the hub uses; from then on the clock runs, or stands still for pictures.
//! This crate decides nothing about lists: it sends the requests that agents and people send.

mod cast;
mod clock;
mod play;
mod scene;
mod script;

#[cfg(test)]
mod tests;

pub use clock::Clock;
pub use play::Player;
pub use scene::Scene;
