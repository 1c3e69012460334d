//! Questions: who is there, what there is, and what happened.

use crate::{AgentIdentity, ClientInfo, EditView, RevisionView, Session, SessionFilter, SessionTodos, Settings};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use todo::Item;
use ts_rs::TS;

/// Says who speaks. Optional for people's clients; an agent's client says `agent`, and from then on its
/// `todo.write` and `todo.read` are that agent's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Hello {
    /// The client's [`crate::PROTOCOL`]; the gateway's when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub protocol: Option<u32>,
    /// What it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub client: Option<ClientInfo>,
    /// For agents: who it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub agent: Option<AgentIdentity>,
}

/// The answer to [`Hello`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HelloResult {
    /// The gateway's [`crate::PROTOCOL`].
    pub protocol: u32,
    /// The gateway's version.
    pub version: String,
    /// The newest cursor.
    pub cursor: String,
}

/// Asks for a snapshot and then events. Asking again replaces the subscription.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EventsSubscribe {
    /// The last cursor seen: the snapshot then holds only sessions that changed after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub since: Option<String>,
}

/// The answer to [`EventsSubscribe`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EventsSnapshot {
    /// Events that follow have later cursors.
    pub cursor: String,
    /// The current sessions, newest activity first, at most [`crate::SNAPSHOT_SESSIONS`].
    pub sessions: Vec<SessionTodos>,
    /// `true`: this is all there is, forget what you had. `false`: only what changed after `since`.
    pub whole: bool,
    /// Sessions that were deleted after `since`.
    #[serde(default)]
    pub deleted: Vec<String>,
    /// What the user has set.
    #[serde(default)]
    pub settings: Settings,
}

/// Asks for sessions: current ones first, then by newest activity.
///
/// With any filter all come by newest activity, and `current` says which are.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionList {
    /// Where the last page ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cursor: Option<String>,
    /// 1 to 200; 50 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub limit: Option<u32>,
    /// Which sessions.
    #[serde(default, skip_serializing_if = "SessionFilter::is_all")]
    #[ts(as = "Option<SessionFilter>", optional)]
    pub filter: SessionFilter,
}

/// The answer to [`SessionList`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Sessions {
    /// A page of them. Fewer than asked for, or none, do not mean that it is the last.
    pub sessions: Vec<Session>,
    /// Ask with it for the next page; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub next_cursor: Option<String>,
}

/// Asks for one session and its list, now or at a revision.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionGet {
    /// A session's id, its label, or the first letters of its id where they are unique. Empty: the calling agent's own.
    pub session_id: String,
    /// The newest when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub revision: Option<u64>,
}

/// The answer to [`SessionGet`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionAt {
    /// The session as it is now.
    pub session: Session,
    /// The revision that `todos` is of.
    pub revision: u64,
    /// The list at that revision.
    pub todos: Vec<Item>,
    /// Where a revision was asked for: what it changed, when and by whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub change: Option<RevisionView>,
    /// Where a revision was asked for: the items that it took out, as they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<Item>>", optional)]
    pub removed: Vec<Item>,
    /// The user's edits that are not settled yet, and the newest that are.
    pub edits: Vec<EditView>,
    /// The session that holds the agent's own list of this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub own_session_id: Option<String>,
}

/// Asks for the revisions of a session, newest first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionRevisions {
    /// Which session.
    pub session_id: String,
    /// Only those that touched this item: who made it what it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uid: Option<String>,
    /// Where the last page ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cursor: Option<String>,
    /// 1 to 500; 100 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub limit: Option<u32>,
}

/// The answer to [`SessionRevisions`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Revisions {
    /// A page of them, newest first.
    pub revisions: Vec<RevisionView>,
    /// Ask with it for the next page; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub next_cursor: Option<String>,
}

/// Deletes a session with all its revisions, and its agent's own list with it. For a day it can be brought back.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionDelete {
    /// Which session.
    pub session_id: String,
    /// At once and for good; also of one that was deleted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub for_good: bool,
}

/// Brings a deleted session back, as it was.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionUndelete {
    /// Which session: its whole id.
    pub session_id: String,
}

/// Marks a session for the board; what is left out stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionMark {
    /// Which session.
    pub session_id: String,
    /// Keep it on the board, at the top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub pinned: Option<bool>,
    /// Tell nothing of it, and leave what it needs out of the queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub muted: Option<bool>,
    /// Take it off the board until it is heard of again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub dismissed: Option<bool>,
}

/// Takes one need of a session out of the queue: the user leaves it as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct NeedDismiss {
    /// Which session.
    pub session_id: String,
    /// Which of its needs.
    pub need_id: String,
    /// `false` puts it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub dismissed: Option<bool>,
}

/// Asks what the gateway is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct GatewayStatus {}

/// The answer to [`GatewayStatus`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct GatewayInfo {
    /// Seconds since its start.
    pub uptime: u64,
    /// Its port; 0 where it serves none.
    pub port: u16,
    /// Its process.
    pub pid: u32,
    /// How many subscribers it has.
    pub connections: u32,
    /// How many sessions are current.
    pub sessions: u32,
    /// Tek's field: the model providers; none yet.
    pub providers: Vec<String>,
    /// Its version.
    pub version: String,
    /// Transactions that it committed since its start.
    pub commits: u64,
    /// Where it keeps its data.
    pub data_dir: String,
    /// How to reach it with a browser or an agent: `http://127.0.0.1:3271`; none where it serves no port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub address: Option<String>,
    /// A command that sends a first list, ready to paste into a terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub first_list_command: Option<String>,
    /// The command that an agent's MCP configuration starts (stdio), ready to paste.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub mcp_command: Option<String>,
    /// When it started (RFC 3339, UTC).
    #[ts(type = "string")]
    pub started_at: Timestamp,
    /// Something that the user has to know about its data: it was damaged and what could be read was taken over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub notice: Option<String>,
}
