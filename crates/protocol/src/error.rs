//! Errors that reach clients: a code to branch on, and a message that says what to do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use texts::{Text, TextRef};
use ts_rs::TS;

/// Errors that a client can branch on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// Not JSON, not an object, or with fields that are missing or of the wrong type or value; the message names the
    /// field.
    InvalidMessage,
    /// A typed command that does not exist or lacks a part; the message says how it is used, ready to be shown.
    Usage,
    /// A `type` that this gateway does not know.
    UnknownType,
    /// A message of more than 1 MiB (`session.import`: 8 MiB).
    MessageTooLarge,
    /// An item, or an action of `todo_manager`, is not as it has to be; the message names the item and the field.
    InvalidTodos,
    /// More items than a list may have, or a list that is too large.
    LimitExceeded,
    /// Not a position, or one that does not exist in the list.
    InvalidPosition,
    /// No such item.
    ItemNotFound,
    /// The item was removed meanwhile; the message says by whom, and `todo.restore` brings it back.
    ItemRemoved,
    /// No such session.
    SessionNotFound,
    /// Several sessions could be meant; send the full id.
    SessionAmbiguous,
    /// No such revision; it may have been removed by retention.
    RevisionNotFound,
    /// The list is an agent's built-in list, and the agent cannot be told of edits.
    ReadOnly,
    /// An agent's configuration cannot be read or changed as asked; the message says what to do.
    Configuration,
    /// A setting cannot have this value; the message says which it can have.
    InvalidSetting,
    /// There is nothing to undo or to send again, or this edit cannot be.
    CannotUndo,
    /// No key, a wrong one, or one that does not open this.
    Unauthorized,
    /// Nobody waits for this permission any more: it was answered, or its time is up.
    PermissionNotFound,
    /// No such rule.
    RuleNotFound,
    /// No such host.
    HostNotFound,
    /// No such key, or it is not valid any more.
    KeyNotFound,
    /// A key cannot have this name or these rights; the message says which it can have.
    InvalidKey,
    /// A foreign `Origin` or `Host`.
    Forbidden,
    /// The built-in agent is at work in this session; one run at a time.
    StreamInProgress,
    /// The conversation came from elsewhere, and the user has to allow that a model reads it.
    ImportedConversation,
    /// The model cannot be called: no provider, no key, or no such model; the message says what to do.
    ProviderNotConfigured,
    /// The built-in agent's model or one of its tools failed.
    AgentError,
    /// No call waits for this approval, or not any more.
    NoPendingApproval,
    /// No plan waits for this approval, or not any more.
    NoPendingPreflight,
    /// The user refused the plan, or did not answer.
    PreflightRejected,
    /// More requests than one connection may send; the message says when to go on.
    RateLimited,
    /// The disk is full or the database cannot be read or written; nothing was changed.
    Storage,
    /// The gateway is not there just now, is shutting down, or has too much of this under way.
    Unavailable,
    /// A defect of Sightline.
    Internal,
}

/// An error that reaches a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// The error, for programs.
    pub code: Code,
    /// The error in English: what happened and what to do.
    pub message: String,
    /// The error in the catalogue, for clients that show it to people in their own language. The catalogue may say less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub text: Option<TextRef>,
}

impl Error {
    /// An error with a text that says what to do. Whatever a person may see is from [`texts::all`].
    pub fn new(code: Code, text: impl Into<Text>) -> Self {
        let Text { english, named } = text.into();
        Self { code, message: english, text: named }
    }

    /// Its words without its code.
    #[must_use]
    pub fn into_text(self) -> Text {
        Text { english: self.message, named: self.text }
    }
}

impl From<todo::Error> for Error {
    fn from(error: todo::Error) -> Self {
        use todo::Error as E;
        let code = match &error {
            E::Item(_) | E::Circle { .. } | E::StatusWord(_) | E::PriorityWord | E::Manager(_) | E::Text { .. } => {
                Code::InvalidTodos
            }
            E::TooManyItems { .. } | E::ListTooLarge { .. } | E::ListFull { .. } | E::TooManyEdits { .. } => {
                Code::LimitExceeded
            }
            E::PositionFormat(_)
            | E::PositionsFormat(_)
            | E::PositionRange { .. }
            | E::MoveOne
            | E::EmptyList
            | E::MoveLevel { .. }
            | E::TooDeep(_)
            | E::OnTop(_)
            | E::NothingAbove(_)
            | E::NoParent(_)
            | E::NoPosition(_)
            | E::NoSubtask(_) => Code::InvalidPosition,
            E::NoItem(_) => Code::ItemNotFound,
            E::NothingToUndo
            | E::CannotUndo(_)
            | E::CannotInsist(_)
            | E::NothingToInsist
            | E::NoHome(_)
            | E::ChangedSince(_) => Code::CannotUndo,
        };
        Self::new(code, error.text())
    }
}

/// The result of a request.
pub type Result<T> = std::result::Result<T, Error>;
