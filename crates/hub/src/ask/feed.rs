//! Answers to a gateway that mirrors this one.

use super::question::Question;
use crate::error::{Failure, Result};
use crate::feed::FeedBody;
use jiff::Timestamp;
use protocol::{Code, FeedChanges, FeedDeleted, FeedPage, FeedRevision, FeedRows, FeedSession};

impl Question<'_> {
    pub(crate) async fn feed_changes(self, ask: &FeedChanges) -> Result<FeedPage> {
        let store = &self.core.store;
        let limit = ask.limit.unwrap_or(200).clamp(1, 500);
        let (mut after, mut anew) = match &ask.cursor {
            None => (0, true),
            Some(cursor) => self.core.board.own_cursor(cursor).map_or((0, true), |after| (after, false)),
        };
        if !anew && (after > store.cursor().await? || self.differs(ask.witness.as_ref()).await?) {
            (after, anew) = (0, true);
        }
        let page = store.changes(after, ask.since.unwrap_or(Timestamp::MIN), limit).await?;
        Ok(FeedPage {
            cursor: self.core.board.cursor_text(page.cursor),
            sessions: page.sessions,
            deleted: page.deleted.into_iter().map(|(session_id, at)| FeedDeleted { session_id, at }).collect(),
            more: page.more,
            anew,
        })
    }

    /// True if a revision is another one here than elsewhere, or is not here although its session is older.
    async fn differs(self, witness: Option<&FeedRevision>) -> Result<bool> {
        let Some(witness) = witness else { return Ok(false) };
        Ok(match self.core.store.revision_at(&witness.session_id, witness.revision).await? {
            // It may have been deleted.
            None => false,
            Some((newest, None)) => newest < witness.revision,
            Some((_, Some(at))) => at != witness.at,
        })
    }

    pub(crate) async fn feed_session(self, ask: &FeedSession) -> Result<FeedRows> {
        let unknown =
            || Failure::refused(Code::SessionNotFound, "there is no session of this gateway's own with that id");
        let row = self.core.store.session(&ask.session_id).await?.filter(|row| row.who.host.is_none());
        let row = row.ok_or_else(unknown)?;
        // A cursor of another history: all of its edits are told.
        let edits_since =
            ask.cursor.as_deref().and_then(|cursor| self.core.board.own_cursor(cursor)).unwrap_or_default();
        let limit = ask.limit.unwrap_or(500).clamp(1, 1_000);
        let part = self.core.store.part(row.pk, ask.revision, edits_since, limit).await?.ok_or_else(unknown)?;
        let is_older = part.row.list.revision < ask.revision;
        let is_other = part.before.zip(ask.at).is_some_and(|(here, there)| here != there);
        let mut rows = FeedRows {
            cursor: self.core.board.cursor_text(part.cursor),
            revision: part.last,
            more: part.last < part.row.list.revision,
            differs: is_older || is_other,
            calls: part.row.life.calls,
            drift_at: part.row.life.drift_at,
            connected: self.core.board.connected(&part.row.session_id),
            ..FeedRows::default()
        };
        if !rows.differs {
            let written = serde_json::to_value(FeedBody::of(part));
            rows.session = written.map_err(|error| Failure::refused(Code::Internal, error.to_string()))?;
        }
        Ok(rows)
    }
}
