//! Runs of several agents, written down, and played to a hub as if they happened.
//!
//! A [`Scene`] is a script: what happened before the demo begins, and what happens while one watches. The past is
//! played at once, by a [`Clock`] that the hub goes by; from then on the clock runs, or stands still for pictures.
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
