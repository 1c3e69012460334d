//! The table `keys`: keys of programs, pages and agents, by what verifies them.

use super::session_columns::optional_time;
use super::{millis, time};
use crate::{Result, Store, Transaction};
use jiff::Timestamp;
use sqlx::Row;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRow {
    pub key_id: String,
    /// `person`, `page` or `agent`.
    pub kind: String,
    /// Name for people.
    pub name: String,
    /// Its rights; none for an agent's.
    pub rights: Option<String>,
    /// The rights that it waits for.
    pub wanted: Option<String>,
    /// Hash of the key that a client shows.
    pub verifier: Vec<u8>,
    /// The key by which the gateway proves itself.
    pub gateway_key: Vec<u8>,
    /// Time at which it was made.
    pub created_at: Timestamp,
    /// Time of its last use.
    pub used_at: Option<Timestamp>,
    /// Time at which it ends by itself.
    pub expires_at: Option<Timestamp>,
}

impl Store {
    /// Returns the keys that are not revoked, the oldest first.
    pub async fn keys(&self) -> Result<Vec<KeyRow>> {
        let rows =
            sqlx::query("SELECT * FROM keys WHERE revoked_at IS NULL ORDER BY pk").fetch_all(&self.readers).await?;
        rows.iter()
            .map(|row| {
                Ok(KeyRow {
                    key_id: row.try_get("key_id")?,
                    kind: row.try_get("kind")?,
                    name: row.try_get("name")?,
                    rights: row.try_get("rights")?,
                    wanted: row.try_get("wanted")?,
                    verifier: row.try_get("verifier")?,
                    gateway_key: row.try_get("gateway_key")?,
                    created_at: time(row.try_get("created_at")?),
                    used_at: optional_time(row, "used_at")?,
                    expires_at: optional_time(row, "expires_at")?,
                })
            })
            .collect()
    }
}

impl Transaction<'_> {
    /// Saves a key; one of that id is replaced but for the times of its making and its use.
    pub async fn save_key(&mut self, row: &KeyRow) -> Result<()> {
        self.touch();
        self.put(
            "INSERT INTO keys (key_id, kind, name, rights, wanted, verifier, gateway_key, created_at, used_at, expires_at) \
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key_id) DO UPDATE SET name = excluded.name, \
             rights = excluded.rights, wanted = excluded.wanted, verifier = excluded.verifier, \
             gateway_key = excluded.gateway_key, expires_at = excluded.expires_at",
        )
        .await?
        .bind(&row.key_id)
        .bind(&row.kind)
        .bind(&row.name)
        .bind(&row.rights)
        .bind(&row.wanted)
        .bind(&row.verifier)
        .bind(&row.gateway_key)
        .bind(millis(row.created_at))
        .bind(row.used_at.map(millis))
        .bind(row.expires_at.map(millis));
        Ok(())
    }

    /// Notes the last use of a key.
    pub async fn key_used(&mut self, key_id: &str, at: Timestamp) -> Result<()> {
        self.touch();
        self.put("UPDATE keys SET used_at = ? WHERE key_id = ?").await?.bind(millis(at)).bind(key_id);
        Ok(())
    }

    /// Revokes a key, and deletes those that were revoked before a time.
    pub async fn revoke_key(&mut self, key_id: &str, at: Timestamp, forget_before: Timestamp) -> Result<()> {
        self.touch();
        self.put("UPDATE keys SET revoked_at = ? WHERE key_id = ?").await?.bind(millis(at)).bind(key_id);
        self.put("DELETE FROM keys WHERE revoked_at < ?").await?.bind(millis(forget_before));
        Ok(())
    }
}
