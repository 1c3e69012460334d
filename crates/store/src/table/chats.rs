//! The tables `chats` and `chat_messages`: conversations with the built-in agent, as texts that only the agent reads.

use super::{millis, time};
use crate::{Result, SessionRow, Store, Transaction};
use jiff::Timestamp;

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatMessageRow {
    /// Its number, from 1.
    pub seq: u64,
    /// The time at which it was said.
    pub at: Timestamp,
    /// The message, as JSON.
    pub json: String,
}

impl Store {
    /// Returns the state of a conversation beside its messages, as JSON, and whether a run goes on.
    pub async fn chat(&self, session_pk: i64) -> Result<Option<(String, bool)>> {
        let row = sqlx::query_as("SELECT state, running FROM chats WHERE session_pk = ?");
        Ok(row.bind(session_pk).fetch_optional(&self.readers).await?)
    }

    /// Returns the newest messages before a number, the newest first.
    pub async fn chat_messages(&self, session_pk: i64, before: u64, limit: u32) -> Result<Vec<ChatMessageRow>> {
        let rows: Vec<(i64, i64, String)> = sqlx::query_as(
            "SELECT seq, at, said FROM chat_messages WHERE session_pk = ? AND seq < ? ORDER BY seq DESC LIMIT ?",
        )
        .bind(session_pk)
        .bind(before.min(i64::MAX.unsigned_abs()).cast_signed())
        .bind(limit)
        .fetch_all(&self.readers)
        .await?;
        let message =
            |(seq, at, json): (i64, i64, String)| ChatMessageRow { seq: seq.unsigned_abs(), at: time(at), json };
        Ok(rows.into_iter().map(message).collect())
    }

    /// Returns the ids of sessions in which a run goes on, or went on when the process ended.
    pub async fn running_chats(&self) -> Result<Vec<String>> {
        let query = "SELECT session_id FROM chats JOIN sessions ON pk = session_pk WHERE running = 1";
        Ok(sqlx::query_scalar(query).fetch_all(&self.readers).await?)
    }
}

impl Transaction<'_> {
    /// Returns the messages of a conversation whose JSON begins in a way.
    pub async fn chat_messages_beginning(&mut self, session: &SessionRow, beginning: &str) -> Result<Vec<String>> {
        let query = "SELECT said FROM chat_messages WHERE session_pk = ? AND substr(said, 1, ?) = ? ORDER BY seq";
        let length = i64::try_from(beginning.chars().count()).unwrap_or_default();
        let query = sqlx::query_scalar(query).bind(session.pk).bind(length).bind(beginning);
        Ok(query.fetch_all(self.now().await?).await?)
    }

    /// Saves the state that a conversation continues from, as JSON.
    pub async fn save_chat(&mut self, session: &SessionRow, state: &str, running: bool) -> Result<()> {
        self.touch();
        self.put(
            "INSERT INTO chats (session_pk, state, running) VALUES (?, ?, ?) \
             ON CONFLICT (session_pk) DO UPDATE SET state = excluded.state, running = excluded.running",
        )
        .await?
        .bind(session.pk)
        .bind(state)
        .bind(running);
        Ok(())
    }

    /// Saves a message, new or known.
    pub async fn save_chat_message(&mut self, session: &SessionRow, message: &ChatMessageRow) -> Result<()> {
        self.touch();
        self.put(
            "INSERT INTO chat_messages (session_pk, seq, at, said) VALUES (?, ?, ?, ?) \
             ON CONFLICT (session_pk, seq) DO UPDATE SET at = excluded.at, said = excluded.said",
        )
        .await?
        .bind(session.pk)
        .bind(message.seq.cast_signed())
        .bind(millis(message.at))
        .bind(&message.json);
        Ok(())
    }
}
