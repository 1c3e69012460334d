//! The machine's time and randomness. No other place of the project reads them.

use jiff::Timestamp;
use uuid::Uuid;

/// The current time.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is where time comes in")]
pub fn now() -> Timestamp {
    Timestamp::now()
}

/// A new uid; later ones sort behind earlier ones.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is where time and randomness come in")]
pub fn new_uid() -> Uuid {
    Uuid::now_v7()
}
