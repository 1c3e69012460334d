//! Questions: who is there, what there is, and what happened.

use crate::{
    AgentIdentity, ClientInfo, EditView, RevisionView, Rights, Session, SessionFilter, SessionTodos, Settings,
};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use texts::TextRef;
use todo::Item;
use ts_rs::TS;

/// Introduces a client. Optional for people's clients; a client that speaks for an agent says `agent`, and from then on
/// its `todo.write` and `todo.read` are that agent's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Hello {
    /// Version of the protocol that the client speaks, 1; the gateway's when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub protocol: Option<u32>,
    /// The client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub client: Option<ClientInfo>,
    /// The agent that the client speaks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub agent: Option<AgentIdentity>,
}

/// The gateway's introduction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HelloResult {
    /// Version of the protocol that the gateway speaks, 1.
    pub protocol: u32,
    /// The gateway's version.
    pub version: String,
    /// The newest cursor.
    pub cursor: String,
    /// Rights of this connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub rights: Option<Rights>,
    /// Id of the key that it was opened with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub key: Option<String>,
    /// Features that the gateway has beyond the first version of this protocol: `feed` for the requests of gateways that
    /// mirror it. One that says nothing is older.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub features: Vec<String>,
    /// The gateway's time (RFC 3339, UTC).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "string")]
    pub time: Option<Timestamp>,
}

/// Asks the gateway to end, for a window that is to have the hub. Only one that was started for an agent does.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct GatewayYield {}

/// Asks for a snapshot of the current sessions, and for the events after it. Subscribing again replaces the
/// subscription.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventsSubscribe {
    /// The newest cursor that the client saw: the snapshot then holds only sessions that changed after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub since: Option<String>,
}

fn is_none(count: &u32) -> bool {
    *count == 0
}

/// A snapshot of the current sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventsSnapshot {
    /// Cursor of the snapshot; the events that follow have later ones.
    pub cursor: String,
    /// The current sessions, newest activity first, at most 200; [`SessionList`] has the rest.
    pub sessions: Vec<SessionTodos>,
    /// The number of current sessions that are not among them, for want of room.
    #[serde(default, skip_serializing_if = "is_none")]
    #[ts(as = "Option<u32>", optional)]
    pub left: u32,
    /// The snapshot replaces everything that the client had. Otherwise it holds only what changed after `since`.
    pub whole: bool,
    /// Ids of the sessions that were deleted after `since`.
    #[serde(default)]
    pub deleted: Vec<String>,
    /// The settings.
    #[serde(default)]
    pub settings: Settings,
}

/// Asks for a page of sessions: current ones first, then by newest activity.
///
/// With any filter all come by newest activity, and `current` says which are.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionList {
    /// `nextCursor` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cursor: Option<String>,
    /// Sessions on a page: 1 to 200, 50 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub limit: Option<u32>,
    /// Conditions on the sessions.
    #[serde(default, skip_serializing_if = "SessionFilter::is_all")]
    #[ts(as = "Option<SessionFilter>", optional)]
    pub filter: SessionFilter,
}

/// A page of sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sessions {
    /// The sessions. A page may hold fewer than asked for, or none, and not be the last.
    pub sessions: Vec<Session>,
    /// Cursor of the next page; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub next_cursor: Option<String>,
}

/// Asks for a session and its list, now or at a revision.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionGet {
    /// The session. Empty for the calling agent's own.
    pub session_id: String,
    /// The revision; the newest when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub revision: Option<u64>,
}

/// A session and its list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionAt {
    /// The session as it is now.
    pub session: Session,
    /// The revision of `todos`.
    pub revision: u64,
    /// The list at that revision.
    pub todos: Vec<Item>,
    /// Where a revision was asked for: what it changed, when and by whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub change: Option<RevisionView>,
    /// Where a revision was asked for: the items that it removed, as they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<Item>>", optional)]
    pub removed: Vec<Item>,
    /// The user's edits that are not settled yet, and the newest that are.
    pub edits: Vec<EditView>,
    /// Id of the session that holds the built-in list of this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub own_session_id: Option<String>,
}

/// Asks for a page of a session's revisions, newest first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionRevisions {
    /// The session.
    pub session_id: String,
    /// Only revisions that changed this item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uid: Option<String>,
    /// `nextCursor` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cursor: Option<String>,
    /// Revisions on a page: 1 to 500, 100 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub limit: Option<u32>,
}

/// A page of revisions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Revisions {
    /// The revisions, newest first.
    pub revisions: Vec<RevisionView>,
    /// Cursor of the next page; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub next_cursor: Option<String>,
}

/// Deletes a session with all its revisions, and its agent's built-in list with it. For a day it can be brought back
/// with [`SessionUndelete`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionDelete {
    /// The session.
    pub session_id: String,
    /// Deletes it at once, so that it cannot be brought back; also a session that was deleted before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub for_good: bool,
}

/// Brings a deleted session back as it was.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionUndelete {
    /// Id of the session, in full.
    pub session_id: String,
}

/// Sets marks of a session; those that are left out stay.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionMark {
    /// The session.
    pub session_id: String,
    /// Keeps it on the board, at the top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub pinned: Option<bool>,
    /// Sends no notifications about it and keeps its needs out of the queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub muted: Option<bool>,
    /// Lets agents of every key open it by its label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub shared: Option<bool>,
    /// Takes it off the board until it is active again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub dismissed: Option<bool>,
    /// Its name from now on: one line of 1 to 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub title: Option<String>,
    /// Tags to give it, each one word of at most 32 characters; they are stored in lower case. A session has at most 12.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub add_tags: Vec<String>,
    /// Tags to take from it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub remove_tags: Vec<String>,
}

/// Dismisses a need of a session: it leaves the queue without being settled.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NeedDismiss {
    /// The session.
    pub session_id: String,
    /// Id of the need.
    pub need_id: String,
    /// `false` puts it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub dismissed: Option<bool>,
    /// Time at which it comes back (RFC 3339, UTC), where it is put off only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(type = "string", optional)]
    pub until: Option<Timestamp>,
}

/// Asks for the state of the gateway.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct GatewayStatus {}

/// State of the gateway.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayInfo {
    /// Seconds since its start.
    pub uptime: u64,
    /// Its port; 0 where it serves none.
    pub port: u16,
    /// Id of its process.
    pub pid: u32,
    /// Number of subscribers.
    pub connections: u32,
    /// Number of current sessions.
    pub sessions: u32,
    /// Its version.
    pub version: String,
    /// Transactions committed since its start.
    pub commits: u64,
    /// Path of its data folder.
    pub data_dir: String,
    /// Address for browsers and agents: `http://127.0.0.1:3271`; absent where it serves no port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub address: Option<String>,
    /// Hosts that were named where it was started, beside those of the settings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub public_hosts: Vec<String>,
    /// A command that sends a first list, ready to paste into a terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub first_list_command: Option<String>,
    /// The command that an agent's MCP configuration starts (stdio), ready to paste.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub mcp_command: Option<String>,
    /// Time of its start (RFC 3339, UTC).
    #[ts(type = "string")]
    pub started_at: Timestamp,
    /// Something that the user has to know about the data: the database was damaged, and what could be read was taken
    /// over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub notice: Option<String>,
    /// The same in the catalogue, for clients that show it to people in their own language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub notice_text: Option<TextRef>,
}
