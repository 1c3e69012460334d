//! Sessions for people and for other programs: as Markdown, as JSON with all of their history, and as training examples.

use super::Question;
use crate::error::{Failure, Result};
use crate::exchange;
use protocol::{Code, ExportFormat, Exported, SessionExport};
use serde_json::json;
use todo::text::{plain, write_markdown, write_tokens};

/// Sessions in one export at most.
const SESSIONS: usize = 1_000;

impl Question<'_> {
    /// Sessions as a text for other programs.
    pub(crate) async fn export(self, ask: &SessionExport) -> Result<Exported> {
        if ask.and.len() >= SESSIONS {
            let problem = format!("one export has at most {SESSIONS} sessions; ask for the others in another one");
            return Err(Failure::refused(Code::InvalidMessage, problem));
        }
        let mut sessions = Vec::new();
        let mut parts = Vec::new();
        for name in std::iter::once(&ask.session_id).chain(&ask.and) {
            match ask.format {
                ExportFormat::Markdown => parts.push(self.markdown(name, ask.revision).await?),
                ExportFormat::Json => {
                    let row = self.sessions().row_named(name).await?;
                    let history = self.core.store.history(row.pk).await?;
                    sessions.push(exchange::ExportedSession::of(row, history.without_deleted()));
                }
                ExportFormat::Training => parts.push(self.training(name).await?),
            }
        }
        let text = match ask.format {
            ExportFormat::Markdown => parts.join("\n"),
            ExportFormat::Training => parts.concat(),
            ExportFormat::Json => exchange::write(sessions)?,
        };
        Ok(Exported { text })
    }

    /// A heading and a checklist.
    async fn markdown(self, name: &str, revision: Option<u64>) -> Result<String> {
        let live = self.sessions().named(name).await?;
        let todos = self.sessions().list_of(&live, revision).await?;
        let row = &live.row;
        let title = [row.who.title.as_str(), row.who.project.as_deref().unwrap_or_default(), &row.who.agent_name];
        let title = title.into_iter().map(plain).find(|title| !title.trim().is_empty()).unwrap_or_default();
        Ok(format!("# {}\n\n{}", title.trim(), write_markdown(&todos)))
    }

    /// One line: what was asked for, and the list as it evolved.
    async fn training(self, name: &str) -> Result<String> {
        let row = self.sessions().row_named(name).await?;
        let lists = self.core.store.lists(row.pk).await?;
        let is_deleted = |revision: u64| lists.iter().any(|list| list.deleted_at.is_some() && list.has(revision));
        let mut blocks: Vec<String> = Vec::new();
        for revision in (row.list.first_revision..=row.list.revision).filter(|revision| !is_deleted(*revision)) {
            let block = write_tokens(&self.core.store.list_at(row.pk, revision).await?);
            // A change that only Sightline sees makes no new block.
            if blocks.last() != Some(&block) {
                blocks.push(block);
            }
        }
        Ok(format!("{}\n", json!({ "prompt": row.who.prompt, "response": blocks.join("\n\n") })))
    }
}
