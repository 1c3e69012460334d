//! The table `changed_files`: the files that a session has changed, by their paths.

use super::{millis, time};
use crate::{Result, SessionRow, Store, Transaction};
use jiff::Timestamp;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

/// The most files of a session that are kept; those that changed longest ago go.
const KEPT: u32 = 200;

/// A file that a session has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFileRow {
    /// Its path, from the root.
    pub path: String,
    /// The number of calls that changed it.
    pub times: u32,
    /// Time of the last of them.
    pub at: Timestamp,
    /// The agent that made it, where several share the list.
    pub agent: Option<String>,
}

impl Store {
    /// Returns the files that a session has changed, the newest first.
    pub async fn changed_files(&self, pk: i64) -> Result<Vec<ChangedFileRow>> {
        let rows = sqlx::query(
            "SELECT path, times, at, agent FROM changed_files WHERE session_pk = ? ORDER BY at DESC, path LIMIT ?",
        )
        .bind(pk)
        .bind(KEPT)
        .fetch_all(&self.readers)
        .await?;
        let read = |row: &SqliteRow| -> Result<ChangedFileRow> {
            Ok(ChangedFileRow {
                path: row.try_get("path")?,
                times: u32::try_from(row.try_get::<i64, _>("times")?).unwrap_or(u32::MAX),
                at: time(row.try_get("at")?),
                agent: row.try_get("agent")?,
            })
        };
        rows.iter().map(read).collect()
    }
}

impl Transaction<'_> {
    /// A call of a session has changed a file.
    pub async fn change_file(
        &mut self,
        session: &SessionRow,
        path: &str,
        at: Timestamp,
        agent: Option<&str>,
    ) -> Result<()> {
        self.touch();
        self.put(
            "INSERT INTO changed_files (session_pk, path, times, at, agent) VALUES (?, ?, 1, ?, ?) \
             ON CONFLICT (session_pk, path) DO UPDATE SET times = times + 1, at = excluded.at, agent = excluded.agent",
        )
        .await?
        .bind(session.pk)
        .bind(path)
        .bind(millis(at))
        .bind(agent);
        self.put(
            "DELETE FROM changed_files WHERE session_pk = ? AND path IN \
             (SELECT path FROM changed_files WHERE session_pk = ? ORDER BY at DESC LIMIT -1 OFFSET ?)",
        )
        .await?
        .bind(session.pk)
        .bind(session.pk)
        .bind(KEPT);
        Ok(())
    }

    /// Moves the files that one session has changed to another.
    pub async fn move_changed_files(&mut self, from: &SessionRow, to: &SessionRow) -> Result<()> {
        self.touch();
        self.put("UPDATE OR IGNORE changed_files SET session_pk = ? WHERE session_pk = ?")
            .await?
            .bind(to.pk)
            .bind(from.pk);
        Ok(())
    }
}
