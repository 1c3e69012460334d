//! The machine's time and randomness for all that is stored: times, ids, secrets. Connections measure their own limits,
//! and make their own nonces.

use jiff::Timestamp;
use rand::distr::{Alphanumeric, SampleString};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use uuid::Uuid;

/// The current time.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is where time comes in")]
pub fn now() -> Timestamp {
    Timestamp::now()
}

/// The time since the first call. It goes on evenly, also where somebody sets the clock.
#[must_use]
pub(crate) fn elapsed() -> Duration {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    BEGUN.get_or_init(Instant::now).elapsed()
}

/// A new uid; later ones sort behind earlier ones.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is where time and randomness come in")]
pub fn new_uid() -> Uuid {
    Uuid::now_v7()
}

/// Characters of a secret: 62 to the power of 43 are more than 2 to the power of 256.
const SECRET_CHARS: usize = 43;

/// A new secret.
#[must_use]
pub(crate) fn new_secret() -> String {
    Alphanumeric.sample_string(&mut rand::rng(), SECRET_CHARS)
}
