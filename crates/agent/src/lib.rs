//! The built-in agent: what it does next ([`fsm`]), what its model is told ([`prompt`]), and its models ([`model`]).
//!
//! `fsm` and `prompt` are pure: no IO, no clock, no randomness and no runtime. Whoever calls models and tools performs
//! the effects of [`fsm::Machine`] and gives it back what came of them.

pub mod driver;
pub mod fsm;
mod http;
pub mod model;
pub mod prompt;
pub mod tools;
pub mod wat;
