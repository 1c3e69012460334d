//! Rows for a gateway that mirrors this database, and rows of a gateway that is mirrored here.

use crate::history::History;
use crate::table::edits::edits_after;
use crate::table::items::{self, ItemState, states_between};
use crate::table::lists::{ListRow, all_lists};
use crate::table::revisions::revisions_between;
use crate::table::sessions::present_session;
use crate::table::{block, millis, time};
use crate::{ALIVE, Result, SessionRow, Store, Transaction};
use jiff::Timestamp;
use sqlx::SqliteConnection;
use std::collections::HashMap;
use todo::Item;
use todo::list::flat;
use uuid::Uuid;

/// The most states of items on a page of a session's history, but for those of one revision.
const STATES: i64 = 4_000;

/// Sessions that changed after a cursor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// The cursor up to which these are all.
    pub cursor: u64,
    /// Ids, in the order of their newest changes.
    pub sessions: Vec<String>,
    /// Sessions that were deleted, each with the time.
    pub deleted: Vec<(String, Timestamp)>,
    /// There are more.
    pub more: bool,
}

/// A part of a session's history, at one moment.
#[derive(Debug, Clone)]
pub struct Part {
    pub row: SessionRow,
    /// Of its states those that begin or end within the part; of its edits those that changed.
    pub history: History,
    /// The last revision of the part.
    pub last: u64,
    /// The newest cursor of the database.
    pub cursor: u64,
    /// The time of the revision that the part follows; `None` where it is not kept.
    pub before: Option<Timestamp>,
}

impl Store {
    /// Returns this database's own sessions that changed after a cursor, all at one moment: those with activity since a time,
    /// and those that are pinned, wait for the user or for an agent.
    pub async fn changes(&self, after: u64, since: Timestamp, limit: u32) -> Result<Changes> {
        let mut moment = self.readers.begin().await?;
        let newest = cursor(&mut moment).await?;
        let mut rows: Vec<(String, i64)> = sqlx::query_as(
            "SELECT session_id, cursor FROM sessions WHERE cursor_block >= ?4 AND cursor > ?1 AND deleted_at IS NULL \
             AND host IS NULL AND (last_activity_at >= ?2 OR pinned = 1 OR state IN ('waiting', 'unclaimed')) \
             ORDER BY cursor_block, cursor LIMIT ?3",
        )
        .bind(after.cast_signed())
        .bind(millis(since))
        .bind(i64::from(limit) + 1)
        .bind(block(after))
        .fetch_all(&mut *moment)
        .await?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let until = rows.last().filter(|_| more).map_or(newest, |(_, cursor)| cursor.cast_unsigned());
        let deleted: Vec<(String, i64)> = sqlx::query_as(
            "SELECT session_id, at FROM deleted_sessions WHERE cursor > ? AND cursor <= ? ORDER BY cursor",
        )
        .bind(after.cast_signed())
        .bind(until.cast_signed())
        .fetch_all(&mut *moment)
        .await?;
        Ok(Changes {
            cursor: until,
            sessions: rows.into_iter().map(|(id, _)| id).collect(),
            deleted: deleted.into_iter().map(|(id, at)| (id, time(at))).collect(),
            more,
        })
    }

    /// Returns the newest cursor that is committed.
    pub async fn cursor(&self) -> Result<u64> {
        cursor(&mut *self.readers.acquire().await?).await
    }

    /// Returns the newest revision of a session, deleted or not, and the time of one.
    pub async fn revision_at(&self, session_id: &str, revision: u64) -> Result<Option<(u64, Option<Timestamp>)>> {
        let row: Option<(i64, Option<i64>)> = sqlx::query_as(
            "SELECT s.revision, r.at FROM sessions AS s LEFT JOIN revisions AS r ON r.session_pk = s.pk AND r.revision = ? \
             WHERE s.session_id = ?",
        )
        .bind(revision.cast_signed())
        .bind(session_id)
        .fetch_optional(&self.readers)
        .await?;
        Ok(row.map(|(newest, at)| (newest.cast_unsigned(), at.map(time))))
    }

    /// True if a revision of a session is kept.
    pub async fn has_revision(&self, pk: i64, revision: u64) -> Result<bool> {
        let found: Option<i64> = sqlx::query_scalar("SELECT 1 FROM revisions WHERE session_pk = ? AND revision = ?")
            .bind(pk)
            .bind(revision.cast_signed())
            .fetch_optional(&self.readers)
            .await?;
        Ok(found.is_some())
    }

    /// Returns up to `limit` revisions of a session after one, with what belongs to them, and the edits that changed after a
    /// cursor; `None` where the session is gone.
    pub async fn part(&self, pk: i64, after: u64, edits_since: u64, limit: u32) -> Result<Option<Part>> {
        let mut moment = self.readers.begin().await?;
        let Some(row) = present_session(&mut *moment, pk).await? else { return Ok(None) };
        let before: Option<i64> = sqlx::query_scalar("SELECT at FROM revisions WHERE session_pk = ? AND revision = ?")
            .bind(pk)
            .bind(after.cast_signed())
            .fetch_optional(&mut *moment)
            .await?;
        let revisions = revisions_between(&mut *moment, pk, after, row.list.revision, limit).await?;
        let mut last = revisions.last().map_or(row.list.revision, |last| last.revision);
        let is_whole = after.saturating_add(1) < row.list.first_revision.max(2);
        let states_after = if is_whole { 0 } else { after };
        let mut states = states_between(&mut *moment, pk, states_after, last, STATES).await?;
        if states.len() > usize::try_from(STATES).unwrap_or(usize::MAX) {
            // The states come by the revisions that made them; those of the last one may not be all.
            let cut = states.last().map_or(last, |state| state.from_rev.saturating_sub(1));
            last = cut.max(after + 1).max(row.list.first_revision).min(last);
            states = states_between(&mut *moment, pk, states_after, last, i64::MAX).await?;
        }
        let mut history = History {
            revisions: revisions.into_iter().filter(|row| row.revision <= last).collect(),
            states,
            lists: all_lists(&mut *moment, pk).await?,
            edits: edits_after(&mut *moment, pk, edits_since).await?,
        };
        // The ends and edits of later revisions come with those.
        for state in &mut history.states {
            state.to_rev = state.to_rev.filter(|to| *to <= last);
        }
        history.edits.retain(|(edit, _)| edit.revision <= last);
        let cursor = cursor(&mut moment).await?;
        Ok(Some(Part { row, history, last, cursor, before: before.map(time) }))
    }
}

async fn cursor(reader: &mut SqliteConnection) -> Result<u64> {
    let cursor: i64 = sqlx::query_scalar("SELECT cursor FROM hub WHERE pk = 1").fetch_one(reader).await?;
    Ok(cursor.cast_unsigned())
}

impl Transaction<'_> {
    /// Goes on with a session's history: `before` is its list as it is here, `after` the revision of that. Where revisions
    /// between the two were trimmed, the list of before ends with the first that is known.
    pub async fn extend(&mut self, row: &SessionRow, before: &[Item], after: u64, history: &History) -> Result<()> {
        for revision in &history.revisions {
            self.revision(row, revision.revision, revision.at, &revision.actor, &revision.cause).await?;
        }
        let first = history.revisions.first().map_or(after, |revision| revision.revision);
        let is_hole = after > 0 && first > after + 1;
        let alive: HashMap<Uuid, &Item> = flat(before).map(|(item, _)| (item.uid, item)).collect();
        if is_hole {
            for uid in alive.keys() {
                self.close(row, *uid, first.cast_signed()).await?;
            }
        }
        let mut texts: HashMap<Uuid, (&Item, i64)> = HashMap::new();
        for ItemState { item, parent, from_rev, to_rev } in &history.states {
            let to_rev = to_rev.map_or(ALIVE, u64::cast_signed);
            if *from_rev <= after && !is_hole {
                let Some(was) = alive.get(&item.uid).filter(|_| to_rev != ALIVE) else { continue };
                let text = self.end_state(row, item.uid, to_rev).await?;
                texts.extend(text.map(|text| (item.uid, (*was, text))));
                continue;
            }
            let from_rev = if is_hole { (*from_rev).max(first) } else { *from_rev }.cast_signed();
            let known = texts.get(&item.uid).filter(|(was, _)| items::says_the_same(was, item)).map(|(_, text)| *text);
            let text = match known {
                Some(text) => text,
                None => {
                    self.open_text(row, item, from_rev).await?;
                    sqlx::query_scalar("SELECT last_insert_rowid()").fetch_one(self.now().await?).await?
                }
            };
            texts.insert(item.uid, (item, text));
            self.put("UPDATE texts SET to_rev = ? WHERE pk = ?").await?.bind(to_rev).bind(text);
            self.open(row, item, *parent, Some(text), (from_rev, to_rev)).await?;
        }
        Ok(())
    }

    /// Ends the state that an item is in. Returns the row of its text.
    async fn end_state(&mut self, row: &SessionRow, uid: Uuid, to_rev: i64) -> Result<Option<i64>> {
        let text: Option<i64> =
            sqlx::query_scalar("SELECT text_pk FROM items WHERE session_pk = ? AND to_rev = ? AND uid = ?")
                .bind(row.pk)
                .bind(ALIVE)
                .bind(uid.as_bytes().as_slice())
                .fetch_optional(self.now().await?)
                .await?;
        self.close(row, uid, to_rev).await?;
        Ok(text)
    }

    /// Makes a session's lists those of its owner. One that was deleted here stays so.
    pub async fn replace_lists(&mut self, pk: i64, lists: &[ListRow]) -> Result<()> {
        let known = all_lists(self.now().await?, pk).await?;
        let deleted: HashMap<&str, Timestamp> =
            known.iter().filter_map(|list| Some((list.list_id.as_str(), list.deleted_at?))).collect();
        let as_here = |list: &ListRow| ListRow {
            deleted_at: deleted.get(list.list_id.as_str()).copied().or(list.deleted_at),
            ..list.clone()
        };
        let lists: Vec<ListRow> = lists.iter().map(as_here).collect();
        if lists.iter().map(without_pk).eq(known.iter().map(without_pk)) {
            return Ok(());
        }
        self.put("DELETE FROM lists WHERE session_pk = ?").await?.bind(pk);
        for list in &lists {
            self.add_list(pk, list).await?;
        }
        Ok(())
    }
}

fn without_pk(list: &ListRow) -> ListRow {
    ListRow { pk: 0, ..list.clone() }
}
