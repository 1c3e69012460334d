//! The table `sessions`: finding and saving sessions. Pages of them are in `archive.rs`, old ones in `purge.rs`.

use super::lists::ListRow;
use super::session_columns::Columns;
use super::session_columns::session;
use super::{block, millis, minute};
use crate::script::Script;
use crate::{Result, Shared, Store, Transaction};
use jiff::Timestamp;
use session::{Identity, Life, ListSummary, Marks, Usage};

/// The groups of a session.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Groups {
    pub(super) who: Shared<Identity>,
    pub(super) life: Shared<Life>,
    pub(super) list: Shared<ListSummary>,
    pub(super) marks: Shared<Marks>,
    pub(super) usage: Shared<Usage>,
    pub(super) cursor: u64,
}

/// A session as it is stored. It remembers what the database has of it, so that saving it writes what changed.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRow {
    /// The row's number; 0 before it is stored.
    pub pk: i64,
    /// Sightline's id for it, a UUID.
    pub session_id: String,
    /// Its agent, folder and subject.
    pub who: Shared<Identity>,
    /// The state that its agent reported, and the times.
    pub life: Shared<Life>,
    /// Its active list in numbers.
    pub list: Shared<ListSummary>,
    /// The user's decisions about it.
    pub marks: Shared<Marks>,
    /// Its model, tokens and cost.
    pub usage: Shared<Usage>,
    /// The cursor of its newest change.
    pub cursor: u64,
    /// For a mirrored session: its host answers. Known in memory only.
    pub host_answers: bool,
    /// The groups that the database has; `None` before it is stored.
    stored: Option<Groups>,
}

impl SessionRow {
    /// A session that is not stored yet.
    #[must_use]
    pub fn new(session_id: String, who: Identity, life: Life, list: ListSummary) -> Self {
        let (who, life, list) = (who.into(), life.into(), list.into());
        let (marks, usage) = (Shared::default(), Shared::default());
        Self { pk: 0, session_id, who, life, list, marks, usage, cursor: 0, host_answers: false, stored: None }
    }

    pub(super) fn stored(pk: i64, session_id: String, groups: Groups) -> Self {
        let Groups { who, life, list, marks, usage, cursor } = groups.clone();
        Self { pk, session_id, who, life, list, marks, usage, cursor, host_answers: false, stored: Some(groups) }
    }

    /// True if the database has it as it is.
    #[must_use]
    pub fn is_saved(&self) -> bool {
        self.stored.as_ref().is_some_and(|stored| stored.life == self.life && self.is_saved_but_for_life(stored))
    }

    /// True if the database has it as it is, but perhaps for the time of its last activity.
    #[must_use]
    pub fn is_saved_but_for_activity(&self) -> bool {
        self.stored.as_ref().is_some_and(|stored| {
            let last_activity_at = self.life.last_activity_at;
            let is_life = stored.life == self.life || Life { last_activity_at, ..(*stored.life).clone() } == *self.life;
            is_life && self.is_saved_but_for_life(stored)
        })
    }

    fn is_saved_but_for_life(&self, stored: &Groups) -> bool {
        (&stored.who, &stored.list, &stored.marks, &stored.usage) == (&self.who, &self.list, &self.marks, &self.usage)
    }

    fn groups(&self) -> Groups {
        let (who, life, list) = (self.who.clone(), self.life.clone(), self.list.clone());
        Groups { who, life, list, marks: self.marks.clone(), usage: self.usage.clone(), cursor: self.cursor }
    }
}

impl Store {
    /// Returns a session by its id.
    pub async fn session(&self, session_id: &str) -> Result<Option<SessionRow>> {
        let row = sqlx::query("SELECT * FROM sessions WHERE session_id = ? AND deleted_at IS NULL")
            .bind(session_id)
            .fetch_optional(&self.readers)
            .await?;
        row.as_ref().map(session).transpose()
    }

    /// Returns whether a session has this id, deleted or not, and the session that it says to be under.
    pub async fn parent(&self, session_id: &str) -> Result<Option<Option<String>>> {
        Ok(sqlx::query_scalar("SELECT parent_session_id FROM sessions WHERE session_id = ?")
            .bind(session_id)
            .fetch_optional(&self.readers)
            .await?)
    }

    /// Returns the session of a label that was heard of last.
    pub async fn labelled(&self, label: &str) -> Result<Option<SessionRow>> {
        let row = sqlx::query(
            "SELECT * FROM sessions WHERE label = ? AND deleted_at IS NULL ORDER BY last_activity_at DESC, pk DESC LIMIT 1",
        )
        .bind(label)
        .fetch_optional(&self.readers)
        .await?;
        row.as_ref().map(session).transpose()
    }

    /// Returns at most two sessions whose ids begin with a prefix.
    pub async fn sessions_beginning(&self, prefix: &str) -> Result<Vec<SessionRow>> {
        let rows = sqlx::query(
            "SELECT * FROM sessions WHERE session_id >= ? AND session_id < ? AND deleted_at IS NULL LIMIT 2",
        )
        .bind(prefix)
        .bind(format!("{prefix}\u{10FFFF}"))
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(session).collect()
    }

    /// Returns the sessions with the newest activity, runs and built-in lists alike.
    pub async fn newest_sessions(&self, limit: u32) -> Result<Vec<SessionRow>> {
        let rows = sqlx::query(
            "SELECT * FROM sessions WHERE deleted_at IS NULL \
             ORDER BY active_minute DESC, last_activity_at DESC, pk DESC LIMIT ?",
        )
        .bind(limit)
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(session).collect()
    }

    /// Returns sessions that a board shows whatever their last activity: those that the user pinned, those that have waited
    /// since a time, and those with items that no agent has yet.
    pub async fn pinned_or_waiting(&self, waiting_since: Timestamp, limit: u32) -> Result<Vec<SessionRow>> {
        let rows = sqlx::query(
            "SELECT * FROM sessions WHERE pinned = 1 AND deleted_at IS NULL UNION \
             SELECT * FROM sessions WHERE state = 'waiting' AND active_minute >= ? AND last_activity_at > ? \
             AND deleted_at IS NULL UNION \
             SELECT * FROM sessions WHERE state = 'unclaimed' AND unfinished > 0 AND deleted_at IS NULL \
             ORDER BY last_activity_at DESC LIMIT ?",
        )
        .bind(minute(millis(waiting_since)))
        .bind(millis(waiting_since))
        .bind(limit)
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(session).collect()
    }
}

impl Transaction<'_> {
    /// Saves a session with its cursor: a new one whole, which gets its row's number and its first list; of a known one
    /// the groups that differ from what the database has. A row that was saved in a transaction that is not committed
    /// must not be used again.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn save_session(&mut self, row: &mut SessionRow) -> Result<()> {
        self.touch();
        match row.stored.clone() {
            None => {
                self.insert_session(row).await?;
                row.pk = sqlx::query_scalar("SELECT last_insert_rowid()").fetch_one(self.now().await?).await?;
                let (list_id, created_at) = (row.list.id.clone(), row.who.created_at);
                let first = ListRow { pk: 0, list_id, from_rev: 1, created_at, end: None, deleted_at: None };
                self.add_list(row.pk, &first).await?;
            }
            Some(stored) => {
                let script = self.put("UPDATE sessions SET cursor = ?").await?.bind(row.cursor.cast_signed());
                if block(stored.cursor) != block(row.cursor) {
                    script.push(", cursor_block = ?").bind(block(row.cursor));
                }
                set_changed(script, &stored.who, &row.who)?;
                set_changed(script, &stored.life, &row.life)?;
                set_changed(script, &stored.list, &row.list)?;
                set_changed(script, &stored.marks, &row.marks)?;
                set_changed(script, &stored.usage, &row.usage)?;
                script.push(" WHERE pk = ?").bind(row.pk);
            }
        }
        row.stored = Some(row.groups());
        Ok(())
    }

    /// Moves every session under one to another.
    pub async fn move_children(&mut self, from: &SessionRow, to: &SessionRow) -> Result<()> {
        self.touch();
        self.put("UPDATE sessions SET parent_session_id = ? WHERE parent_session_id = ?")
            .await?
            .bind(&to.session_id)
            .bind(&from.session_id);
        Ok(())
    }

    async fn insert_session(&mut self, row: &SessionRow) -> Result<()> {
        let columns: [&[&'static str]; 5] =
            [&Identity::COLUMNS, &Life::COLUMNS, &ListSummary::COLUMNS, &Marks::COLUMNS, &Usage::COLUMNS];
        let columns = columns.concat();
        let script = self.put("INSERT INTO sessions (session_id, cursor, cursor_block").await?;
        for column in &columns {
            script.push(", ").push(column);
        }
        script.push(") VALUES (?, ?, ?");
        for _ in &columns {
            script.push(", ?");
        }
        script.push(")").bind(&row.session_id).bind(row.cursor.cast_signed()).bind(block(row.cursor));
        row.who.values()?.into_iter().for_each(|value| value.bind(script));
        row.life.values()?.into_iter().for_each(|value| value.bind(script));
        row.list.values()?.into_iter().for_each(|value| value.bind(script));
        row.marks.values()?.into_iter().for_each(|value| value.bind(script));
        row.usage.values()?.into_iter().for_each(|value| value.bind(script));
        Ok(())
    }
}

/// Adds the columns of a group to an update that are not as the database has them: SQLite writes each index that has a
/// column of the update, whether it changes or not.
fn set_changed<G: Columns<N>, const N: usize>(
    script: &mut Script,
    stored: &Shared<G>,
    group: &Shared<G>,
) -> Result<()> {
    if group.is_same(stored) {
        return Ok(());
    }
    for ((column, was), is) in G::COLUMNS.into_iter().zip(stored.values()?).zip(group.values()?) {
        if was != is {
            script.push(", ").push(column).push(" = ?");
            is.bind(script);
        }
    }
    Ok(())
}

/// Returns a session that is not deleted.
pub(crate) async fn present_session(reader: impl sqlx::SqliteExecutor<'_>, pk: i64) -> Result<Option<SessionRow>> {
    let row = sqlx::query("SELECT * FROM sessions WHERE pk = ? AND deleted_at IS NULL")
        .bind(pk)
        .fetch_optional(reader)
        .await?;
    row.as_ref().map(session).transpose()
}
