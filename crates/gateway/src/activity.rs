//! Whether anybody uses a gateway, for one that ends by itself.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::task::TaskTracker;

/// Connections that are open, and when something was last asked.
#[derive(Clone)]
pub struct Activity {
    connections: TaskTracker,
    last: Arc<Mutex<Instant>>,
}

impl Activity {
    pub(crate) fn new(connections: TaskTracker) -> Self {
        Self { connections, last: Arc::new(Mutex::new(Instant::now())) }
    }

    /// Something was asked.
    pub(crate) fn note(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// For how long nobody was connected and nothing was asked.
    #[must_use]
    pub fn quiet_for(&self) -> Duration {
        if !self.connections.is_empty() {
            self.note();
        }
        self.last.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }
}
