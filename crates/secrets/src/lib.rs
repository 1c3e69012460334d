//! Secrets by name: in the system's keyring, or without one in a file of the data folder that only its owner reads. None is
//! ever printed or logged.
//!
//! Everything here may block, a keyring even until the user has unlocked it: call it where blocking is allowed.

use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A secret. Its `Debug` does not show it.
pub type Secret = SecretString;

/// Our name in the keyring.
const SERVICE: &str = "sightline";

/// The file in the data folder.
const FILE: &str = "keys.json";

/// The place of a stored secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Keyring,
    /// `keys.json` in the data folder, readable by its owner only; used if the system has no working keyring.
    File,
}

/// A keyring, by names.
pub trait Keyring: Send + Sync {
    /// The secret, if there is one.
    ///
    /// # Errors
    /// When there is no keyring, or when it stays locked.
    fn get(&self, name: &str) -> Result<Option<Secret>, String>;
    /// Stores a secret in the place of the one before.
    ///
    /// # Errors
    /// As above.
    fn set(&self, name: &str, secret: &Secret) -> Result<(), String>;
    /// Deletes a secret, if there is one.
    ///
    /// # Errors
    /// As above.
    fn delete(&self, name: &str) -> Result<(), String>;
}

/// The secrets of a data folder.
pub struct Store {
    keyring: Option<Box<dyn Keyring>>,
    file: PathBuf,
    /// The file is read and written as a whole.
    writing: Mutex<()>,
    /// So are the entries of a secret.
    changing: Mutex<()>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("file", &self.file).finish_non_exhaustive()
    }
}

impl Store {
    /// The secrets of this data folder and of the system's keyring.
    #[must_use]
    pub fn new(data_dir: &Path) -> Self {
        Self::with_keyring(data_dir, Some(Box::new(System)))
    }

    /// The same with this keyring, or with none.
    #[must_use]
    pub fn with_keyring(data_dir: &Path, keyring: Option<Box<dyn Keyring>>) -> Self {
        Self { keyring, file: data_dir.join(FILE), writing: Mutex::new(()), changing: Mutex::new(()) }
    }

    /// A stored secret, and its place. One that was stored as text, or is no JSON, is text.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<(Value, Place)> {
        if let Ok(Some(stored)) = self.in_keyring(name) {
            return Some((stored, Place::Keyring));
        }
        let stored = self.read().unwrap_or_default().remove(name)?;
        Some((stored, Place::File))
    }

    /// The entries of a secret that has some, from both places: the file has those that were stored while the keyring
    /// could not be read, and they are the newer ones.
    #[must_use]
    pub fn entries(&self, name: &str) -> Map<String, Value> {
        self.merged(name).0
    }

    /// Changes the entries of a secret, one caller after the other. While the keyring cannot be read, only those in the file
    /// are changed: what the keyring has stays as it is.
    ///
    /// # Errors
    /// As those of `set`.
    pub fn change_entries(&self, name: &str, change: impl FnOnce(&mut Map<String, Value>)) -> io::Result<()> {
        let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let (before, is_whole) = self.merged(name);
        let mut after = before.clone();
        change(&mut after);
        match (after == before, after.is_empty(), is_whole) {
            (true, ..) => Ok(()),
            (false, true, true) => self.delete(name),
            (false, false, true) => self.set(name, Value::Object(after)).map(drop),
            (false, true, false) => self.write(|secrets| secrets.remove(name).is_some()),
            (false, false, false) => self.set_in_file(name, Value::Object(after)),
        }
    }

    /// Stores a secret in the place of the one before, and returns where.
    ///
    /// # Errors
    /// When neither the keyring nor the file takes it.
    pub fn set(&self, name: &str, secret: Value) -> io::Result<Place> {
        let text = Secret::from(secret.to_string());
        match self.keyring.as_ref().map(|keyring| keyring.set(name, &text)) {
            Some(Ok(())) => {
                // An older one in the file would be used whenever the keyring is away.
                self.write(|secrets| secrets.remove(name).is_some())?;
                return Ok(Place::Keyring);
            }
            Some(Err(error)) => tracing::warn!(%error, "no keyring takes the key: it goes to {}", self.file.display()),
            None => {}
        }
        self.set_in_file(name, secret)?;
        Ok(Place::File)
    }

    /// Deletes a stored secret, wherever it is.
    ///
    /// # Errors
    /// When the file cannot be written. A missing keyring is no error.
    pub fn delete(&self, name: &str) -> io::Result<()> {
        if let Some(Err(error)) = self.keyring.as_ref().map(|keyring| keyring.delete(name)) {
            tracing::debug!(%error, "the keyring has forgotten nothing");
        }
        self.write(|secrets| secrets.remove(name).is_some())
    }

    /// The entries of a secret from both places, and whether the keyring could be read.
    fn merged(&self, name: &str) -> (Map<String, Value>, bool) {
        let in_keyring = self.in_keyring(name);
        let is_whole = in_keyring.is_ok();
        let mut merged = entries(in_keyring.ok().flatten());
        merged.extend(entries(self.read().unwrap_or_default().remove(name)));
        (merged, is_whole)
    }

    /// The secret as the keyring has it; nothing where there is no keyring.
    fn in_keyring(&self, name: &str) -> Result<Option<Value>, String> {
        let Some(keyring) = &self.keyring else { return Ok(None) };
        let text = keyring.get(name).inspect_err(|error| tracing::debug!(%error, "the keyring says nothing"))?;
        Ok(text.map(|text| {
            let text = text.expose_secret();
            let stored = serde_json::from_str(text).ok().filter(Value::is_object);
            stored.unwrap_or_else(|| Value::String(text.to_owned()))
        }))
    }

    fn set_in_file(&self, name: &str, secret: Value) -> io::Result<()> {
        self.write(|secrets| {
            secrets.insert(name.to_owned(), secret);
            true
        })
    }

    fn read(&self) -> io::Result<BTreeMap<String, Value>> {
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

    fn write(&self, change: impl FnOnce(&mut BTreeMap<String, Value>) -> bool) -> io::Result<()> {
        let _one_at_a_time = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut secrets = self.read()?;
        if !change(&mut secrets) {
            return Ok(());
        }
        let folder = self.file.parent().unwrap_or(Path::new("."));
        // Private from its first byte on, and never half written.
        let mut file = tempfile::Builder::new().prefix(".keys").tempfile_in(folder)?;
        serde_json::to_writer_pretty(&mut file, &secrets).map_err(io::Error::other)?;
        file.as_file().sync_all()?;
        file.persist(&self.file).map_err(|error| error.error)?;
        Ok(())
    }
}

fn entries(stored: Option<Value>) -> Map<String, Value> {
    match stored {
        Some(Value::Object(entries)) => entries,
        _ => Map::new(),
    }
}

/// The system's keyring.
struct System;

impl Keyring for System {
    fn get(&self, name: &str) -> Result<Option<Secret>, String> {
        match entry(name)?.get_password() {
            Ok(secret) => Ok(Some(Secret::from(secret))),
            Err(keyring::Error::NoEntry) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    fn set(&self, name: &str, secret: &Secret) -> Result<(), String> {
        entry(name)?.set_password(secret.expose_secret()).map_err(|error| error.to_string())
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
