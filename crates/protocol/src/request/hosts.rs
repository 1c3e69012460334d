//! Hosts: other gateways that are reached by a command or at an address, and whose sessions are mirrored here.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use texts::TextRef;
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
    /// It is not connected to before somebody who may administer confirms it.
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
    /// The command whose pipes lead to it, word by word; no shell reads it. Empty for one at an address.
    pub command: Vec<String>,
    /// The address at which it is, such as `wss://box.example.net/gateway`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub address: Option<String>,
    /// Days for which its sessions are fetched at first; 0 for all.
    pub days: u32,
    /// Its state.
    pub state: HostState,
    /// Time since which it is in that state (RFC 3339, UTC).
    #[ts(type = "string")]
    pub since: Timestamp,
    /// The reason for which it does not answer; the last that its command said comes first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<String>,
    /// The same in the catalogue, where the words are ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem_text: Option<TextRef>,
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

/// Adds a host, by a command or by an address. It is connected to at once where whoever asks may administer; otherwise it waits to be confirmed.
///
/// Errors: `INVALID_SETTING` where the name, the command or the address cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostsAdd {
    /// Its name: 1 to 40 letters, digits, dots, hyphens and underscores.
    pub name: String,
    /// The command whose pipes lead to it, word by word, such as `ssh`, `box`, `sightline`, `dial-stdio`; empty for one at an
    /// address.
    #[serde(default)]
    pub command: Vec<String>,
    /// The address at which it is: `wss://` and a host; `ws://` on this machine only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub address: Option<String>,
    /// Days for which its sessions are fetched at first; 0 for all, 30 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub days: Option<u32>,
    /// This is the way to the host of this name from now on, with what is here of it; otherwise such a name is refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub replaces: bool,
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
    #[serde(default)]
    pub command: Vec<String>,
    /// The address, as whoever decides has seen it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub address: Option<String>,
    /// It is connected to from now on; otherwise the host is removed.
    pub accept: bool,
}

/// Removes a host: it is not connected to any more, its key is forgotten, and edits that it has not got are dropped. Its sessions stay.
///
/// Errors: `HOST_NOT_FOUND`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostsRemove {
    /// Its name.
    pub name: String,
}

/// Keeps the key of a host at an address, in the system's keyring where there is one. It is proved to that address and never
/// sent.
///
/// Errors: `HOST_NOT_FOUND`; `INVALID_KEY` where it is no key, or where the host is reached by a command.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct HostsKey {
    /// Its name.
    pub name: String,
    /// The key, as `sightline key new` prints it there.
    pub key: String,
}

impl std::fmt::Debug for HostsKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostsKey").field("name", &self.name).finish_non_exhaustive()
    }
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
    /// The same in the catalogue, where the host has said that, for clients that show it to people in their own language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem_text: Option<TextRef>,
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
