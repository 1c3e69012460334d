//! The machine that a gateway runs on: its agents, how they are connected, and what their transcripts hold.

mod answers;
mod away;
mod demos;
mod environment;
mod files;
mod import;
mod list;
mod open;
mod plans;
mod raise;
mod real;
mod selftest;
mod starts;
mod steps;
mod wording;

// Its programs are those of Unix.
#[cfg(all(test, unix))]
mod tests;

pub(crate) use answers::MachineAnswers;
pub use environment::{environment, named, program, server, variables};
pub use import::import;
pub use list::{Versions, list};
pub use selftest::{RegisteredServer, test};
pub use starts::StartFile;
pub use steps::Tell;
