//! `runtime.json`: the address and the keys of the gateway of a data folder, while it runs.

use crate::clock;
use crate::folder::write_private;
use crate::keys::KeyFile;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::path::Path;

const FILE: &str = "runtime.json";

/// The content of the file, which only its owner can read (mode 0600).
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Runtime {
    /// The process id.
    pub pid: u32,
    /// The port, on loopback.
    pub port: u16,
    /// The time of its start.
    pub started_at: Timestamp,
    /// The user's key.
    pub token: String,
    /// The agents' key.
    pub agent_token: String,
}

impl Runtime {
    pub(crate) fn here(port: u16, keys: &KeyFile) -> Self {
        Self {
            pid: std::process::id(),
            port,
            started_at: clock::now(),
            token: keys.token.clone(),
            agent_token: keys.agent_token.clone(),
        }
    }

    /// Reads the file; `None` where there is none, or none that can be understood.
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

    /// The page's address, with the user's key in the fragment, which browsers do not send.
    #[must_use]
    pub fn page(&self) -> String {
        format!("{}/#token={}", self.address(), self.token)
    }
}
