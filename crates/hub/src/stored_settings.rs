//! The user's settings as the database has them.

use crate::keys::TRUST_USED;
use protocol::{Settings, SettingsUpdate};
use serde_json::{Map, Value};

/// The settings as they were stored. Those that this build does not know are left alone, and one that cannot be read has
/// its default.
pub(crate) fn stored_settings(stored: Vec<(String, String)>) -> Settings {
    let mut readable = Map::new();
    for (key, value) in stored.into_iter().filter(|(key, _)| key != TRUST_USED) {
        let Ok(value) = serde_json::from_str::<Value>(&value) else {
            tracing::warn!(key, "a setting cannot be read; its default counts");
            continue;
        };
        let one = Value::Object(Map::from_iter([(key.clone(), value.clone())]));
        match serde_json::from_value::<SettingsUpdate>(one) {
            Ok(_) => drop(readable.insert(key, value)),
            Err(error) => tracing::warn!(key, %error, "a setting cannot be read; its default counts"),
        }
    }
    let asked = |fields: Map<String, Value>| serde_json::from_value(Value::Object(fields)).unwrap_or_default();
    Settings::default().with(&asked(readable.clone())).unwrap_or_else(|error| {
        tracing::warn!(%error, "some settings cannot be as they were stored");
        // The others, one by one.
        readable
            .into_iter()
            .fold(Settings::default(), |settings, one| settings.with(&asked(Map::from_iter([one]))).unwrap_or(settings))
    })
}
