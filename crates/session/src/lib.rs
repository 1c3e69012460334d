//! Stored facts about a session, in groups of fields that change together, and the words that they are stored as.
//!
//! The store reads and writes these groups, the protocol shows some of their types to clients, and an export writes the
//! groups as they are here. Nothing is derived in this crate: it has no clock and knows no connection. The state that
//! clients see, `protocol::SessionState`, is derived in the hub from [`ReportedState`] and the time.
#![warn(missing_docs)]

mod actor;
mod groups;
mod usage;
mod word;

pub use actor::{Actor, ActorKind, Transport};
pub use groups::{DismissedNeed, Identity, Life, ListState, ListSummary, Marks, Progress, ReportedState};
pub use usage::Usage;
pub use word::{Word, tolerant};
