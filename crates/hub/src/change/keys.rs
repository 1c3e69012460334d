//! Keys: made, ended, renewed, confirmed; pages: paired; and the log of who did what.
//!
//! Nobody gives away more than they have: what goes beyond waits until somebody who may administer confirms it.

use crate::error::{Failure, Result};
use crate::keys::{Code, KnownKey, OF_WINDOW, TRUST_USED, Trust, word};
use crate::turn::Turn;
use crate::writer::Work;
use jiff::{SignedDuration, Timestamp};
use protocol::proof::{Secret, Verifier};
use protocol::{
    AuditDeed, Caller, Code as ErrorCode, Done, Key, KeyConfirm, KeyKind, KeyMade, KeyNew, KeyRenew, KeyRevoke, Rights,
    Text, Transport, say,
};
use session::Word;
use std::sync::Arc;
use store::AuditRow;
use todo::text::is_unseen;

/// Characters of a name and of an id.
const NAME: usize = 100;
const ID: usize = 10;

/// Characters of an entry of the log; the paths of some files.
const SUBJECT: usize = 1_000;

/// Valid keys in all, and those of them that wait.
const KEYS: usize = 200;
const WAITING: usize = 20;

/// Time for which a page is paired, and for which a row of a revoked key and an entry of the log are kept.
const PAGE: SignedDuration = SignedDuration::from_hours(24 * 180);
const REVOKED: SignedDuration = SignedDuration::from_hours(24 * 30);
const AUDIT: SignedDuration = SignedDuration::from_hours(24 * 365);

impl Turn<'_, '_> {
    fn keys(&self) -> Arc<Vec<KnownKey>> {
        self.staged.keys.clone().unwrap_or_else(|| self.core.keys.known())
    }

    /// Rights of a person who asks; whoever gets here has some.
    fn own_rights(&self) -> Rights {
        self.caller.rights.unwrap_or(Rights::Look)
    }

    pub(super) async fn key_new(&mut self, ask: &KeyNew) -> Result<KeyMade> {
        let kind = if ask.rights.is_some() { KeyKind::Person } else { KeyKind::Agent };
        let name = checked_name(&ask.name)?;
        if let Some(other) = self.keys().iter().find(|known| known.key.name == name) {
            let id = &other.key.key_id;
            return Err(invalid(say::key_exists(name, id)));
        }
        let own = self.own_rights();
        let rights = ask.rights.map(|wanted| wanted.min(own));
        let wanted = ask.rights.filter(|wanted| *wanted > own);
        let id = self.key_id();
        let secret = format!("{id}.{}", self.core.secret());
        let verifier = Secret::of(&secret).verifier();
        let key = self.add_key(id, kind, name, (rights, wanted), &verifier, None).await?;
        self.audit(AuditDeed::KeyNew, &described(&key)).await?;
        Ok(KeyMade { key, secret })
    }

    /// A new key's id: the end of a uid, which is random also where its beginning is a time.
    fn key_id(&self) -> String {
        let uid = self.core.uid().simple().to_string();
        uid.chars().skip(uid.len() - ID).collect()
    }

    /// Stores a new key.
    async fn add_key(
        &mut self,
        key_id: String,
        kind: KeyKind,
        name: String,
        (rights, wanted): (Option<Rights>, Option<Rights>),
        verifier: &Verifier,
        expires_at: Option<Timestamp>,
    ) -> Result<Key> {
        let mut keys = Vec::clone(&self.keys());
        let now = self.now();
        keys.retain(|known| known.is_valid(now));
        if keys.len() >= KEYS {
            return Err(invalid(say::keys_full(KEYS)));
        }
        if wanted.is_some() && keys.iter().filter(|known| known.key.wanted.is_some()).count() >= WAITING {
            return Err(invalid(say::keys_waiting(WAITING)));
        }
        let key = Key { key_id, kind, name, rights, wanted, created_at: now, used_at: None, expires_at };
        let known = KnownKey { key: key.clone(), verifier: verifier.clone() };
        self.transaction.save_key(&known.row()).await?;
        keys.push(known);
        self.staged.keys = Some(Arc::new(keys));
        Ok(key)
    }

    /// The key of that id or name, which the caller may end and renew. One that waits counts as if it were confirmed:
    /// whoever allows it goes by its name, so nobody else gets its secret or its name meanwhile.
    fn named_key(&self, name: &str) -> Result<KnownKey> {
        let keys = self.keys();
        let found = keys.iter().find(|known| known.key.key_id == name || known.key.name == name).cloned();
        let known = found.ok_or_else(|| {
            let name = todo::text::plain(&todo::short(name));
            Failure::refused(ErrorCode::KeyNotFound, say::key_unknown(name))
        })?;
        let is_own = self.caller.key.as_ref() == Some(&known.key.key_id);
        let least = known.key.rights.max(known.key.wanted).unwrap_or(Rights::Edit);
        if self.own_rights() < least && !is_own {
            let once = if known.key.wanted.is_some() { " once it is confirmed" } else { "" };
            let problem = format!(
                "\"{}\" may {}{once}, which is more than you may here; do it in the window or on a page that may \
                 administer",
                known.key.name,
                least.word()
            );
            let text = say::key_beyond(&known.key.name, least.word()).in_english(problem);
            return Err(Failure::refused(ErrorCode::Unauthorized, text));
        }
        Ok(known)
    }

    async fn replace_key(&mut self, known: KnownKey) -> Result<()> {
        self.transaction.save_key(&known.row()).await?;
        let mut keys = Vec::clone(&self.keys());
        keys.iter_mut().filter(|one| one.key.key_id == known.key.key_id).for_each(|one| *one = known.clone());
        self.staged.keys = Some(Arc::new(keys));
        Ok(())
    }

    pub(super) async fn key_revoke(&mut self, ask: &KeyRevoke) -> Result<Done> {
        let known = self.named_key(&ask.key_id)?;
        let now = self.now();
        let forget = now.saturating_sub(REVOKED).unwrap_or(now);
        self.transaction.revoke_key(&known.key.key_id, now, forget).await?;
        let mut keys = Vec::clone(&self.keys());
        keys.retain(|one| one.key.key_id != known.key.key_id);
        self.staged.keys = Some(Arc::new(keys));
        self.audit(AuditDeed::KeyRevoke, &described(&known.key)).await?;
        Ok(Done {})
    }

    pub(super) async fn key_renew(&mut self, ask: &KeyRenew) -> Result<KeyMade> {
        let known = self.named_key(&ask.key_id)?;
        if known.key.kind == KeyKind::Page {
            return Err(invalid(say::key_of_page()));
        }
        let secret = format!("{}.{}", known.key.key_id, self.core.secret());
        let known = KnownKey { verifier: Secret::of(&secret).verifier(), ..known };
        self.audit(AuditDeed::KeyRenew, &described(&known.key)).await?;
        let key = known.key.clone();
        self.replace_key(known).await?;
        Ok(KeyMade { key, secret })
    }

    pub(super) async fn key_confirm(&mut self, ask: &KeyConfirm) -> Result<Key> {
        let mut known = self.named_key(&ask.key_id)?;
        let Some(wanted) = known.key.wanted.take() else {
            return Err(Failure::refused(ErrorCode::KeyNotFound, say::key_not_waiting(&known.key.name)));
        };
        if ask.accept {
            known.key.rights = Some(wanted);
        }
        let deed = if ask.accept { AuditDeed::KeyConfirm } else { AuditDeed::KeyRefuse };
        self.audit(deed, &format!("{} · {}", described(&known.key), wanted.word())).await?;
        let key = known.key.clone();
        self.replace_key(known).await?;
        Ok(key)
    }

    /// Adds an entry to the log. It goes by the door that the caller came through, and by nothing that they say of
    /// themselves: every program of the user can say that it is the window.
    pub(super) async fn audit(&mut self, deed: AuditDeed, subject: &str) -> Result<()> {
        let now = self.now();
        let caller = self.caller;
        let key = caller.key.as_ref().map(|id| {
            let known = self.keys().iter().find(|known| known.key.key_id == *id).map(|known| known.key.clone());
            known.map_or_else(|| (id.clone(), Transport::Websocket), |key| (key.name, way_of(key.kind)))
        });
        let (who, way) = match (key, caller.rights) {
            (Some((name, way)), _) => (Some(name), way),
            // Only the window is in the process of its gateway and administers.
            (None, Some(Rights::Administer)) => (None, Transport::Window),
            (None, Some(_)) => (None, Transport::Cli),
            (None, None) => (None, caller.transport),
        };
        let row = AuditRow {
            pk: 0,
            at: now,
            who: who.map(|who| todo::text::plain(&todo::short(&who))),
            rights: caller.rights.map(word),
            way: way.word().to_owned(),
            deed: word(deed),
            subject: todo::text::plain(&subject.chars().take(SUBJECT).collect::<String>()),
        };
        Ok(self.transaction.add_audit(&row, now.saturating_sub(AUDIT).unwrap_or(now)).await?)
    }

    /// From now on no page is paired on trust.
    async fn use_trust(&mut self, trust: Trust) -> Result<()> {
        let cursor = self.transaction.advance();
        let value = if trust == Trust::Window { OF_WINDOW } else { "true" };
        self.transaction.save_setting(TRUST_USED, value, cursor).await?;
        self.staged.trust = Some(trust);
        Ok(())
    }

    fn trust(&self) -> Trust {
        self.staged.trust.unwrap_or_else(|| self.core.keys.trust())
    }

    /// Takes from every key and page what goes beyond editing, until it is confirmed.
    async fn confirm_anew(&mut self) -> Result<()> {
        let known = self.keys();
        for mut known in known.iter().filter(|known| known.key.rights > Some(Rights::Edit)).cloned() {
            known.key.wanted = known.key.rights.max(known.key.wanted);
            known.key.rights = Some(Rights::Edit);
            self.audit(AuditDeed::KeyWait, &described(&known.key)).await?;
            self.replace_key(known).await?;
        }
        Ok(())
    }
}

fn invalid(text: impl Into<Text>) -> Failure {
    Failure::refused(ErrorCode::InvalidKey, text)
}

/// The way in of those who come with a key.
fn way_of(kind: KeyKind) -> Transport {
    match kind {
        KeyKind::Page => Transport::Page,
        KeyKind::Agent => Transport::Mcp,
        KeyKind::Person => Transport::Websocket,
    }
}

/// A key as a line of the log.
fn described(key: &Key) -> String {
    match key.rights {
        Some(rights) => say::log_key(&key.name, &key.key_id, rights.word()).english,
        None => say::log_key(&key.name, &key.key_id, "agent").english,
    }
}

/// A name without the characters that show nothing, or that make others look like something else.
fn checked_name(name: &str) -> Result<String> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > NAME {
        return Err(invalid(say::key_name_length(NAME)));
    }
    match name.chars().find(|c| is_unseen(*c)) {
        Some(odd) => Err(invalid(say::key_name_unseen(format!("U+{:04X}", u32::from(odd))))),
        None => Ok(name.to_owned()),
    }
}

/// A page that was paired by a code.
pub(crate) struct Pair {
    /// Nobody before it has a key.
    pub(crate) caller: Caller,
    pub(crate) code: Code,
    pub(crate) name: String,
    pub(crate) verifier: Verifier,
}

impl Work for Pair {
    type Answer = Key;

    fn caller(&self) -> &Caller {
        &self.caller
    }

    async fn perform(&self, turn: &mut Turn<'_, '_>) -> Result<Key> {
        let base = checked_name(&self.name)?;
        let keys = turn.keys();
        let is_taken = |name: &str| keys.iter().any(|known| known.key.name == name);
        let names = (2..).map(|number| format!("{base} {number}"));
        let name = std::iter::once(base.clone()).chain(names).find(|name| !is_taken(name)).unwrap_or(base.clone());
        let is_trusted = self.code.is_first && turn.trust() == Trust::Nobody;
        let rights = if is_trusted { self.code.wanted } else { self.code.rights };
        let wanted = Some(self.code.wanted).filter(|wanted| *wanted > rights);
        let expires = turn.now().saturating_add(PAGE).ok();
        let id = turn.key_id();
        let key = turn.add_key(id, KeyKind::Page, name, (Some(rights), wanted), &self.verifier, expires).await?;
        if is_trusted {
            turn.use_trust(Trust::Page).await?;
        }
        turn.audit(AuditDeed::Pair, &described(&key)).await?;
        Ok(key)
    }
}

/// A window has this folder: whoever is at it confirms, and nobody is trusted for being first. What a page has that was,
/// and what it gave to others, waits from now on: it may have been any program of the user.
pub(crate) struct EndTrust {
    window: Caller,
}

impl Default for EndTrust {
    fn default() -> Self {
        Self { window: Caller::user(Transport::Window, "window").with(Rights::Administer) }
    }
}

impl Work for EndTrust {
    type Answer = ();

    fn caller(&self) -> &Caller {
        &self.window
    }

    async fn perform(&self, turn: &mut Turn<'_, '_>) -> Result<()> {
        if turn.trust() == Trust::Window {
            return Ok(());
        }
        turn.confirm_anew().await?;
        turn.use_trust(Trust::Window).await
    }
}

/// An agents' key of a build before this one goes on under a name of its own.
pub(crate) struct AdoptKey {
    pub(crate) name: String,
    pub(crate) secret: String,
}

impl Work for AdoptKey {
    type Answer = ();

    async fn perform(&self, turn: &mut Turn<'_, '_>) -> Result<()> {
        let secret = Secret::of(&self.secret);
        let keys = turn.keys();
        if keys.iter().any(|known| known.key.name == self.name || known.verifier.is_of(&secret)) {
            return Ok(());
        }
        let id = turn.key_id();
        turn.add_key(id, KeyKind::Agent, self.name.clone(), (None, None), &secret.verifier(), None).await?;
        Ok(())
    }
}

/// A use of a key, or something that was done with it.
pub(crate) struct Noted {
    pub(crate) caller: Caller,
    pub(crate) deed: AuditDeed,
    pub(crate) subject: String,
}

impl Work for Noted {
    type Answer = ();

    fn caller(&self) -> &Caller {
        &self.caller
    }

    async fn perform(&self, turn: &mut Turn<'_, '_>) -> Result<()> {
        if let Some(key) = self.caller.key.as_ref().filter(|_| self.deed == AuditDeed::Connect) {
            turn.transaction.key_used(key, turn.core.now()).await?;
        }
        turn.audit(self.deed, &self.subject).await
    }
}
