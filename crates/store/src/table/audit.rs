//! The table `audit`: who did what, bounded in time and number.

use super::{millis, time};
use crate::{Result, Store, Transaction};
use jiff::Timestamp;
use sqlx::Row;

/// Entries that are kept.
const KEPT: i64 = 100_000;

/// An entry of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRow {
    /// Its number; given by the database.
    pub pk: i64,
    /// Time of the deed.
    pub at: Timestamp,
    /// Name of the key or the agent.
    pub who: Option<String>,
    /// Rights of whoever did it.
    pub rights: Option<String>,
    pub way: String,
    pub deed: String,
    pub subject: String,
}

impl Store {
    /// Returns the newest entries before a number, the newest first.
    pub async fn audit(&self, before: i64, limit: u32) -> Result<Vec<AuditRow>> {
        let rows = sqlx::query("SELECT * FROM audit WHERE pk < ? ORDER BY pk DESC LIMIT ?")
            .bind(before)
            .bind(limit)
            .fetch_all(&self.readers)
            .await?;
        rows.iter()
            .map(|row| {
                Ok(AuditRow {
                    pk: row.try_get("pk")?,
                    at: time(row.try_get("at")?),
                    who: row.try_get("who")?,
                    rights: row.try_get("rights")?,
                    way: row.try_get("way")?,
                    deed: row.try_get("deed")?,
                    subject: row.try_get("subject")?,
                })
            })
            .collect()
    }
}

impl Transaction<'_> {
    /// Adds an entry, and deletes those from before a time and beyond the number that is kept.
    pub async fn add_audit(&mut self, row: &AuditRow, forget_before: Timestamp) -> Result<()> {
        self.touch();
        self.put("INSERT INTO audit (at, who, rights, way, deed, subject) VALUES (?, ?, ?, ?, ?, ?)")
            .await?
            .bind(millis(row.at))
            .bind(&row.who)
            .bind(&row.rights)
            .bind(&row.way)
            .bind(&row.deed)
            .bind(&row.subject);
        self.put("DELETE FROM audit WHERE at < ? OR pk <= (SELECT max(pk) FROM audit) - ?")
            .await?
            .bind(millis(forget_before))
            .bind(KEPT);
        Ok(())
    }
}
