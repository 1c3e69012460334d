//! Files that a session has changed.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks for the files that a session has changed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionFiles {
    /// The session.
    pub session_id: String,
}

/// Files that a session has changed, as its agent's hooks tell: the 200 that changed last, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct ChangedFiles {
    /// The files.
    pub files: Vec<ChangedFile>,
}

/// A file that a session has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedFile {
    /// Its path, from the root, as the agent gave it.
    pub path: String,
    /// The number of calls that changed it.
    pub times: u32,
    /// Time of the last of them (RFC 3339, UTC).
    #[ts(type = "string")]
    pub at: Timestamp,
    /// Name of the agent that made the last one, where several share the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub agent: Option<String>,
}
