//! The keys of hosts at addresses: one secret for all, so that those of hosts that are gone are found and forgotten.

use protocol::{Code, Error, Result, proof, say};
use secrets::Store;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The keys of hosts, each with the address that it is for.
pub(crate) struct HostKeys {
    secrets: Arc<Store>,
    /// The secret's name, which no provider of models can have. The keyring has those of all data folders.
    name: String,
    /// It is read and written as a whole.
    writing: Mutex<()>,
}

impl HostKeys {
    pub(crate) fn new(secrets: Arc<Store>, data_dir: &Path) -> Arc<Self> {
        let name = format!("machines of {}", data_dir.display());
        Arc::new(Self { secrets, name, writing: Mutex::new(()) })
    }

    fn all(&self) -> Map<String, Value> {
        match self.secrets.get(&self.name) {
            Some((Value::Object(keys), _)) => keys,
            _ => Map::new(),
        }
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
        let _one_at_a_time = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut keys = self.all();
        keys.insert(host.to_owned(), json!({ "address": address, "key": key }));
        let stored = self.secrets.set(&self.name, Value::Object(keys));
        stored.map(drop).map_err(|error| Error::new(Code::Configuration, say::key_not_kept(error)))
    }
}

impl mirror::Keys for HostKeys {
    fn key(&self, host: &str, address: &str) -> Option<String> {
        let all = self.all();
        let stored = all.get(host).filter(|stored| stored["address"] == address)?;
        stored["key"].as_str().map(str::to_owned)
    }

    fn keep(&self, hosts: &dyn Fn() -> Vec<String>) {
        let _one_at_a_time = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let (before, hosts) = (self.all(), hosts());
        let mut keys = before.clone();
        keys.retain(|name, _| hosts.contains(name));
        let done = match (keys.len() == before.len(), keys.is_empty()) {
            (true, _) => Ok(()),
            (false, true) => self.secrets.delete(&self.name),
            (false, false) => self.secrets.set(&self.name, Value::Object(keys)).map(drop),
        };
        if let Err(error) = done {
            tracing::warn!(%error, "the key of a machine that is gone stays where it is");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mirror::Keys;

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
