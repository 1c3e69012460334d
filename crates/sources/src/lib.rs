//! What other people's agents tell of themselves in their own ways.
//!
//! So far: the events of their hooks ([`hooks`]), over any [`protocol::Backend`], and the project and branch of the
//! folder that they work in ([`Place`]). No socket is named here; the gateway takes hooks over HTTP, the command line
//! from standard input.

pub mod hooks;
mod place;
mod processes;

pub use place::Place;
pub use processes::above;
