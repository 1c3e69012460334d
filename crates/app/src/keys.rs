//! `gateway.json`: what lasts across restarts beside the database, namely the two keys, the last port and whether
//! transcripts were imported.

use crate::folder::write_private;
use rand::distr::{Alphanumeric, SampleString};
use serde::{Deserialize, Serialize};
use std::path::Path;

const FILE: &str = "gateway.json";

/// Characters of a key: 62 to the power of 40 are more than 2 to the power of 238.
const KEY_CHARS: usize = 40;

/// The content of `gateway.json`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KeyFile {
    pub(crate) token: String,
    pub(crate) agent_token: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) port: Option<u16>,
    /// True if the transcripts that were there at the first start were imported.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) imported: bool,
}

impl KeyFile {
    /// The keys of a folder, made when it has none (or none that can be read).
    pub(crate) fn load_or_make(folder: &Path) -> anyhow::Result<Self> {
        if let Ok(text) = std::fs::read_to_string(folder.join(FILE)) {
            match serde_json::from_str::<Self>(&text) {
                Ok(file) if file.token.len() >= KEY_CHARS && file.agent_token.len() >= KEY_CHARS => return Ok(file),
                _ => tracing::warn!("{FILE} cannot be read; new keys are made, and open pages have to be opened anew"),
            }
        }
        let key = || Alphanumeric.sample_string(&mut rand::rng(), KEY_CHARS);
        let file = Self { token: key(), agent_token: key(), port: None, imported: false };
        file.save(folder)?;
        Ok(file)
    }

    pub(crate) fn save(&self, folder: &Path) -> anyhow::Result<()> {
        write_private(folder, FILE, &serde_json::to_string_pretty(self)?)
    }
}
