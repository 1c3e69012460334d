//! Hosts: other gateways that are reached by a command and whose sessions are mirrored here.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Lists the hosts, by their names.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct HostsList {}

/// The hosts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct Hosts {
    /// By their names.
    pub hosts: Vec<Host>,
}

/// State of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum HostState {
    /// Its command is not run before somebody who may administer confirms it.
    Unconfirmed,
    /// It is being connected for the first time since the gateway started.
    #[default]
    Connecting,
    /// It answers.
    Up,
    /// It does not answer; it is tried again and again.
    Down,
}

/// Another gateway, whose sessions are mirrored here.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Host {
    /// Its name.
    pub name: String,
    /// The command whose pipes lead to it, word by word; no shell reads it.
    pub command: Vec<String>,
    /// Days for which its sessions are fetched at first; 0 for all.
    pub days: u32,
    /// Its state.
    pub state: HostState,
    /// Time since which it is in that state (RFC 3339, UTC).
    #[ts(type = "string")]
    pub since: Timestamp,
    /// The reason for which it does not answer, with the last that the command said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<String>,
    /// Version of its gateway.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub version: Option<String>,
    /// Milliseconds that its last answer took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub delay_ms: Option<u32>,
    /// Sessions of it that are here.
    pub sessions: u32,
    /// Edits that it has not got yet.
    pub sending: u32,
}

/// Adds a host. Its command runs at once where whoever asks may administer; otherwise it waits to be confirmed.
///
/// Errors: `INVALID_SETTING` where the name or the command cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostsAdd {
    /// Its name: 1 to 40 letters, digits, dots, hyphens and underscores.
    pub name: String,
    /// The command whose pipes lead to it, word by word, such as `ssh`, `box`, `sightline`, `dial-stdio`.
    pub command: Vec<String>,
    /// Days for which its sessions are fetched at first; 0 for all, 30 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub days: Option<u32>,
}

/// Decides about a host that waits to be confirmed.
///
/// Errors: `HOST_NOT_FOUND`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostsConfirm {
    /// Its name.
    pub name: String,
    /// The command, as whoever decides has seen it: another one is refused.
    pub command: Vec<String>,
    /// The command is run from now on; otherwise the host is removed.
    pub accept: bool,
}

/// Removes a host: its command is not run any more, and edits that it has not got are dropped. Its sessions stay.
///
/// Errors: `HOST_NOT_FOUND`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostsRemove {
    /// Its name.
    pub name: String,
}

/// Connects to a host anew, and answers with its state when it has answered or failed.
///
/// Errors: `HOST_NOT_FOUND`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostsTest {
    /// Its name.
    pub name: String,
}

/// An edit of a mirrored session that its host has not got.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SendingEdit {
    /// Its key, for `edit.discard`.
    pub key: String,
    /// Type of the request: `todo.add`, `note.send`, …
    pub kind: String,
    /// Its text, where it has one.
    pub text: String,
    /// Time at which it was made (RFC 3339, UTC).
    #[ts(type = "string")]
    pub at: Timestamp,
    /// The host's reason for refusing it; absent while it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<String>,
}

/// Drops an edit that its host has not got, or has refused. One that is on its way may arrive all the same.
///
/// Errors: `ITEM_NOT_FOUND` where it has arrived.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditDiscard {
    /// Its key.
    pub key: String,
}
