//! Errors as they cross a wire: a code to branch on and a message that says what to do.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a client can branch on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// Not JSON, not an object, fields missing or of the wrong type.
    InvalidMessage,
    /// A typed command that is none, or lacks a part; the message says how it is used and is shown as it is.
    Usage,
    /// A `type` that this gateway does not know.
    UnknownType,
    /// Larger than [`crate::MESSAGE_BYTES`].
    MessageTooLarge,
    /// An item as sent is not one.
    InvalidTodos,
    /// More or larger items than a list may have.
    LimitExceeded,
    /// Not a position, or one that does not exist.
    InvalidPosition,
    /// No such item.
    ItemNotFound,
    /// The item was there and is gone; `todo.restore` brings it back.
    ItemRemoved,
    /// No such session.
    SessionNotFound,
    /// No session was named and there is not exactly one to mean.
    SessionAmbiguous,
    /// No such revision.
    RevisionNotFound,
    /// The list is an agent's own, and the agent cannot be told of edits.
    ReadOnly,
    /// An agent's configuration cannot be read or changed as asked; the message says what to do.
    Configuration,
    /// A setting cannot have this value; the message says which it can have.
    InvalidSetting,
    /// Nothing to undo, or not this edit.
    CannotUndo,
    /// No token, a wrong one, or one that does not open this.
    Unauthorized,
    /// A foreign `Origin` or `Host`.
    Forbidden,
    /// The built-in agent is at work in this session; one run at a time.
    StreamInProgress,
    /// The model cannot be called: no provider, no key, or no such model; the message says what to do.
    ProviderNotConfigured,
    /// The model or a tool of the built-in agent's failed.
    AgentError,
    /// No call waits for this approval (any more).
    NoPendingApproval,
    /// No plan waits for this approval (any more).
    NoPendingPreflight,
    /// The user refused the plan, or did not answer.
    PreflightRejected,
    /// More requests from one connection than it may send; the message says when to go on.
    RateLimited,
    /// The disk is full or the database cannot be written; nothing was changed.
    Storage,
    /// The gateway is not there just now.
    Unavailable,
    /// A fault of ours.
    Internal,
}

/// An error that reaches a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// For programs.
    pub code: Code,
    /// For people: what is wrong and what to do.
    pub message: String,
}

impl Error {
    /// An error with a message that says what to do.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl From<todo::Error> for Error {
    fn from(error: todo::Error) -> Self {
        use todo::Error as E;
        let code = match &error {
            E::Item { .. } | E::Circle { .. } | E::StatusWord(_) | E::PriorityWord | E::Manager(_) | E::Text { .. } => {
                Code::InvalidTodos
            }
            E::TooManyItems { .. } | E::ListTooLarge { .. } => Code::LimitExceeded,
            E::PositionFormat(_)
            | E::PositionsFormat(_)
            | E::PositionRange { .. }
            | E::MoveOne
            | E::EmptyList
            | E::MoveLevel { .. }
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
        Self::new(code, error.to_string())
    }
}

/// The result of a request.
pub type Result<T> = std::result::Result<T, Error>;
