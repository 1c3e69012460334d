//! The built-in agent, without its driver: what it does next ([`fsm`]) and what its model is told ([`prompt`]).
//!
//! Both are pure: no IO, no clock, no randomness and no runtime. Whoever calls models and tools performs the effects
//! of [`fsm::Machine`] and gives it back what came of them.

pub mod fsm;
pub mod prompt;
