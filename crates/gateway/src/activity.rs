//! The use of a gateway, for one that ends by itself when nobody uses it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::task::TaskTracker;

/// The open connections, and the time of the last request.
#[derive(Clone)]
pub struct Activity {
    connections: TaskTracker,
    last: Arc<Mutex<Instant>>,
}

impl Activity {
    pub(crate) fn new(connections: TaskTracker) -> Self {
        Self { connections, last: Arc::new(Mutex::new(Instant::now())) }
    }

    /// Notes a request.
    pub(crate) fn note(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Returns the time for which nobody was connected and nothing was asked.
    #[must_use]
    pub fn quiet_for(&self) -> Duration {
        if !self.connections.is_empty() {
            self.note();
        }
        self.last.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }
}
