//! Sessions for people and for other programs: as Markdown, as JSON with all of their history, and as training examples.

use super::chat::chat;
use super::question::Question;
use crate::conversation::Entry;
use crate::error::{Failure, Result};
use crate::exchange;
use crate::training::{Examples, TrainingSource};
use protocol::{Code, ExportFormat, Exported, SessionExport, Text, say};
use std::collections::VecDeque;
use store::{History, RevisionRow, SessionRow};
use todo::text::{plain, write_markdown};

/// Sessions in one export at most.
const SESSIONS: usize = 1_000;

impl Question<'_> {
    /// Sessions as a text for other programs.
    pub(crate) async fn export(self, ask: &SessionExport) -> Result<Exported> {
        if ask.and.len() >= SESSIONS {
            return Err(Failure::refused(Code::InvalidMessage, say::export_full(SESSIONS)));
        }
        let mut sessions = Vec::new();
        let mut parts = Vec::new();
        let mut left_out = Vec::new();
        for name in std::iter::once(&ask.session_id).chain(&ask.and) {
            match ask.format {
                ExportFormat::Markdown => parts.push(self.markdown(name, ask.revision).await?),
                ExportFormat::Json => {
                    let (row, history) = self.at_one_moment(name).await?;
                    let chat = chat(self.core, &row.session_id, u64::MAX, u32::MAX).await?;
                    sessions.push(exchange::ExportedSession::of(row, history, chat.as_ref()));
                }
                ExportFormat::Training => {
                    let Examples { lines, left_out: lacks } = self.training(name).await?;
                    parts.push(lines);
                    left_out.extend(lacks);
                }
            }
        }
        let text = match ask.format {
            ExportFormat::Markdown => parts.join("\n"),
            ExportFormat::Training => parts.concat(),
            ExportFormat::Json => exchange::write(sessions)?,
        };
        let (left_out, left_out_texts) = Text::apart(left_out);
        Ok(Exported { text, left_out, left_out_texts })
    }

    /// A session's row and its history.
    async fn at_one_moment(self, name: &str) -> Result<(SessionRow, History)> {
        let row = self.sessions().row_named(name).await?;
        let Some((row, history)) = self.core.store.history(row.pk).await? else {
            return Err(Failure::refused(Code::SessionNotFound, say::session_deleted(row.session_id)));
        };
        Ok((row, history.without_deleted()))
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

    /// A line for each prompt: what was asked for, and what was said and done with the list.
    async fn training(self, name: &str) -> Result<Examples> {
        let row = self.sessions().row_named(name).await?;
        let store = &self.core.store;
        let messages = store.chat_messages(row.pk, u64::MAX, u32::MAX).await?;
        let stored = store.lists(row.pk).await?;
        let is_deleted = |revision: u64| stored.iter().any(|list| list.deleted_at.is_some() && list.has(revision));
        let mut lists = VecDeque::new();
        for RevisionRow { revision, at, .. } in store.revisions(row.pk, u64::MAX, u32::MAX).await?.into_iter().rev() {
            if !is_deleted(revision) {
                lists.push_back((at, store.list_at(row.pk, revision).await?));
            }
        }
        let count = messages.len();
        let entries: Vec<Entry> = messages.into_iter().rev().filter_map(|row| Entry::read(&row.into())).collect();
        let told =
            TrainingSource { prompt: row.who.into_inner().prompt, unread: count - entries.len(), entries, lists };
        let mut examples = told.examples();
        for sentence in &mut examples.left_out {
            *sentence = say::lacks_of(&row.session_id, &sentence).with("what", sentence);
        }
        Ok(examples)
    }
}
