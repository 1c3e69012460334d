//! The todo list itself.

mod error;
mod item;
pub mod limits;
mod status;

pub use error::{Error, Result};
pub use item::{Item, Origin, Priority};
pub use status::Status;
