//! The todo list itself: items, statuses, positions, changes, the protected merge, progress and text forms.
//!
//! Pure rules: no IO, no clock, no randomness and no runtime; time and uids come in with each change
//! ([`list::Stamp`]). [`change::apply`] is the one way in which a list becomes another.

pub mod change;
mod draft;
mod edit;
mod error;
mod identity;
mod item;
pub mod limits;
pub mod list;
mod merge;
pub mod position;
mod progress;
pub mod rank;
mod status;
pub mod text;

#[cfg(test)]
mod tests;

pub use change::{Applied, Change, Target, apply};
pub use draft::Draft;
pub use edit::{Edit, EditAction, EditState, Removed};
pub use error::{Error, Result};
pub use item::{Item, Origin, Priority};
pub use list::{Difference, List, Memory, Said, Stamp};
pub use merge::short;
pub use position::Position;
pub use progress::{Progress, progress};
pub use status::Status;
