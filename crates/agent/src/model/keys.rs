//! Keys of providers: from the environment, or stored in the system's keyring, or without one in a file of the data folder.
//! No key is ever printed, logged or listed.
//!
//! Everything here may block, a keyring even until the user has unlocked it: call it where blocking is allowed.

use super::Provider;
use secrecy::{ExposeSecret, SecretString};
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A key. Its `Debug` does not show it.
pub type Secret = SecretString;

/// Our name in the keyring.
const SERVICE: &str = "sightline";

/// The file in the data folder.
const FILE: &str = "keys.json";

/// Reads a variable of the environment.
pub type Environment = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The place of a stored key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyStore {
    Keyring,
    /// `keys.json` in the data folder, readable by its owner only; used if the system has no working keyring.
    File,
}

/// The origin of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyOrigin {
    /// This variable of the environment.
    Environment(String),
    Stored(KeyStore),
}

/// A keyring, by the names of providers.
pub trait Keyring: Send + Sync {
    /// The key, if there is one.
    ///
    /// # Errors
    /// When there is no keyring, or when it stays locked.
    fn get(&self, name: &str) -> Result<Option<Secret>, String>;
    /// Stores a key in the place of the one before.
    ///
    /// # Errors
    /// As above.
    fn set(&self, name: &str, key: &Secret) -> Result<(), String>;
    /// Deletes a key, if there is one.
    ///
    /// # Errors
    /// As above.
    fn delete(&self, name: &str) -> Result<(), String>;
}

/// The keys of the providers.
pub struct Keys {
    environment: Environment,
    keyring: Option<Box<dyn Keyring>>,
    file: PathBuf,
    /// The file is read and written as a whole.
    writing: Mutex<()>,
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").field("file", &self.file).finish_non_exhaustive()
    }
}

impl Keys {
    /// The keys of this data folder and of the system's keyring.
    #[must_use]
    pub fn new(environment: Environment, data_dir: &Path) -> Self {
        Self::with_keyring(environment, data_dir, Some(Box::new(System)))
    }

    /// The same with this keyring, or with none.
    #[must_use]
    pub fn with_keyring(environment: Environment, data_dir: &Path, keyring: Option<Box<dyn Keyring>>) -> Self {
        Self { environment, keyring, file: data_dir.join(FILE), writing: Mutex::new(()) }
    }

    /// A provider's key: the environment's, else the stored one.
    #[must_use]
    pub fn get(&self, provider: &Provider) -> Option<Secret> {
        self.find(provider).map(|(key, _)| key)
    }

    /// The origin of a provider's key; none if it has no key.
    #[must_use]
    pub fn origin(&self, provider: &Provider) -> Option<KeyOrigin> {
        self.find(provider).map(|(_, origin)| origin)
    }

    /// The name of each provider, and the origin of its key.
    #[must_use]
    pub fn list(&self, providers: &[Provider]) -> Vec<(String, Option<KeyOrigin>)> {
        providers.iter().map(|provider| (provider.name.clone(), self.origin(provider))).collect()
    }

    /// Stores a provider's key in the place of the one before, and returns where. Spaces around the key are left out.
    ///
    /// # Errors
    /// When the key is empty, or when neither the keyring nor the file takes it.
    pub fn set(&self, name: &str, key: &Secret) -> io::Result<KeyStore> {
        let key = Secret::from(key.expose_secret().trim());
        if key.expose_secret().is_empty() || key.expose_secret().chars().any(char::is_control) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "A key is one line that is not empty."));
        }
        match self.keyring.as_ref().map(|keyring| keyring.set(name, &key)) {
            Some(Ok(())) => {
                // An older key in the file would be used whenever the keyring is away.
                self.write(|keys| keys.remove(name).is_some())?;
                return Ok(KeyStore::Keyring);
            }
            Some(Err(error)) => tracing::warn!(%error, "no keyring takes the key: it goes to {}", self.file.display()),
            None => {}
        }
        self.write(|keys| {
            keys.insert(name.to_owned(), key.expose_secret().to_owned());
            true
        })?;
        Ok(KeyStore::File)
    }

    /// Deletes a provider's stored key, wherever it is.
    ///
    /// # Errors
    /// When the file cannot be written. A missing keyring is no error.
    pub fn delete(&self, name: &str) -> io::Result<()> {
        if let Some(Err(error)) = self.keyring.as_ref().map(|keyring| keyring.delete(name)) {
            tracing::debug!(%error, "the keyring has forgotten nothing");
        }
        self.write(|keys| keys.remove(name).is_some())
    }

    fn find(&self, provider: &Provider) -> Option<(Secret, KeyOrigin)> {
        if provider.key == super::KeyFrom::Nowhere {
            return None;
        }
        for variable in provider.variables() {
            let value = (self.environment)(&variable).map(|value| value.trim().to_owned());
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                return Some((Secret::from(value), KeyOrigin::Environment(variable)));
            }
        }
        match self.keyring.as_ref().map(|keyring| keyring.get(&provider.name)) {
            Some(Ok(Some(key))) => return Some((key, KeyOrigin::Stored(KeyStore::Keyring))),
            Some(Err(error)) => tracing::debug!(%error, "the keyring says nothing"),
            Some(Ok(None)) | None => {}
        }
        let mut keys = self.read().unwrap_or_default();
        keys.remove(&provider.name).map(|key| (Secret::from(key), KeyOrigin::Stored(KeyStore::File)))
    }

    fn read(&self) -> io::Result<BTreeMap<String, String>> {
        match std::fs::read(&self.file) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| {
                // serde's own words quote what it read.
                let place = format!("{} cannot be read at line {}", self.file.display(), error.line());
                io::Error::new(io::ErrorKind::InvalidData, place)
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => Err(error),
        }
    }

    fn write(&self, change: impl FnOnce(&mut BTreeMap<String, String>) -> bool) -> io::Result<()> {
        let _one_at_a_time = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut keys = self.read()?;
        if !change(&mut keys) {
            return Ok(());
        }
        let folder = self.file.parent().unwrap_or(Path::new("."));
        // Private from its first byte on, and never half written.
        let mut file = tempfile::Builder::new().prefix(".keys").tempfile_in(folder)?;
        serde_json::to_writer_pretty(&mut file, &keys).map_err(io::Error::other)?;
        file.as_file().sync_all()?;
        file.persist(&self.file).map_err(|error| error.error)?;
        Ok(())
    }
}

/// The system's keyring.
struct System;

impl Keyring for System {
    fn get(&self, name: &str) -> Result<Option<Secret>, String> {
        match entry(name)?.get_password() {
            Ok(key) => Ok(Some(Secret::from(key))),
            Err(keyring::Error::NoEntry) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    fn set(&self, name: &str, key: &Secret) -> Result<(), String> {
        entry(name)?.set_password(key.expose_secret()).map_err(|error| error.to_string())
    }

    fn delete(&self, name: &str) -> Result<(), String> {
        match entry(name)?.delete_credential() {
            Ok(()) | Err(keyring::Error::NoEntry) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }
}

fn entry(name: &str) -> Result<keyring::Entry, String> {
    keyring::Entry::new(SERVICE, name).map_err(|error| error.to_string())
}
