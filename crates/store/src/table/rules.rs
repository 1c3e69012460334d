//! The table `rules`: what the user has decided beforehand, each as JSON that this crate does not read.

use super::{millis, time};
use crate::{Result, SessionRow, Store, Transaction};
use jiff::Timestamp;
use sqlx::Row;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleRow {
    pub rule_id: String,
    /// Its content, as JSON.
    pub body: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// Calls that it has decided.
    pub decided: u64,
    /// When it decided the last of them.
    pub decided_at: Option<Timestamp>,
}

impl Store {
    /// Returns all rules, the oldest first.
    pub async fn rules(&self) -> Result<Vec<RuleRow>> {
        let rows = sqlx::query("SELECT * FROM rules ORDER BY created_at, rule_id").fetch_all(&self.readers).await?;
        rows.iter()
            .map(|row| {
                Ok(RuleRow {
                    rule_id: row.try_get("rule_id")?,
                    body: row.try_get("body")?,
                    created_at: time(row.try_get("created_at")?),
                    decided: row.try_get::<i64, _>("decided")?.cast_unsigned(),
                    decided_at: row.try_get::<Option<i64>, _>("decided_at")?.map(time),
                })
            })
            .collect()
    }
}

impl Transaction<'_> {
    /// Saves a rule, new or known; one of a session goes with it.
    pub async fn save_rule(&mut self, row: &RuleRow, session: Option<&SessionRow>) -> Result<()> {
        self.touch();
        self.put(
            "INSERT INTO rules (rule_id, session_pk, body, created_at, decided, decided_at) VALUES (?, ?, ?, ?, ?, ?) \
             ON CONFLICT (rule_id) DO UPDATE SET session_pk = excluded.session_pk, body = excluded.body",
        )
        .await?
        .bind(&row.rule_id)
        .bind(session.map(|session| session.pk))
        .bind(&row.body)
        .bind(millis(row.created_at))
        .bind(row.decided.cast_signed())
        .bind(row.decided_at.map(millis));
        Ok(())
    }

    /// A rule has decided a call.
    pub async fn count_rule(&mut self, rule_id: &str, at: Timestamp) -> Result<()> {
        self.touch();
        self.put("UPDATE rules SET decided = decided + 1, decided_at = ? WHERE rule_id = ?")
            .await?
            .bind(millis(at))
            .bind(rule_id.to_owned());
        Ok(())
    }

    pub async fn delete_rule(&mut self, rule_id: &str) -> Result<()> {
        self.touch();
        self.put("DELETE FROM rules WHERE rule_id = ?").await?.bind(rule_id.to_owned());
        Ok(())
    }
}
