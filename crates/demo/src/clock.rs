//! The time that a demo's hub goes by.

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
    /// This time, for as long as nobody sets it.
    Still(Timestamp),
    /// The machine's time, later by so much.
    Running(SignedDuration),
}

impl Clock {
    /// A clock that stands still at a time; `real` says the machine's.
    pub fn new(real: Arc<dyn Fn() -> Timestamp + Send + Sync>, at: Timestamp) -> Self {
        Self { real, shows: Arc::new(Mutex::new(Shows::Still(at))) }
    }

    /// What time it is.
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
