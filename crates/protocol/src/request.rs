//! The one list of requests, and what each takes and gives.
//!
//! [`with_requests!`](crate::with_requests) hands the list to a macro: the enums here, the hub's dispatch and the
//! window's IPC commands are all made from it, so a transport that lacks a request does not compile.

use crate::{AgentIdentity, ClientInfo, Code, EditView, Error, Result, RevisionView, Session, SessionTodos};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use todo::Item;
use ts_rs::TS;

/// Hands every request to a macro: `Name -> Answer, "type" => "answer's type", ipc_command;`.
#[macro_export]
macro_rules! with_requests {
    ($($callback:tt)+) => {
        $($callback)+! {
            Hello -> HelloResult, "hello" => "hello.result", hello;
            EventsSubscribe -> EventsSnapshot, "events.subscribe" => "events.subscribe.result", events_subscribe;
            TodoWrite -> TodoWritten, "todo.write" => "todo.write.result", todo_write;
            TodoRead -> TodoWritten, "todo.read" => "todo.read.result", todo_read;
            TodoDelivered -> Done, "todo.delivered" => "todo.delivered.result", todo_delivered;
            TodoAdd -> Edited, "todo.add" => "todo.add.result", todo_add;
            TodoDelete -> Edited, "todo.delete" => "todo.delete.result", todo_delete;
            TodoClear -> Edited, "todo.clear" => "todo.clear.result", todo_clear;
            TodoSetStatus -> Edited, "todo.setStatus" => "todo.setStatus.result", todo_set_status;
            TodoEdit -> Edited, "todo.edit" => "todo.edit.result", todo_edit;
            TodoMove -> Edited, "todo.move" => "todo.move.result", todo_move;
            TodoUndo -> Edited, "todo.undo" => "todo.undo.result", todo_undo;
            TodoArchive -> Edited, "todo.archive" => "todo.archive.result", todo_archive;
            NoteSend -> Edited, "note.send" => "note.send.result", note_send;
            EditInsist -> Edited, "edit.insist" => "edit.insist.result", edit_insist;
            TodoManage -> TodoManaged, "todo.manage" => "todo.manage.result", todo_manage;
            SessionList -> Sessions, "session.list" => "session.list", session_list;
            SessionGet -> SessionAt, "session.get" => "session.get.result", session_get;
            SessionLoad -> Edited, "session.load" => "session.load.result", session_load;
            SessionRevisions -> Revisions, "session.revisions" => "session.revisions.result", session_revisions;
            SessionLeave -> Done, "session.leave" => "session.leave.result", session_leave;
            GatewayStatus -> GatewayInfo, "gateway.status" => "gateway.status.result", gateway_status;
        }
    };
}

macro_rules! define {
    ($($name:ident -> $answer:ident, $kind:literal => $reply:literal, $command:ident;)*) => {
        /// Everything that a client can ask.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
        #[serde(tag = "type")]
        #[expect(missing_docs, reason = "each variant is its struct")]
        pub enum Request {
            $(#[serde(rename = $kind)] $name($name),)*
        }

        impl Request {
            /// The `type` of every request.
            pub const TYPES: &'static [&'static str] = &[$($kind),*];

            /// Reads the fields of a request of that type.
            ///
            /// # Errors
            /// `UNKNOWN_TYPE` with those there are, or `INVALID_MESSAGE` with the name of the field.
            pub fn read(kind: &str, fields: Value) -> Result<Self> {
                match kind {
                    $($kind => well_formed::<$name>(kind, fields).map(Self::$name),)*
                    other => Err(unknown_type(other)),
                }
            }

            /// Its `type` on the wire.
            #[must_use]
            pub fn kind(&self) -> &'static str {
                match self { $(Self::$name(_) => $kind,)* }
            }
        }

        /// The answer to each request.
        ///
        /// Two requests can have the same answer; on the wire the `type` tells which it was.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
        #[serde(tag = "type")]
        #[expect(missing_docs, reason = "each variant is named after its request")]
        #[allow(clippy::large_enum_variant, reason = "a reply is made, sent and dropped, never kept")]
        pub enum Reply {
            $(#[serde(rename = $reply)] $name($answer),)*
        }

        $(
            impl From<$name> for Request {
                fn from(request: $name) -> Self { Self::$name(request) }
            }

            impl Ask for $name {
                type Answer = $answer;

                fn answer(reply: Reply) -> Option<$answer> {
                    match reply { Reply::$name(answer) => Some(answer), _ => None }
                }

                fn reply(answer: $answer) -> Reply { Reply::$name(answer) }
            }
        )*
    };
}

with_requests!(define);

fn well_formed<T: serde::de::DeserializeOwned>(kind: &str, fields: Value) -> Result<T> {
    serde_path_to_error::deserialize(fields).map_err(|error| {
        let path = error.path().to_string();
        let field = if path == "." { String::new() } else { format!("field \"{path}\": ") };
        Error::new(Code::InvalidMessage, format!("\"{kind}\" is not well formed: {field}{}", error.inner()))
    })
}

fn unknown_type(kind: &str) -> Error {
    let kind = todo::text::plain(&todo::short(kind));
    let known = Request::TYPES.join(", ");
    Error::new(Code::UnknownType, format!("there is no request \"{kind}\"; there are {known}"))
}

/// Ties a request to its answer.
pub trait Ask: Into<Request> {
    /// What it gives.
    type Answer;

    /// Takes the answer out of a reply; `None` for the reply to another request.
    fn answer(reply: Reply) -> Option<Self::Answer>;

    /// The reply with this answer.
    fn reply(answer: Self::Answer) -> Reply;
}

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
}

/// An agent's whole list.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoWrite {
    /// Which session; or `session`; or, for an agent that said who it is, neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
    /// A label: the session of that label, made when new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session: Option<String>,
    /// The items as the agent says them: `{id?, content, status?, activeForm?, …}`.
    #[ts(type = "Array<Record<string, unknown>>")]
    pub todos: Value,
    /// Only what has changed is sent: items named by `id` or `uid`, or new ones; everything else stays.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub merge: bool,
    /// For a subagent: the session of the agent that it works for. Counts when the session is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub parent_session_id: Option<String>,
    /// The message's id as the transport saw it; the `requestId` of the `todo.update`. Transports set it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub request_id: Option<String>,
}

/// An agent asks for its list.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoRead {
    /// See [`TodoWrite::session_id`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
    /// See [`TodoWrite::session`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session: Option<String>,
}

/// The merged list, and what the agent has to be told of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoWritten {
    /// Which session it was.
    pub session_id: String,
    /// Its label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session: Option<String>,
    /// The newest revision.
    pub revision: u64,
    /// The list after the merge.
    pub todos: Vec<Item>,
    /// How far it is.
    pub progress: crate::Progress,
    /// The user's edits that this answer tells; see [`TodoDelivered`].
    pub edits: Vec<EditView>,
    /// What else the sender should know, in sentences: several items in progress, an item that stays removed.
    pub remarks: Vec<String>,
}

/// One action of `todo_manager`, on the same list as `todo.write` (REQUIREMENTS T1 to T7).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoManage {
    /// See [`TodoWrite::session_id`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
    /// See [`TodoWrite::session`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session: Option<String>,
    /// `list`, `next`, `add_multiple`, `add_after_position`, `complete_multiple`, `skip` or `replace_all`.
    pub action: String,
    /// What each takes: `todos`, `ids`, `position`, `reason`.
    #[serde(flatten)]
    #[ts(skip)]
    pub fields: serde_json::Map<String, Value>,
}

/// What an action of `todo_manager` made of the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoManaged {
    /// `Added 2 TODOs`, the list, or the item that is next.
    pub output: Value,
    /// The action changes the list, whether or not anything was otherwise before.
    pub changes: bool,
    /// The list after it, and what the agent has to be told of it.
    #[serde(flatten)]
    pub written: TodoWritten,
}

/// The answer with these edits was sent: they count as delivered. Without it they are told again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoDelivered {
    /// Which session.
    pub session_id: String,
    /// The revision that was sent: what the caller now knows.
    pub revision: u64,
    /// The edits that were told.
    pub edits: Vec<String>,
    /// The call that told them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool_call: Option<String>,
}

/// Nothing to say but that it is done.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct Done {}

/// The user adds an item.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoAdd {
    /// Which session.
    pub session_id: String,
    /// `1`, `last`, `2.1`, `2.last`; `last` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub position: Option<String>,
    /// 1 to 2,000 characters.
    pub content: String,
    /// Further fields of an item: `priority`, `activeForm`, …
    #[serde(flatten)]
    #[ts(skip)]
    pub fields: serde_json::Map<String, Value>,
}

/// The user removes an item, by `uid` or by `position`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoDelete {
    /// Which session.
    pub session_id: String,
    /// `1`, `last`, `2.1`, `2.last`, or several: `2-4`, `all`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub position: Option<String>,
    /// The item, whatever its place is by now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uid: Option<String>,
}

/// The user sets the status of items, by `uid` or by `position`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoSetStatus {
    /// Which session.
    pub session_id: String,
    /// See [`TodoDelete::position`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub position: Option<String>,
    /// See [`TodoDelete::uid`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uid: Option<String>,
    /// `pending`, `in_progress`, `completed`, `blocked`, `skipped` or `cancelled`, or a word that means one of them.
    pub status: String,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reason: Option<String>,
}

/// The user sets fields of items, by `uid` or by `position`: `content`, `activeForm`, `priority`, `notes`, …, each
/// only where it is sent; `null` empties one.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoEdit {
    /// Which session.
    pub session_id: String,
    /// See [`TodoDelete::position`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub position: Option<String>,
    /// See [`TodoDelete::uid`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uid: Option<String>,
    /// The fields.
    #[serde(flatten)]
    #[ts(skip)]
    pub fields: serde_json::Map<String, Value>,
}

/// The user puts one item elsewhere on its level.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoMove {
    /// Which session.
    pub session_id: String,
    /// `1`, `last`, `2.1`, `2.last`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub position: Option<String>,
    /// See [`TodoDelete::uid`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uid: Option<String>,
    /// The position that it is to have.
    pub to: String,
}

/// The user puts the list into the history as it is; an empty one takes its place.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoArchive {
    /// Which session.
    pub session_id: String,
}

/// The user leaves the agent a line: "use the staging database". It is told like an edit, and changes no item.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct NoteSend {
    /// Which session.
    pub session_id: String,
    /// 1 to 2,000 characters.
    pub text: String,
}

/// The user insists on an edit that the agent overrode or ignores: it is made and told again.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EditInsist {
    /// Which session.
    pub session_id: String,
    /// Which edit.
    pub edit_id: String,
}

/// The user puts a list of the past, or of another session, in the place of the active one.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionLoad {
    /// The session that gets the list.
    pub session_id: String,
    /// The session that the list is of; the same when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub from: Option<String>,
    /// The revision that the list is at; the newest when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub revision: Option<u64>,
}

/// The user removes all items.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoClear {
    /// Which session.
    pub session_id: String,
}

/// The user takes an edit back.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoUndo {
    /// Which session.
    pub session_id: String,
    /// Which edit; this client's newest when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub edit_id: Option<String>,
}

/// What a user's edit made of the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Edited {
    /// Which session.
    pub session_id: String,
    /// The new revision.
    pub revision: u64,
    /// The list after it.
    pub todos: Vec<Item>,
    /// Names the edit, for `todo.undo`; an undo names the edit it took back. Empty where everything was so already: then
    /// there is no new revision either.
    pub edit_id: String,
    /// What was done, in the words of the terminal: `Added TODO at position 2: "x"`.
    pub message: String,
    /// What an undo left as it is, since others changed it meanwhile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub remarks: Vec<String>,
}

/// Asks for sessions: current ones first, then by newest activity.
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
}

/// The answer to [`SessionList`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Sessions {
    /// A page of them.
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
    /// The user's edits that are not settled yet, and the newest that are.
    pub edits: Vec<EditView>,
}

/// Asks for the revisions of a session, newest first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionRevisions {
    /// Which session.
    pub session_id: String,
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

/// An agent has ended in good order; its sessions are finished. Only for callers that said who they are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct SessionLeave {}

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
}
