//! The table `proofs`: secrets in results of ours, each good once, by their digests.

use super::{millis, time};
use crate::{Result, SessionRow, Transaction};
use jiff::Timestamp;
use sqlx::Row;

/// The most secrets of a session that are good at once; the oldest go.
const OF_A_SESSION: u32 = 16;

/// A secret that was given away and not used yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProofRow {
    /// The session whose result it is in.
    pub session_id: String,
    /// The key of the agent that got it.
    pub key_id: Option<String>,
    /// When it was given.
    pub issued_at: Timestamp,
}

impl Transaction<'_> {
    /// Saves a secret of a session by its digest.
    pub async fn save_proof(
        &mut self,
        session: &SessionRow,
        digest: &[u8],
        key_id: Option<&str>,
        at: Timestamp,
    ) -> Result<()> {
        self.touch();
        self.put("INSERT INTO proofs (digest, session_pk, key_id, issued_at) VALUES (?, ?, ?, ?)")
            .await?
            .bind(digest.to_vec())
            .bind(session.pk)
            .bind(key_id.map(str::to_owned))
            .bind(millis(at));
        self.put(
            "DELETE FROM proofs WHERE session_pk = ? AND digest NOT IN \
             (SELECT digest FROM proofs WHERE session_pk = ? ORDER BY issued_at DESC LIMIT ?)",
        )
        .await?
        .bind(session.pk)
        .bind(session.pk)
        .bind(OF_A_SESSION);
        Ok(())
    }

    /// Returns the secret of that digest.
    pub async fn proof(&mut self, digest: &[u8]) -> Result<Option<ProofRow>> {
        let row = sqlx::query(
            "SELECT s.session_id, p.key_id, p.issued_at FROM proofs p JOIN sessions s ON s.pk = p.session_pk \
             WHERE p.digest = ?",
        )
        .bind(digest)
        .fetch_optional(self.now().await?)
        .await?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(ProofRow {
            session_id: row.try_get("session_id")?,
            key_id: row.try_get("key_id")?,
            issued_at: time(row.try_get("issued_at")?),
        }))
    }

    /// Deletes a secret: it was used.
    pub async fn delete_proof(&mut self, digest: &[u8]) -> Result<()> {
        self.touch();
        self.put("DELETE FROM proofs WHERE digest = ?").await?.bind(digest.to_vec());
        Ok(())
    }
}
