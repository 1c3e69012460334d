//! Sessions that were exported elsewhere.

use crate::conversation::AGENT;
use crate::error::Result;
use crate::evidence::OWN;
use crate::exchange::{self, ImportedSession};
use crate::turn::Turn;
use protocol::{SessionImport, SessionsImported};

impl Turn<'_, '_> {
    /// Takes sessions in that were exported as JSON. A session that is known stays as it is, also a deleted one.
    pub(super) async fn import(&mut self, ask: &SessionImport) -> Result<SessionsImported> {
        let mut imported = SessionsImported { sessions: Vec::new(), known: 0 };
        let now = self.now();
        for ImportedSession { mut row, history, chat } in exchange::read(&ask.text, now)? {
            let is_known = self.staged.lives.contains_key(&row.session_id)
                || self.core.store.session(&row.session_id).await?.is_some()
                || self.core.store.deleted(&row.session_id).await?.is_some();
            if is_known || imported.sessions.contains(&row.session_id) {
                imported.known += 1;
                continue;
            }
            row.cursor = self.transaction.advance();
            self.transaction.import(&mut row, &history).await?;
            if let Some(chat) = chat {
                self.transaction.save_chat(&row, &chat.state, chat.running).await?;
                for message in chat.messages {
                    self.transaction.save_chat_message(&row, &message.into()).await?;
                }
                // The agent finds its sessions by ids of its own.
                let own = format!("{AGENT}|{}", row.session_id);
                self.transaction.bind(&row, OWN, &own, now).await?;
                self.staged.bindings.insert((OWN.to_owned(), own), row.session_id.clone());
            }
            imported.sessions.push(row.session_id);
        }
        Ok(imported)
    }
}
