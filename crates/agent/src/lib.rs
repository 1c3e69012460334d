//! The built-in agent: its state machine ([`fsm`]), the texts for its model ([`prompt`]), its models ([`model`]), its tools
//! ([`tools`]), its computations ([`wat`]), and the driver that makes them one ([`driver`]).
//!
//! `fsm` and `prompt` are pure: no IO, no clock, no randomness and no runtime.
#![allow(missing_docs, reason = "an internal crate; a docstring that repeats the name helps nobody")]

pub mod driver;
pub mod fsm;
mod http;
pub mod model;
pub mod prompt;
pub mod tools;
pub mod wat;
