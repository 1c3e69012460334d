//! The table `later`: steps and messages that are kept until an agent is idle.

use super::{millis, time};
use crate::{Result, Store, Transaction};
use jiff::Timestamp;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

/// The most of a queue that are kept after they were handed over; the oldest go.
const KEPT: u32 = 8;

/// A step or message that is kept for later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaterRow {
    /// Its id.
    pub later_id: String,
    /// The session that it is for.
    pub session_id: Option<String>,
    /// The folder, where it is for no session.
    pub folder: Option<String>,
    /// Its place in its queue.
    pub place: i64,
    /// It is a step, and not a message.
    pub step: bool,
    /// The step or message.
    pub text: String,
    /// The client that made it.
    pub client: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// Its edit; absent while it waits.
    pub handed: Option<HandedRow>,
}

/// The edit that was made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandedRow {
    /// The session that has the edit.
    pub session_id: String,
    /// The edit.
    pub edit_id: String,
    /// When it was made.
    pub at: Timestamp,
}

/// The owner of a queue: a session, by its primary key, or a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queue<'a> {
    /// That of a session.
    Session(i64),
    /// That of a folder.
    Folder(&'a str),
}

impl<'a> Queue<'a> {
    fn columns(self) -> (Option<i64>, Option<&'a str>) {
        match self {
            Self::Session(pk) => (Some(pk), None),
            Self::Folder(folder) => (None, Some(folder)),
        }
    }
}

impl Store {
    /// Returns all that is kept and what was handed over lately: each queue in its order, those of sessions first.
    pub async fn later(&self) -> Result<Vec<LaterRow>> {
        let rows = sqlx::query(
            "SELECT l.*, s.session_id FROM later AS l LEFT JOIN sessions AS s ON s.pk = l.session_pk \
             WHERE s.deleted_at IS NULL \
             ORDER BY l.session_pk IS NULL, l.session_pk, l.folder, l.handed_at IS NULL, l.handed_at, l.place",
        )
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(row).collect()
    }
}

impl Transaction<'_> {
    /// Returns one that waits.
    pub async fn later(&mut self, later_id: &str) -> Result<Option<LaterRow>> {
        let found = sqlx::query(
            "SELECT l.*, s.session_id FROM later AS l LEFT JOIN sessions AS s ON s.pk = l.session_pk \
             WHERE l.later_id = ? AND l.handed_at IS NULL AND s.deleted_at IS NULL",
        )
        .bind(later_id)
        .fetch_optional(self.now().await?)
        .await?;
        found.as_ref().map(row).transpose()
    }

    /// Returns those of a queue that wait, in their order.
    pub async fn waiting_later(&mut self, queue: Queue<'_>) -> Result<Vec<LaterRow>> {
        let (session, folder) = queue.columns();
        let rows = sqlx::query(
            "SELECT l.*, s.session_id FROM later AS l LEFT JOIN sessions AS s ON s.pk = l.session_pk \
             WHERE (l.session_pk = ? OR l.folder = ?) AND l.handed_at IS NULL ORDER BY l.place",
        )
        .bind(session)
        .bind(folder)
        .fetch_all(self.now().await?)
        .await?;
        rows.iter().map(row).collect()
    }

    /// Adds one to a queue.
    pub async fn add_later(&mut self, queue: Queue<'_>, row: &LaterRow) -> Result<()> {
        let (session, folder) = queue.columns();
        self.touch();
        self.put(
            "INSERT INTO later (later_id, session_pk, folder, place, step, text, client, created_at) \
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .await?
        .bind(row.later_id.clone())
        .bind(session)
        .bind(folder.map(str::to_owned))
        .bind(row.place)
        .bind(row.step)
        .bind(row.text.clone())
        .bind(row.client.clone())
        .bind(millis(row.created_at));
        Ok(())
    }

    /// Saves the text, kind and place of one that waits.
    pub async fn save_later(&mut self, row: &LaterRow) -> Result<()> {
        self.touch();
        self.put("UPDATE later SET place = ?, step = ?, text = ? WHERE later_id = ?")
            .await?
            .bind(row.place)
            .bind(row.step)
            .bind(row.text.clone())
            .bind(row.later_id.clone());
        Ok(())
    }

    /// Notes that one was handed over.
    pub async fn handed_later(&mut self, queue: Queue<'_>, later_id: &str, handed: &HandedRow) -> Result<()> {
        let (session, folder) = queue.columns();
        self.touch();
        self.put("UPDATE later SET edit_id = ?, handed_to = ?, handed_at = ? WHERE later_id = ?")
            .await?
            .bind(handed.edit_id.clone())
            .bind(handed.session_id.clone())
            .bind(millis(handed.at))
            .bind(later_id.to_owned());
        self.put(
            "DELETE FROM later WHERE handed_at IS NOT NULL AND (session_pk = ? OR folder = ?) AND later_id NOT IN \
             (SELECT later_id FROM later WHERE handed_at IS NOT NULL AND (session_pk = ? OR folder = ?) \
             ORDER BY handed_at DESC, place DESC LIMIT ?)",
        )
        .await?
        .bind(session)
        .bind(folder.map(str::to_owned))
        .bind(session)
        .bind(folder.map(str::to_owned))
        .bind(KEPT);
        Ok(())
    }

    /// Moves a session's queue behind that of another one.
    pub async fn move_later(&mut self, from: i64, to: i64) -> Result<()> {
        self.touch();
        self.put(
            "UPDATE later SET place = place + (SELECT coalesce(max(place), 0) FROM later WHERE session_pk = ?), \
             session_pk = ? WHERE session_pk = ?",
        )
        .await?
        .bind(to)
        .bind(to)
        .bind(from);
        Ok(())
    }

    /// Deletes one.
    pub async fn delete_later(&mut self, later_id: &str) -> Result<()> {
        self.touch();
        self.put("DELETE FROM later WHERE later_id = ?").await?.bind(later_id.to_owned());
        Ok(())
    }
}

fn row(row: &SqliteRow) -> Result<LaterRow> {
    let edit_id: Option<String> = row.try_get("edit_id")?;
    let handed = match edit_id {
        Some(edit_id) => {
            let (session_id, at) = (row.try_get("handed_to")?, time(row.try_get("handed_at")?));
            Some(HandedRow { session_id, edit_id, at })
        }
        None => None,
    };
    Ok(LaterRow {
        later_id: row.try_get("later_id")?,
        session_id: row.try_get("session_id")?,
        folder: row.try_get("folder")?,
        place: row.try_get("place")?,
        step: row.try_get("step")?,
        text: row.try_get("text")?,
        client: row.try_get("client")?,
        created_at: time(row.try_get("created_at")?),
        handed,
    })
}
