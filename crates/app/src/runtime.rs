//! `runtime.json`: the address and the private socket of the gateway of a data folder. It counts only while a
//! process holds the lock of the folder: a crash leaves it behind.

use crate::clock;
use crate::folder::{Lock, write_private};
use crate::private_socket;
use anyhow::Context;
use jiff::Timestamp;
use remote::Address;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

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
    /// The private socket, where it is not in the data folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub socket: Option<PathBuf>,
}

impl Runtime {
    pub(crate) fn here(port: u16, socket: Option<PathBuf>) -> Self {
        Self { pid: std::process::id(), port, socket, started_at: clock::now() }
    }

    /// Reads the file; `None` where there is none, or none that can be understood.
    #[must_use]
    pub fn read(folder: &Path) -> Option<Self> {
        serde_json::from_str(&std::fs::read_to_string(folder.join(FILE)).ok()?).ok()
    }

    pub(crate) fn write(&self, folder: &Path) -> anyhow::Result<()> {
        write_private(folder, FILE, &serde_json::to_string_pretty(self)?)
    }

    /// Takes away the file of a process that has died, before anybody can be answered in its place: it names a port that
    /// somebody else may have.
    pub(crate) fn take_stale(folder: &Path, _: &Lock) -> anyhow::Result<Option<Self>> {
        let stale = Self::read(folder);
        match std::fs::remove_file(folder.join(FILE)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(error).with_context(|| protocol::say::path_not_removed(folder.join(FILE).display()))
            }
            _ => Ok(stale),
        }
    }

    pub(crate) fn remove(folder: &Path) {
        if let Err(error) = std::fs::remove_file(folder.join(FILE)) {
            tracing::warn!(%error, "{FILE} could not be removed");
        }
    }

    /// Returns the way in for programs of this user.
    pub(crate) fn way_in(&self, folder: &Path) -> Address {
        Address::Private(self.socket.clone().unwrap_or_else(|| folder.join(private_socket::NAME)))
    }

    /// `ws://127.0.0.1:PORT/gateway`
    pub(crate) fn url(&self) -> String {
        format!("ws://127.0.0.1:{}/gateway", self.port)
    }

    /// `http://127.0.0.1:PORT`
    #[must_use]
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}
