//! The settings of a hub, and the address at which it can be reached.

use jiff::Timestamp;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// Settings of a hub. Time and randomness come in here.
#[derive(Clone)]
pub struct Config {
    /// The database file.
    pub database: PathBuf,
    /// The clock.
    pub now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    /// The time since the hub began or earlier, which nobody sets: what is waited for is measured by it.
    pub elapsed: Arc<dyn Fn() -> Duration + Send + Sync>,
    /// The source of uids.
    pub uid: Arc<dyn Fn() -> Uuid + Send + Sync>,
    /// The source of secrets: 40 characters or more, which nobody can guess.
    pub secret: Arc<dyn Fn() -> String + Send + Sync>,
    /// This build's version, for `hello` and `gateway.status`.
    pub version: String,
}

/// Where the hub can be reached, for `gateway.status`.
#[derive(Debug, Clone, Default)]
pub struct Served {
    /// The port; 0 where none is served.
    pub port: u16,
    /// The data folder.
    pub data_dir: String,
    /// `http://127.0.0.1:3271`.
    pub address: Option<String>,
    /// See [`protocol::GatewayInfo::public_hosts`].
    pub public_hosts: Vec<String>,
    /// See [`protocol::GatewayInfo::first_list_command`].
    pub first_list_command: Option<String>,
    /// See [`protocol::GatewayInfo::mcp_command`].
    pub mcp_command: Option<String>,
}
