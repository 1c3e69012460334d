//! Agents that are connected.

use crate::core::Core;
use std::sync::Arc;

/// Keeps an agent's connection known as there; dropped when it ends.
pub struct Presence {
    core: Arc<Core>,
    connection: String,
}

impl Presence {
    pub(crate) fn new(core: Arc<Core>, connection: String) -> Self {
        core.board.enter(&connection);
        Self { core, connection }
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.core.board.leave(&self.connection);
        self.core.board.time_passed(self.core.moment());
    }
}
