//! Proofs that a hook or a file tells of the run that has made a call: a secret in the result that only its reader knows.

use crate::error::Result;
use crate::evidence::{OWN, READ, as_said, key_of};
use crate::live::Live;
use crate::turn::Turn;
use jiff::Timestamp;
use protocol::Transport;
use sha2::{Digest, Sha256};

/// Characters of a secret: a model reads it, too.
const SECRET_CHARS: usize = 32;

/// Seconds between a result and the report of the hook or file that has read it.
const JUST_NOW_SECONDS: i64 = 60;

impl Turn<'_, '_> {
    /// A new secret for a result about this session, where an agent gets it that asks for one.
    pub(super) async fn secret(&mut self, live: &Live, asks: bool) -> Result<Option<String>> {
        if !asks || self.caller.agent.is_none() {
            return Ok(None);
        }
        let secret: String = self.core.secret().chars().take(SECRET_CHARS).collect();
        self.transaction.save_proof(&live.row, &digest(&secret), key_of(self.caller), self.now()).await?;
        Ok(Some(secret))
    }

    /// The session whose result has this secret, where reading it proves that the run of that key is the session's. It is
    /// good once.
    ///
    /// A secret is looked up by its digest, so the time that it takes tells nothing of it.
    pub(super) async fn proven(&mut self, secret: &str, key: &str, at: Timestamp) -> Result<Option<Live>> {
        let digest = digest(secret);
        let Some(proof) = self.transaction.proof(&digest).await? else { return Ok(None) };
        let apart = at.as_second() - proof.issued_at.as_second();
        // Two keys are strangers. Our own command says what its agent read, whatever the way of that agent's calls.
        let is_strangers = key_of(self.caller).is_some_and(|key| proof.key_id.as_deref() != Some(key));
        if is_strangers || apart.abs() > JUST_NOW_SECONDS {
            return Ok(None);
        }
        let live = match self.find(&proof.session_id).await {
            Ok(live) => live,
            // It was deleted since.
            Err(failure) if failure.is_unknown_session() => return Ok(None),
            Err(failure) => return Err(failure),
        };
        // A run that was cleared goes on with its session, and our own command is the one that can tell. Whoever has a key
        // can make up a hook, and a transcript may begin with a copy of another run's.
        let is_own_command = self.caller.transport == Transport::Hook && key_of(self.caller).is_none();
        if !is_own_command && self.has_another_run(&live, key).await? {
            return Ok(None);
        }
        self.transaction.delete_proof(&digest).await?;
        Ok(Some(live))
    }

    /// True if another run than that of this key is known to be the session's.
    async fn has_another_run(&self, live: &Live, key: &str) -> Result<bool> {
        let is_another = |other: &str| as_said(other) != as_said(key);
        let is_staged = |(other, session): (&String, &String)| *session == live.row.session_id && is_another(other);
        if [OWN, READ].into_iter().any(|kind| self.staged.bindings.of_kind(kind).any(is_staged)) {
            return Ok(true);
        }
        for kind in [OWN, READ] {
            if self.core.store.keys_of(live.row.pk, kind).await?.iter().any(|other| is_another(other)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}
