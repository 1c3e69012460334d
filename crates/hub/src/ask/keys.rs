//! Questions about keys, codes and the log.

use super::question::Question;
use crate::error::Result;
use crate::keys::{KeyRing, audited};
use protocol::{Audit, AuditList, Code, Error, Key, KeyCode, Keys, PairingCode, Rights, public_host, say};

/// Entries of the log in one answer.
const ENTRIES: u32 = 1_000;

impl Question<'_> {
    pub(crate) fn keys(&self) -> Keys {
        let core = self.core;
        let now = core.now();
        let known = core.keys.known();
        let valid = known.iter().filter(|known| known.is_valid(now)).map(|known| {
            let used_at = core.keys.used_at(&known.key.key_id).or(known.key.used_at);
            Key { used_at, ..known.key.clone() }
        });
        Keys { keys: valid.collect() }
    }

    pub(crate) fn key_code(&self, ask: &KeyCode) -> std::result::Result<PairingCode, Error> {
        let wanted = ask.rights.unwrap_or(Rights::Administer);
        let own = self.caller.rights.unwrap_or(Rights::Look);
        let address = ask.host.as_deref().map(|host| self.core.address_at(host)).transpose()?;
        Ok(self.core.make_code(wanted.min(own), wanted, false, address))
    }

    pub(crate) async fn audit(&self, ask: &AuditList) -> Result<Audit> {
        let limit = ask.limit.unwrap_or(100).clamp(1, ENTRIES);
        let before = ask.before.map_or(i64::MAX, |before| i64::try_from(before).unwrap_or(i64::MAX));
        let rows = self.core.store.audit(before, limit).await?;
        let is_full = rows.len() == limit as usize;
        let next_before = rows.last().filter(|row| is_full && row.pk > 1).map(|row| row.pk.unsigned_abs());
        Ok(Audit { entries: rows.into_iter().filter_map(audited).collect(), next_before })
    }
}

impl crate::core::Core {
    /// The page's address by a named host. A code that leads elsewhere would be shown to whoever is there.
    fn address_at(&self, host: &str) -> std::result::Result<String, Error> {
        let unknown = || Error::new(Code::InvalidKey, say::code_host(todo::text::plain(&todo::short(host))));
        let host = public_host(host).ok_or_else(unknown)?;
        let (of_settings, of_start) = (self.board.settings().public_hosts, self.status().public_hosts);
        let mut named = of_settings.iter().chain(&of_start).filter_map(|name| public_host(name));
        named.any(|name| name == host).then(|| format!("https://{host}")).ok_or_else(unknown)
    }

    /// Makes a pairing code, with the page's address: that of this machine, or another.
    pub(crate) fn make_code(
        &self,
        rights: Rights,
        wanted: Rights,
        is_first: bool,
        address: Option<String>,
    ) -> PairingCode {
        let id = self.uid().simple().to_string();
        let secret = format!("{id}.{}", self.secret());
        self.keys.add_code(&id, &secret, (rights, wanted), is_first, self.elapsed());
        let address = address.or_else(|| self.status().address).unwrap_or_default();
        PairingCode { address: format!("{address}/#pair={secret}"), expires_at: KeyRing::code_expires(self.now()) }
    }
}
