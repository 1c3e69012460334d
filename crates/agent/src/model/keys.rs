//! Keys of providers: from the environment, or kept in the system's keyring, or where there is none in a file of the
//! data folder. No key is ever printed, logged or listed.
//!
//! Everything here may block, a keyring even until the user has unlocked it: call it where blocking is allowed.

use super::Provider;
use secrecy::{ExposeSecret, SecretString};
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A key; what it is, its `Debug` does not say.
pub type Secret = SecretString;

/// By what name the keyring knows us.
const SERVICE: &str = "sightline";

/// The file, in the data folder.
const FILE: &str = "keys.json";

/// Reads a variable of the environment.
pub type Environment = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Where a stored key is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// In the system's keyring.
    Keyring,
    /// In `keys.json` of the data folder, which only its owner may read: the system has no keyring that works.
    File,
}

/// Where a key comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// This variable of the environment.
    Environment(String),
    /// It was stored.
    Stored(Kept),
}

/// A keyring, by the names of providers.
pub trait Keyring: Send + Sync {
    /// The key, where there is one.
    ///
    /// # Errors
    /// When there is no keyring, or it stays locked.
    fn get(&self, name: &str) -> Result<Option<Secret>, String>;
    /// Keeps a key in the place of the one before.
    ///
    /// # Errors
    /// As above.
    fn set(&self, name: &str, key: &Secret) -> Result<(), String>;
    /// Forgets a key; there need not be one.
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
    /// The keys of this data folder, with the system's keyring.
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

    /// Where a provider's key comes from; none where it has none.
    #[must_use]
    pub fn origin(&self, provider: &Provider) -> Option<Origin> {
        self.find(provider).map(|(_, origin)| origin)
    }

    /// Of each provider its name and where its key comes from.
    #[must_use]
    pub fn list(&self, providers: &[Provider]) -> Vec<(String, Option<Origin>)> {
        providers.iter().map(|provider| (provider.name.clone(), self.origin(provider))).collect()
    }

    /// Stores a provider's key in the place of the one before; says where. Spaces around it are left out.
    ///
    /// # Errors
    /// When the key is empty, or neither the keyring nor the file takes it.
    pub fn set(&self, name: &str, key: &Secret) -> io::Result<Kept> {
        let key = Secret::from(key.expose_secret().trim());
        if key.expose_secret().is_empty() || key.expose_secret().chars().any(char::is_control) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "A key is one line that is not empty."));
        }
        match self.keyring.as_ref().map(|keyring| keyring.set(name, &key)) {
            Some(Ok(())) => {
                // An older one would come to light when the keyring is away.
                self.write(|keys| keys.remove(name).is_some())?;
                return Ok(Kept::Keyring);
            }
            Some(Err(error)) => tracing::warn!(%error, "no keyring takes the key: it goes to {}", self.file.display()),
            None => {}
        }
        self.write(|keys| {
            keys.insert(name.to_owned(), key.expose_secret().to_owned());
            true
        })?;
        Ok(Kept::File)
    }

    /// Forgets a provider's stored key, wherever it is.
    ///
    /// # Errors
    /// When the file cannot be written. A keyring that is away is no error.
    pub fn delete(&self, name: &str) -> io::Result<()> {
        if let Some(Err(error)) = self.keyring.as_ref().map(|keyring| keyring.delete(name)) {
            tracing::debug!(%error, "the keyring has forgotten nothing");
        }
        self.write(|keys| keys.remove(name).is_some())
    }

    fn find(&self, provider: &Provider) -> Option<(Secret, Origin)> {
        if provider.key == super::KeyFrom::Nowhere {
            return None;
        }
        for variable in provider.variables() {
            let value = (self.environment)(&variable).map(|value| value.trim().to_owned());
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                return Some((Secret::from(value), Origin::Environment(variable)));
            }
        }
        match self.keyring.as_ref().map(|keyring| keyring.get(&provider.name)) {
            Some(Ok(Some(key))) => return Some((key, Origin::Stored(Kept::Keyring))),
            Some(Err(error)) => tracing::debug!(%error, "the keyring says nothing"),
            Some(Ok(None)) | None => {}
        }
        let mut keys = self.read().unwrap_or_default();
        keys.remove(&provider.name).map(|key| (Secret::from(key), Origin::Stored(Kept::File)))
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
