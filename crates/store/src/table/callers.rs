//! The table `callers`: the lists that each caller of a session knows and has sent, by revisions.

use super::{millis, minute};
use crate::{Result, SessionRow, Store, Transaction};
use jiff::Timestamp;
use sqlx::Row;

/// The memory of a caller, by revisions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallerRow {
    /// The caller's key.
    pub caller: String,
    /// The revision in the last result that was sent to it.
    pub known_revision: Option<u64>,
    /// The revision that its own last list made.
    pub sent_revision: Option<u64>,
    /// The differences of its last list from that revision, as JSON.
    pub sent_difference: String,
    /// For an agent: its name among those of the session.
    pub name: Option<String>,
}

impl Store {
    /// Returns the callers of a session.
    pub async fn callers(&self, pk: i64) -> Result<Vec<CallerRow>> {
        let rows = sqlx::query("SELECT * FROM callers WHERE session_pk = ?").bind(pk).fetch_all(&self.readers).await?;
        let number = |value: Option<i64>| value.map(i64::cast_unsigned);
        rows.iter()
            .map(|row| {
                Ok(CallerRow {
                    caller: row.try_get("caller")?,
                    known_revision: number(row.try_get("told_rev")?),
                    sent_revision: number(row.try_get("said_rev")?),
                    sent_difference: row.try_get("said")?,
                    name: row.try_get("name")?,
                })
            })
            .collect()
    }

    /// True if there are callers of sessions without activity since a time.
    pub async fn has_old_callers(&self, before: Timestamp) -> Result<bool> {
        let found: Option<i64> = sqlx::query_scalar(
            "SELECT 1 FROM callers AS c JOIN sessions AS s ON s.pk = c.session_pk WHERE s.active_minute <= ? \
             AND s.last_activity_at < ? LIMIT 1",
        )
        .bind(minute(millis(before)))
        .bind(millis(before))
        .fetch_optional(&self.readers)
        .await?;
        Ok(found.is_some())
    }
}

impl Transaction<'_> {
    /// Names a caller, or takes its name away.
    pub async fn name_caller(&mut self, session: &SessionRow, caller: &str, name: Option<&str>) -> Result<()> {
        self.put(
            "INSERT INTO callers (session_pk, caller, said, name) VALUES (?, ?, '{}', ?) \
             ON CONFLICT (session_pk, caller) DO UPDATE SET name = excluded.name",
        )
        .await?
        .bind(session.pk)
        .bind(caller)
        .bind(name);
        Ok(())
    }

    /// Saves a caller, but for its name.
    pub async fn save_caller(&mut self, session: &SessionRow, row: &CallerRow) -> Result<()> {
        self.put(
            "INSERT INTO callers (session_pk, caller, told_rev, said_rev, said) VALUES (?, ?, ?, ?, ?) \
             ON CONFLICT (session_pk, caller) DO UPDATE SET told_rev = excluded.told_rev, \
             said_rev = excluded.said_rev, said = excluded.said",
        )
        .await?
        .bind(session.pk)
        .text(&row.caller)
        .bind(row.known_revision.map(u64::cast_signed))
        .bind(row.sent_revision.map(u64::cast_signed))
        .text(&row.sent_difference);
        Ok(())
    }

    /// Saves the revision that a caller knows.
    pub async fn save_known_revision(&mut self, session: &SessionRow, caller: &str, revision: u64) -> Result<()> {
        self.touch();
        self.put(
            "INSERT INTO callers (session_pk, caller, told_rev, said) VALUES (?, ?, ?, '{}') \
             ON CONFLICT (session_pk, caller) DO UPDATE SET told_rev = excluded.told_rev",
        )
        .await?
        .bind(session.pk)
        .bind(caller)
        .bind(revision.cast_signed());
        Ok(())
    }

    /// Deletes the callers of a session but for the `keep` newest, by the last revision that they know or made.
    pub async fn forget_callers(&mut self, session: &SessionRow, keep: usize) -> Result<()> {
        self.put("DELETE FROM callers WHERE session_pk = ? AND caller NOT IN (SELECT caller FROM callers WHERE session_pk = ? \
             ORDER BY max(coalesce(told_rev, 0), coalesce(said_rev, 0)) DESC LIMIT ?)").await?
        .bind(session.pk)
        .bind(session.pk)
        .bind(i64::try_from(keep).unwrap_or(i64::MAX));
        Ok(())
    }

    /// Deletes the callers of up to `sessions` sessions without activity since a time.
    pub async fn forget_old_callers(&mut self, before: Timestamp, sessions: u32) -> Result<()> {
        self.touch();
        self.put(
            "DELETE FROM callers WHERE session_pk IN (SELECT DISTINCT c.session_pk FROM callers AS c \
             JOIN sessions AS s ON s.pk = c.session_pk WHERE s.active_minute <= ? AND s.last_activity_at < ? LIMIT ?)",
        )
        .await?
        .bind(minute(millis(before)))
        .bind(millis(before))
        .bind(sessions);
        Ok(())
    }
}
