//! The built-in agent: prompts, its answers as they stream, approvals, and the models that it can have.
//!
//! Messages and fields that the Tek protocol has are its own (`chat.send`, `tool.approval.response`,
//! `preflight.approval`, `vault.keys.*`); each event names its session as well.

mod approval;
mod conversation;
mod models;
mod run;
mod settings;
mod stream;
mod tools;

pub(super) use settings::check;

pub use approval::*;
pub use conversation::*;
pub use models::*;
pub use run::*;
pub use settings::*;
pub use stream::*;
pub use tools::*;
