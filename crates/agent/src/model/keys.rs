//! Keys of providers: from the environment, or stored in the system's keyring, or without one in a file of the data folder.
//! No key is ever printed, logged or listed. Each belongs to an origin, and is sent nowhere else.
//!
//! Everything here may block, a keyring even until the user has unlocked it: call it where blocking is allowed.

use super::Provider;
use crate::http::is_here;
use protocol::{Text, say};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyPlace {
    /// This variable of the environment.
    Environment(String),
    Stored(KeyStore),
}

/// The reason why a key that is there is not sent to its provider's address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Withheld {
    /// It is stored for another origin; none is known of a key that an older version has stored.
    Elsewhere(Option<String>),
    /// The user has not sent the environment's key to this address.
    Environment(String),
    /// The address is neither `https` nor on this machine.
    Readable,
}

/// A provider's key as it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyStatus {
    pub provider: String,
    /// None if there is no key.
    pub place: Option<KeyPlace>,
    /// The reason why it is not sent, in a sentence.
    pub withheld: Option<String>,
}

/// A key as it is stored. Older versions have stored the key alone.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Stored {
    Bound { origin: String, key: String },
    Alone(String),
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
    ///
    /// # Errors
    /// When there is one that does not belong to the provider's address.
    pub fn get(&self, provider: &Provider) -> Result<Option<Secret>, Withheld> {
        match self.find(provider) {
            Some((key, _, None)) => Ok(Some(key)),
            // A server that needs no key is asked without that of the environment, which was not set for it.
            Some((_, _, Some(Withheld::Environment(_)))) if !provider.wants_key() => Ok(None),
            Some((_, _, Some(withheld))) => Err(withheld),
            None => Ok(None),
        }
    }

    /// The keys of these providers.
    #[must_use]
    pub fn list(&self, providers: &[Provider]) -> Vec<KeyStatus> {
        let status = |provider: &Provider| {
            let (place, withheld) = match self.find(provider) {
                Some((_, place, withheld)) => (Some(place), withheld.map(|withheld| withheld.text(provider).english)),
                None => (None, None),
            };
            KeyStatus { provider: provider.name.clone(), place, withheld }
        };
        providers.iter().map(status).collect()
    }

    /// Stores a provider's key for its address in the place of the one before, and returns where. Spaces around the key
    /// are left out.
    ///
    /// # Errors
    /// When the key is empty, when anybody on the way to the address could read it, or when neither the keyring nor the
    /// file takes it.
    pub fn set(&self, provider: &Provider, key: &Secret) -> io::Result<KeyStore> {
        let invalid = |text: String| io::Error::new(io::ErrorKind::InvalidInput, text);
        let (name, key) = (provider.name.as_str(), key.expose_secret().trim());
        if key.is_empty() || key.chars().any(char::is_control) {
            return Err(invalid("A key is one line that is not empty.".to_owned()));
        }
        let Some(origin) = provider.origin() else {
            return Err(invalid(format!("The address of {name} is no web address.")));
        };
        if !is_private(&origin) {
            return Err(invalid(Withheld::Readable.text(provider).english));
        }
        let key = Stored::Bound { origin, key: key.to_owned() };
        let text = Secret::from(serde_json::to_string(&key)?);
        match self.keyring.as_ref().map(|keyring| keyring.set(name, &text)) {
            Some(Ok(())) => {
                // An older key in the file would be used whenever the keyring is away.
                self.write(|keys| keys.remove(name).is_some())?;
                return Ok(KeyStore::Keyring);
            }
            Some(Err(error)) => tracing::warn!(%error, "no keyring takes the key: it goes to {}", self.file.display()),
            None => {}
        }
        self.write(|keys| {
            keys.insert(name.to_owned(), key);
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

    /// A provider's key with its place, and the reason why it is not sent.
    fn find(&self, provider: &Provider) -> Option<(Secret, KeyPlace, Option<Withheld>)> {
        if provider.key == super::KeyFrom::Nowhere {
            return None;
        }
        let origin = provider.origin()?;
        let readable = (!is_private(&origin)).then_some(Withheld::Readable);
        let is_sent = provider.takes_environment();
        let of_environment = provider.variables().into_iter().find_map(|variable| {
            let value = (self.environment)(&variable).map(|value| value.trim().to_owned());
            let key = value.filter(|value| !value.is_empty()).map(Secret::from)?;
            let withheld = if is_sent { readable.clone() } else { Some(Withheld::Environment(variable.clone())) };
            Some((key, KeyPlace::Environment(variable), withheld))
        });
        // A key that was stored for this address is nearer than one of the environment that was not set for it.
        if is_sent && of_environment.is_some() {
            return of_environment;
        }
        let Some((stored, store)) = self.stored(&provider.name) else { return of_environment };
        let (key, bound) = match stored {
            Stored::Bound { origin, key } => (key, Some(origin)),
            Stored::Alone(key) => (key, provider.own_origin()),
        };
        let withheld = if bound.as_ref() == Some(&origin) { readable } else { Some(Withheld::Elsewhere(bound)) };
        Some((Secret::from(key), KeyPlace::Stored(store), withheld))
    }

    fn stored(&self, name: &str) -> Option<(Stored, KeyStore)> {
        match self.keyring.as_ref().map(|keyring| keyring.get(name)) {
            Some(Ok(Some(text))) => {
                let text = text.expose_secret();
                let stored = serde_json::from_str(text).ok().filter(|stored| matches!(stored, Stored::Bound { .. }));
                return Some((stored.unwrap_or_else(|| Stored::Alone(text.to_owned())), KeyStore::Keyring));
            }
            Some(Err(error)) => tracing::debug!(%error, "the keyring says nothing"),
            Some(Ok(None)) | None => {}
        }
        let mut keys = self.read().unwrap_or_default();
        keys.remove(name).map(|stored| (stored, KeyStore::File))
    }

    fn read(&self) -> io::Result<BTreeMap<String, Stored>> {
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

    fn write(&self, change: impl FnOnce(&mut BTreeMap<String, Stored>) -> bool) -> io::Result<()> {
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

impl Withheld {
    /// The reason in a sentence, and what to do.
    #[must_use]
    pub fn text(&self, provider: &Provider) -> Text {
        let name = &provider.name;
        let to = provider.origin().unwrap_or_else(|| provider.base());
        match self {
            Self::Elsewhere(Some(origin)) => say::withheld_elsewhere(name, origin, to),
            Self::Elsewhere(None) => say::withheld_alone(name, to),
            Self::Environment(variable) => say::withheld_environment(name, variable, to),
            Self::Readable => say::withheld_readable(name, to),
        }
    }
}

/// Nobody on the way to this origin can read what is sent.
fn is_private(origin: &str) -> bool {
    origin.starts_with("https://") || is_here(origin)
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
