//! The clock of a demo's hub.

use jiff::{SignedDuration, Timestamp};
use std::sync::{Arc, Mutex, PoisonError};

/// A clock that is set while the past is played, and then runs or stands still. Cheap to clone.
#[derive(Clone)]
pub struct Clock {
    real: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    shows: Arc<Mutex<Shows>>,
}

#[derive(Clone, Copy)]
enum Shows {
    /// This time.
    Still(Timestamp),
    /// The machine's time plus this duration.
    Running(SignedDuration),
}

impl Clock {
    /// A clock that stands still at a time; `real` returns the machine's time.
    pub fn new(real: Arc<dyn Fn() -> Timestamp + Send + Sync>, at: Timestamp) -> Self {
        Self { real, shows: Arc::new(Mutex::new(Shows::Still(at))) }
    }

    /// The current time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        match *self.shows.lock().unwrap_or_else(PoisonError::into_inner) {
            Shows::Still(at) => at,
            Shows::Running(later) => (self.real)() + later,
        }
    }

    pub(crate) fn set(&self, at: Timestamp) {
        self.show(Shows::Still(at));
    }

    pub(crate) fn run(&self) {
        self.show(Shows::Running(self.now().duration_since((self.real)())));
    }

    fn show(&self, shows: Shows) {
        *self.shows.lock().unwrap_or_else(PoisonError::into_inner) = shows;
    }
}
