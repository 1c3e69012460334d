//! MCP sessions, which outlast the gateway.

use crate::error::Result;
use crate::turn::Turn;
use crate::writer::Work;
use jiff::SignedDuration;

/// The time for which an MCP session is kept after it was last opened.
const KEPT: SignedDuration = SignedDuration::from_hours(24 * 30);

/// An MCP session that was opened, to be kept.
pub(crate) struct KeepMcpSession {
    pub(crate) id: String,
    pub(crate) key: Option<String>,
    /// The parameters of its `initialize`, as JSON.
    pub(crate) initialize: String,
}

impl Work for KeepMcpSession {
    type Answer = ();

    async fn perform(&self, turn: &mut Turn<'_, '_>) -> Result<()> {
        let now = turn.now();
        let forget_before = now.saturating_sub(KEPT).unwrap_or(now);
        let key = self.key.as_deref();
        Ok(turn.transaction.save_mcp_session(&self.id, key, &self.initialize, now, forget_before).await?)
    }
}
