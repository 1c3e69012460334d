//! The todo list itself: items, statuses, positions, changes, the protected merge, progress and text forms.
//!
//! Pure rules: no IO, no clock, no randomness and no runtime; time and uids come in with each change
//! ([`list::Stamp`]). [`change::apply`] is the one way in which a list becomes another.
#![warn(missing_docs)]

mod caller;
pub mod change;
pub mod check;
pub mod depends;
mod draft;
mod edit;
mod error;
pub mod estimate;
mod fields;
#[cfg(any(test, feature = "fuzz"))]
pub mod fuzz;
mod identity;
mod item;
pub mod limits;
pub mod list;
pub mod manager;
mod merge;
mod others;
pub mod position;
mod progress;
pub mod rank;
mod status;
pub mod text;
mod worked;

#[cfg(test)]
mod tests;

pub use caller::{CallerMemory, LastSent, SentDifference};
pub use change::{Applied, By, Change, NextList, Target, apply};
pub use draft::Draft;
pub use edit::{Edit, EditAction, EditState, Leveled, Place, Removed, Touched};
pub use error::{Error, Result};
pub use fields::{Field, FieldSet, Fields, Names, read_with_fields};
pub use item::{Item, Origin, Priority};
pub use list::{Difference, List, Stamp};
pub use others::Others;
pub use position::{Position, Positions};
pub use progress::{Progress, is_finished, progress};
pub use smol_str::SmolStr;
pub use status::Status;
pub use text::short;
