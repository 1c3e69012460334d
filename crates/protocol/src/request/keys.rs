//! Keys of programs, pages and agents, the pairing of pages, and the log of who did what.

use crate::{Rights, Transport};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use texts::TextRef;
use ts_rs::TS;

/// The holder of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum KeyKind {
    /// A script or another program of a person's.
    Person,
    /// A browser in which the page is open.
    Page,
    /// A coding agent: it opens `/mcp` and `/hooks` only.
    Agent,
}

/// A key that opens the gateway over TCP. It never holds its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Key {
    /// Its id, which is no secret.
    pub key_id: String,
    /// Its holder.
    pub kind: KeyKind,
    /// Name for people.
    pub name: String,
    /// Its rights; absent for an agent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub rights: Option<Rights>,
    /// Rights that it gets when somebody who may administer confirms it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub wanted: Option<Rights>,
    /// Time at which it was made (RFC 3339, UTC).
    #[ts(type = "string")]
    pub created_at: Timestamp,
    /// Time of its last use, to the minute; absent where it was never used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "string")]
    pub used_at: Option<Timestamp>,
    /// Time at which it ends by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "string")]
    pub expires_at: Option<Timestamp>,
}

/// Lists the keys that are valid, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct KeyList {}

/// The keys that are valid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Keys {
    /// The keys.
    pub keys: Vec<Key>,
}

/// Makes a key. It has the rights that are asked for, as far as whoever asks has them; the others wait to be confirmed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeyNew {
    /// Name for people, at most 100 characters; no other valid key has it.
    pub name: String,
    /// Rights of a person's key; left out for an agent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub rights: Option<Rights>,
}

/// A key and its secret, which is told only once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeyMade {
    /// The key.
    #[serde(flatten)]
    pub key: Key,
    /// Its secret, sent as `Authorization: Bearer SECRET`.
    pub secret: String,
}

/// Ends a key at once, with the connections that it has opened.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeyRevoke {
    /// Its id or its name.
    pub key_id: String,
}

/// Gives a key a new secret; the old one ends at once, with the connections that it has opened.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeyRenew {
    /// Its id or its name.
    pub key_id: String,
}

/// Decides about the rights that a key waits for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeyConfirm {
    /// Its id.
    pub key_id: String,
    /// It gets the rights; otherwise it stays as it is.
    pub accept: bool,
}

/// Asks for a code that pairs a page once, within ten minutes. The page has the rights that are asked for, as far as
/// whoever asks has them; the others wait to be confirmed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeyCode {
    /// Rights of the page; `administer` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub rights: Option<Rights>,
    /// Named host that the address leads to, for another device; this machine when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub host: Option<String>,
}

/// A code that pairs a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PairingCode {
    /// The page's address with the code in its fragment, which browsers do not send.
    pub address: String,
    /// Time after which it is worth nothing (RFC 3339, UTC).
    #[ts(type = "string")]
    pub expires_at: Timestamp,
}

/// Reads the log of who did what, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditList {
    /// Go on before this entry: `nextBefore` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub before: Option<u64>,
    /// Entries at most: 1 to 1,000; 100 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub limit: Option<u32>,
}

/// The deeds that the log keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AuditDeed {
    /// Settings were changed; the subject names them.
    Settings,
    /// A key was made.
    KeyNew,
    /// A key was ended.
    KeyRevoke,
    /// A key got a new secret.
    KeyRenew,
    /// A key got the rights that it waited for.
    KeyConfirm,
    /// A key did not get them.
    KeyRefuse,
    /// A key or a page that was given more on trust waits to be confirmed.
    KeyWait,
    /// A code was made that pairs a page.
    KeyCode,
    /// A page was paired.
    Pair,
    /// A connection was opened with a key.
    Connect,
    /// A connection, or a request beyond somebody's rights, was refused.
    Refuse,
    /// A tool call or a plan of the built-in agent, or a call that another agent asked for, was allowed.
    Approve,
    /// A tool call or a plan of the built-in agent, or a call that another agent asked for, was denied.
    Deny,
    /// A rule that answers agents was made, changed or deleted.
    Rule,
    /// The built-in agent called a tool.
    ToolCall,
    /// An agent's configuration was changed.
    Agents,
    /// An agent was started in a terminal, or went on.
    Start,
    /// A key of a model provider was stored or deleted.
    ProviderKey,
    /// A session or a list was deleted.
    Delete,
    /// Sessions or transcripts were imported.
    Import,
    /// A host was added, confirmed, refused or removed.
    Host,
}

/// An entry of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    /// Its number, which grows.
    pub number: u64,
    /// Time of the deed (RFC 3339, UTC).
    #[ts(type = "string")]
    pub at: Timestamp,
    /// Name of the key; absent in the gateway's own process and over the private socket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub who: Option<String>,
    /// Rights of whoever did it; absent for an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub rights: Option<Rights>,
    /// The way in, by the door that was taken: the window is that of the gateway's own process, a page or another program
    /// has its key, and `cli` stands for all programs of the user without one.
    pub way: Transport,
    /// The deed.
    pub deed: AuditDeed,
    /// Its subject, for people.
    pub subject: String,
    /// The same in the catalogue, where it is a sentence of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub subject_text: Option<TextRef>,
}

/// A page of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Audit {
    /// The entries, the newest first.
    pub entries: Vec<AuditEntry>,
    /// Present where there are older ones: the `before` of the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub next_before: Option<u64>,
}
