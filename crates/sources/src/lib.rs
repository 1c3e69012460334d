//! What other people's agents tell of themselves in their own ways.
//!
//! So far: the events of their hooks ([`hooks`]), over any [`protocol::Backend`]. No socket and no file is named here;
//! the gateway takes hooks over HTTP, the command line from standard input.

pub mod hooks;
