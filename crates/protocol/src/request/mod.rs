//! The one list of requests, and what each takes and gives.
//!
//! [`with_requests!`](crate::with_requests) hands the list to a macro: the enums here, the hub's dispatch and the
//! window's IPC commands are all made from it, so a transport that lacks a request does not compile.

mod agent;
mod archive;
mod chat;
mod command;
mod edit;
mod machine;
mod report;
mod session;
mod settings;

pub use agent::*;
pub use archive::*;
pub use chat::*;
pub use command::*;
pub use edit::*;
pub use machine::*;
pub use report::*;
pub use session::*;
pub use settings::*;

use crate::{Code, Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;
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
            TodoRestore -> Edited, "todo.restore" => "todo.restore.result", todo_restore;
            TodoArchive -> Edited, "todo.archive" => "todo.archive.result", todo_archive;
            NoteSend -> Edited, "note.send" => "note.send.result", note_send;
            EditInsist -> Edited, "edit.insist" => "edit.insist.result", edit_insist;
            TodoCommand -> Commanded, "todo.command" => "todo.command.result", todo_command;
            TodoComplete -> Completions, "todo.complete" => "todo.complete.result", todo_complete;
            TodoManage -> TodoManaged, "todo.manage" => "todo.manage.result", todo_manage;
            SessionList -> Sessions, "session.list" => "session.list", session_list;
            SessionGet -> SessionAt, "session.get" => "session.get.result", session_get;
            SessionLoad -> Edited, "session.load" => "session.load.result", session_load;
            SessionRevisions -> Revisions, "session.revisions" => "session.revisions.result", session_revisions;
            SessionReport -> SessionReported, "session.report" => "session.report.result", session_report;
            TodoObserve -> TodoObserved, "todo.observe" => "todo.observe.result", todo_observe;
            SessionDelete -> Done, "session.delete" => "session.delete.result", session_delete;
            SessionUndelete -> Done, "session.undelete" => "session.undelete.result", session_undelete;
            SessionLeave -> Done, "session.leave" => "session.leave.result", session_leave;
            SessionMark -> Done, "session.mark" => "session.mark.result", session_mark;
            NeedDismiss -> Done, "need.dismiss" => "need.dismiss.result", need_dismiss;
            SessionExport -> Exported, "session.export" => "session.export.result", session_export;
            SessionImport -> SessionsImported, "session.import" => "session.import.result", session_import;
            SessionSearch -> Found, "session.search" => "session.search.result", session_search;
            ArchiveStatus -> ArchiveInfo, "archive.status" => "archive.status.result", archive_status;
            ArchiveInsight -> Insight, "archive.insight" => "archive.insight.result", archive_insight;
            SessionOpen -> Done, "session.open" => "session.open.result", session_open;
            SessionResume -> ResumeCommand, "session.resume" => "session.resume.result", session_resume;
            SettingsGet -> Settings, "settings.get" => "settings.get.result", settings_get;
            SettingsUpdate -> Settings, "settings.update" => "settings.update.result", settings_update;
            AgentsList -> AgentsThere, "agents.list" => "agents.list.result", agents_list;
            AgentsPlan -> AgentsPlanned, "agents.plan" => "agents.plan.result", agents_plan;
            AgentsApply -> AgentsApplied, "agents.apply" => "agents.apply.result", agents_apply;
            AgentsTest -> AgentsTested, "agents.test" => "agents.test.result", agents_test;
            ImportStart -> ImportProgress, "import.start" => "import.start.result", import_start;
            ImportCancel -> ImportProgress, "import.cancel" => "import.cancel.result", import_cancel;
            ChatSend -> ChatStarted, "chat.send" => "chat.send.result", chat_send;
            ChatAbort -> Done, "chat.abort" => "chat.abort.result", chat_abort;
            ChatResume -> ChatStarted, "chat.resume" => "chat.resume.result", chat_resume;
            ChatGet -> Chat, "chat.get" => "chat.get.result", chat_get;
            ToolApprovalResponse -> Done, "tool.approval.response" => "tool.approval.response.result", tool_approval_response;
            PreflightApproval -> Done, "preflight.approval" => "preflight.approval.result", preflight_approval;
            ChatModels -> ChatModelsThere, "chat.models" => "chat.models.result", chat_models;
            ChatTest -> Done, "chat.test" => "chat.test.result", chat_test;
            ChatTools -> ChatToolsThere, "chat.tools" => "chat.tools.result", chat_tools;
            VaultKeysList -> VaultKeys, "vault.keys.list" => "vault.keys.list.result", vault_keys_list;
            VaultKeysSet -> VaultKeys, "vault.keys.set" => "vault.keys.set.result", vault_keys_set;
            VaultKeysDelete -> VaultKeys, "vault.keys.delete" => "vault.keys.delete.result", vault_keys_delete;
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

impl Request {
    /// With the id of its message, where what it causes is named after that.
    #[must_use]
    pub fn caused_by(mut self, id: Option<&str>) -> Self {
        if let Self::TodoWrite(TodoWrite { request_id, .. })
        | Self::ChatSend(ChatSend { request_id, .. })
        | Self::ChatResume(ChatResume { request_id, .. }) = &mut self
        {
            *request_id = id.map(str::to_owned);
        }
        self
    }

    /// Whether it is about the machine and no list: agents are started or models asked for it, so that it may take many
    /// seconds.
    #[must_use]
    pub fn is_about_machine(&self) -> bool {
        matches!(
            self,
            Self::AgentsList(_)
                | Self::AgentsPlan(_)
                | Self::AgentsApply(_)
                | Self::AgentsTest(_)
                | Self::ImportStart(_)
                | Self::ImportCancel(_)
                | Self::SessionOpen(_)
                | Self::SessionResume(_)
                | Self::ChatModels(_)
                | Self::ChatTest(_)
                | Self::ChatTools(_)
                | Self::VaultKeysList(_)
                | Self::VaultKeysSet(_)
                | Self::VaultKeysDelete(_)
        )
    }
}

macro_rules! edits {
    ($($name:ident)*) => {
        impl Request {
            /// Whether it is a user's edit: asked twice, it may do more than asked once.
            #[must_use]
            pub fn is_edit(&self) -> bool {
                matches!(self, $(Self::$name(_))|*)
            }

            /// The answer to an edit under the name of its request; `None` for any other request.
            #[must_use]
            pub fn edited(&self, edited: Edited) -> Option<Reply> {
                match self { $(Self::$name(_) => Some(Reply::$name(edited)),)* _ => None }
            }

            /// A command's request, for that session.
            #[must_use]
            pub fn in_session(mut self, id: &str) -> Self {
                match &mut self {
                    $(Self::$name(ask) => id.clone_into(&mut ask.session_id),)*
                    _ => {}
                }
                self
            }
        }

        impl Reply {
            /// What an edit made of its list; `None` for the answer to any other request.
            #[must_use]
            pub fn into_edited(self) -> Option<Edited> {
                match self { $(Self::$name(edited) => Some(edited),)* _ => None }
            }
        }
    };
}

edits!(TodoAdd TodoDelete TodoClear TodoSetStatus TodoEdit TodoMove TodoUndo TodoRestore TodoArchive NoteSend EditInsist
    SessionLoad);

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
