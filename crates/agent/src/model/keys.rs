//! Keys of providers: from the environment, or stored among the secrets. No key is ever printed, logged or listed. Each
//! belongs to an origin, and is sent nowhere else.
//!
//! Everything here may block, a keyring even until the user has unlocked it: call it where blocking is allowed.

use super::Provider;
use crate::http::is_here;
use protocol::{Text, say};
use secrecy::ExposeSecret;
use secrets::Store;
pub use secrets::{Keyring, Place as KeyStore, Secret};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use std::sync::Arc;

/// Reads a variable of the environment.
pub type Environment = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

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
    pub withheld: Option<Text>,
}

/// A key as it is stored. Older versions have stored the key alone.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Stored {
    Bound { origin: String, key: String },
    Alone(String),
}

/// The keys of the providers.
pub struct Keys {
    environment: Environment,
    secrets: Arc<Store>,
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").field("secrets", &self.secrets).finish_non_exhaustive()
    }
}

impl Keys {
    /// The keys among these secrets and in this environment.
    #[must_use]
    pub fn new(environment: Environment, secrets: Arc<Store>) -> Self {
        Self { environment, secrets }
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
                Some((_, place, withheld)) => (Some(place), withheld.map(|withheld| withheld.text(provider))),
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
        let invalid = |text: Text| io::Error::new(io::ErrorKind::InvalidInput, text);
        let (name, key) = (provider.name.as_str(), key.expose_secret().trim());
        if key.is_empty() || key.chars().any(char::is_control) {
            return Err(invalid(say::key_line()));
        }
        let Some(origin) = provider.origin() else {
            return Err(invalid(say::key_address(name)));
        };
        if !is_private(&origin) {
            return Err(invalid(Withheld::Readable.text(provider)));
        }
        self.secrets.set(name, serde_json::to_value(Stored::Bound { origin, key: key.to_owned() })?)
    }

    /// Deletes a provider's stored key, wherever it is.
    ///
    /// # Errors
    /// When the file cannot be written. A missing keyring is no error.
    pub fn delete(&self, name: &str) -> io::Result<()> {
        self.secrets.delete(name)
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
        let (stored, place) = self.secrets.get(name)?;
        Some((serde_json::from_value(stored).ok()?, place))
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
