//! Sessions that were exported elsewhere.

use crate::conversation::{AGENT, StoredChat};
use crate::error::Result;
use crate::evidence::OWN;
use crate::exchange::{self, ExportedSession, check};
use crate::turn::Turn;
use jiff::SignedDuration;
use protocol::{IMPORT_PARENTS, SessionImport, SessionsImported};
use std::collections::{HashMap, HashSet};
use store::SessionRow;

/// The time that a clock elsewhere may be ahead of ours.
const AHEAD: SignedDuration = SignedDuration::from_hours(24);

impl Turn<'_, '_> {
    /// Takes sessions in that were exported as JSON. A session that is known stays as it is, also a deleted one.
    pub(super) async fn import(&mut self, ask: &SessionImport) -> Result<SessionsImported> {
        let now = self.now();
        let latest = now.saturating_add(AHEAD).unwrap_or(now);
        let sessions = exchange::read(&ask.text)?;
        for session in &sessions {
            check::session(session, latest).map_err(|problem| exchange::refused(&session.session_id, &problem))?;
        }
        let above = |session: &ExportedSession| (session.session_id.clone(), session.who.parent_session_id.clone());
        let mut parents: HashMap<String, Option<String>> = ask.parents.clone().into_iter().collect();
        parents.extend(sessions.iter().map(above));
        let mut imported = SessionsImported { sessions: Vec::new(), known: 0 };
        let mut ids = HashSet::new();
        for mut session in sessions {
            let (conversation, agent) = (session.conversation.take(), session.who.agent_name.clone());
            let (mut row, history) = session.rows();
            let refused = |problem: String| exchange::refused(&row.session_id, &problem);
            todo::check::list(&history.list()).map_err(refused)?;
            let chat =
                conversation.map(|conversation| conversation.read(&agent, now, latest)).transpose().map_err(refused)?;
            let is_known = self.staged.lives.contains_key(&row.session_id)
                || self.core.store.parent(&row.session_id).await?.is_some();
            if is_known {
                imported.known += 1;
                continue;
            }
            self.refuse_circle(&row, &parents).await?;
            if let Some(taken) = self.transaction.taken(&history).await? {
                let problem = format!("has {taken}, which is of another session here");
                return Err(exchange::refused(&row.session_id, &problem));
            }
            let own = history.edits.iter().map(|(edit, _)| edit.id.to_string());
            for id in own.chain(history.lists.iter().map(|list| list.list_id.clone())) {
                if !ids.insert(id.clone()) {
                    let problem = format!("has {}, which stands for two things in this import", todo::text::plain(&id));
                    return Err(exchange::refused(&row.session_id, &problem));
                }
            }
            if !ask.check {
                row.cursor = self.transaction.advance();
                self.transaction.import(&mut row, &history).await?;
                if let Some(chat) = chat {
                    self.import_conversation(&row, chat).await?;
                }
            }
            imported.sessions.push(row.session_id);
        }
        Ok(imported)
    }

    /// Saves a conversation with the built-in agent, which finds its sessions by ids of its own.
    async fn import_conversation(&mut self, row: &SessionRow, chat: StoredChat) -> Result<()> {
        self.transaction.save_chat(row, &chat.state, chat.running).await?;
        for message in chat.messages {
            self.transaction.save_chat_message(row, &message.into()).await?;
        }
        let own = format!("{AGENT}|{}", row.session_id);
        self.transaction.bind(row, OWN, &own, self.now()).await?;
        self.staged.bindings.insert((OWN, own), row.session_id.clone());
        Ok(())
    }

    /// Refuses a session that would be under itself, over sessions of the same import or of those that are here.
    pub(super) async fn refuse_circle(
        &self,
        row: &SessionRow,
        parents: &HashMap<String, Option<String>>,
    ) -> Result<()> {
        let mut seen = HashSet::from([row.session_id.clone()]);
        let mut above = row.who.parent_session_id.clone();
        while let Some(id) = above {
            above = match parents.get(&id) {
                Some(parent) => parent.clone(),
                None => self.core.store.parent(&id).await?.flatten(),
            };
            if seen.len() > IMPORT_PARENTS || !seen.insert(id) {
                let problem = format!("is under itself, or under more than {IMPORT_PARENTS} others");
                return Err(exchange::refused(&row.session_id, &problem));
            }
        }
        Ok(())
    }
}
