//! `runtime.json`: where the gateway of a data folder is, while it runs.

use crate::clock;
use crate::folder::write_private;
use crate::keys::Kept;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::path::Path;

const FILE: &str = "runtime.json";

/// The file's content. The file is its owner's only (mode 0600).
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Runtime {
    /// The process.
    pub pid: u32,
    /// Its port on loopback.
    pub port: u16,
    /// Since when.
    pub started_at: Timestamp,
    /// The user's key.
    pub token: String,
    /// The agents' key.
    pub agent_token: String,
}

impl Runtime {
    pub(crate) fn here(port: u16, kept: &Kept) -> Self {
        Self {
            pid: std::process::id(),
            port,
            started_at: clock::now(),
            token: kept.token.clone(),
            agent_token: kept.agent_token.clone(),
        }
    }

    /// Reads it; `None` where no gateway runs, or none that can be understood.
    #[must_use]
    pub fn read(folder: &Path) -> Option<Self> {
        serde_json::from_str(&std::fs::read_to_string(folder.join(FILE)).ok()?).ok()
    }

    pub(crate) fn write(&self, folder: &Path) -> anyhow::Result<()> {
        write_private(folder, FILE, &serde_json::to_string_pretty(self)?)
    }

    pub(crate) fn remove(folder: &Path) {
        if let Err(error) = std::fs::remove_file(folder.join(FILE)) {
            tracing::warn!(%error, "{FILE} could not be removed");
        }
    }

    /// `http://127.0.0.1:PORT`
    #[must_use]
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The page's address, with the key in its fragment, which browsers send nobody.
    #[must_use]
    pub fn page(&self) -> String {
        format!("{}/#token={}", self.address(), self.token)
    }
}
