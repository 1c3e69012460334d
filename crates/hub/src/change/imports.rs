//! Sessions that were exported elsewhere.

use crate::error::Result;
use crate::exchange;
use crate::turn::Turn;
use protocol::{SessionImport, SessionsImported};

impl Turn<'_, '_> {
    /// Takes sessions in that were exported as JSON. A session that is known stays as it is, also a deleted one.
    pub(super) async fn import(&mut self, ask: &SessionImport) -> Result<SessionsImported> {
        let mut imported = SessionsImported { sessions: Vec::new(), known: 0 };
        for (mut row, history) in exchange::read(&ask.text)? {
            let is_known = self.staged.lives.contains_key(&row.session_id)
                || self.core.store.session(&row.session_id).await?.is_some()
                || self.core.store.deleted(&row.session_id).await?.is_some();
            if is_known || imported.sessions.contains(&row.session_id) {
                imported.known += 1;
                continue;
            }
            row.cursor = self.transaction.advance();
            self.transaction.import(&mut row, &history).await?;
            imported.sessions.push(row.session_id);
        }
        Ok(imported)
    }
}
