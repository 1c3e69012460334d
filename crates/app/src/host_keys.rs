//! The keys of hosts at addresses: one secret for all, so that those of hosts that are gone are found and forgotten.

use protocol::{Code, Error, Result, proof, say};
use secrets::Store;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// The keys of hosts, each with the address that it is for.
pub(crate) struct HostKeys {
    secrets: Arc<Store>,
    /// The secret's name, which no provider of models can have. The keyring has those of all data folders.
    name: String,
}

impl HostKeys {
    pub(crate) fn new(secrets: Arc<Store>, data_dir: &Path) -> Arc<Self> {
        let name = format!("machines of {}", data_dir.display());
        Arc::new(Self { secrets, name })
    }

    /// Stores the key of a host for its address.
    ///
    /// # Errors
    /// `INVALID_KEY` where it is none; `CONFIGURATION` where it cannot be stored.
    pub(crate) fn set(&self, host: &str, address: &str, key: &str) -> Result<()> {
        let key = key.trim();
        let is_key = proof::Secret::id(key).is_some_and(|id| !id.is_empty())
            && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
        if !is_key {
            return Err(Error::new(Code::InvalidKey, say::host_key_odd()));
        }
        let entry = json!({ "address": address, "key": key });
        let stored = self.secrets.change_entries(&self.name, |keys| _ = keys.insert(host.to_owned(), entry));
        stored.map_err(|error| Error::new(Code::Configuration, say::key_not_kept(error)))
    }
}

impl mirror::Keys for HostKeys {
    fn key(&self, host: &str, address: &str) -> Option<String> {
        let all = self.secrets.entries(&self.name);
        let stored = all.get(host).filter(|stored| stored["address"] == address)?;
        stored["key"].as_str().map(str::to_owned)
    }

    fn keep(&self, hosts: &dyn Fn() -> Vec<String>) {
        let forget = |keys: &mut serde_json::Map<_, _>| {
            let hosts = hosts();
            keys.retain(|name, _| hosts.contains(name));
        };
        if let Err(error) = self.secrets.change_entries(&self.name, forget) {
            tracing::warn!(%error, "the key of a machine that is gone stays where it is");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mirror::Keys;
    use secrets::{Keyring, Secret};
    use std::result::Result;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// A keyring of one secret; locked, it does nothing.
    #[derive(Clone, Default)]
    struct Ring {
        stored: Arc<Mutex<Option<Secret>>>,
        locked: Arc<AtomicBool>,
    }

    impl Ring {
        fn open(&self) -> Result<std::sync::MutexGuard<'_, Option<Secret>>, String> {
            let opened = self.stored.lock().expect("no panic");
            if self.locked.load(Ordering::Relaxed) { Err("locked".to_owned()) } else { Ok(opened) }
        }
    }

    impl Keyring for Ring {
        fn get(&self, _: &str) -> Result<Option<Secret>, String> {
            Ok(self.open()?.clone())
        }

        fn set(&self, _: &str, secret: &Secret) -> Result<(), String> {
            *self.open()? = Some(secret.clone());
            Ok(())
        }

        fn delete(&self, _: &str) -> Result<(), String> {
            *self.open()? = None;
            Ok(())
        }
    }

    #[test]
    fn keys_that_the_keyring_has_stay_while_it_is_locked() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let ring = Ring::default();
        let store = Arc::new(Store::with_keyring(folder.path(), Some(Box::new(ring.clone()))));
        let keys = HostKeys::new(store, folder.path());
        let address = "wss://box.example.net/gateway";
        let key = |host: &str| keys.key(host, address);
        keys.set("first", address, "id.first").expect("it is stored");
        ring.locked.store(true, Ordering::Relaxed);
        keys.set("second", address, "id.second").expect("it is stored in the file");
        keys.set("third", address, "id.third").expect("it is stored in the file");
        assert_eq!((key("first"), key("second").as_deref()), (None, Some("id.second")));
        // The first is not there to be forgotten, the third is.
        keys.keep(&|| vec!["first".to_owned(), "second".to_owned()]);
        ring.locked.store(false, Ordering::Relaxed);
        let found = ["first", "second", "third"].map(key);
        assert_eq!(found, [Some("id.first".to_owned()), Some("id.second".to_owned()), None]);
        keys.set("third", address, "id.new").expect("it is stored");
        let found = ["first", "second", "third"].map(key);
        assert_eq!(found.map(|key| key.unwrap_or_default()), ["id.first", "id.second", "id.new"]);
        let left = std::fs::read_to_string(folder.path().join("keys.json")).expect("the file is there");
        assert!(!left.contains("second"), "all are in the keyring again: {left}");
    }

    #[test]
    fn a_key_is_for_one_host_at_one_address_and_goes_with_it() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let keys = HostKeys::new(Arc::new(Store::with_keyring(folder.path(), None)), folder.path());
        let address = "wss://box.example.net/gateway";
        for odd in ["", "secret", ".secret", "a.b c", "a.é"] {
            let refused = keys.set("box", address, odd);
            assert_eq!(refused.map_err(|error| error.code), Err(Code::InvalidKey), "{odd}");
        }
        keys.set("box", address, "id.secret").expect("it is stored");
        keys.set("other", address, "id.other").expect("it is stored");
        assert_eq!(keys.key("box", address).as_deref(), Some("id.secret"));
        assert_eq!(keys.key("box", "wss://elsewhere.example.net/gateway"), None);
        keys.keep(&|| vec!["box".to_owned()]);
        assert_eq!((keys.key("other", address), keys.key("box", address).is_some()), (None, true));
        keys.keep(&Vec::new);
        assert_eq!(keys.key("box", address), None);
        let left = std::fs::read_to_string(folder.path().join("keys.json")).expect("the file is there");
        assert!(!left.contains("secret"), "{left}");
    }
}
