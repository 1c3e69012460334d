//! The way to a session's task: its inputs, and the part of it that requests may read.

use super::state::{Published, View};
use crate::fsm::Snapshot;
use protocol::{ChatStarted, Code, Done, Error, PreflightApproval, Result, ToolApprovalResponse, say};
use std::sync::PoisonError;
use tokio::sync::{mpsc, oneshot};

/// A message to a session's task.
pub(super) enum Input {
    /// Begin a run by a prompt, or without `content` a resumption.
    Begin {
        content: Option<String>,
        model: String,
        request_id: String,
        created: bool,
        /// The user allows that the model reads a conversation from elsewhere.
        allow_imported: bool,
        reply: ReplySender<ChatStarted>,
    },
    Abort {
        reply: ReplySender<Done>,
    },
    Approval {
        answer: ToolApprovalResponse,
        reply: ReplySender<Done>,
    },
    Preflight {
        answer: PreflightApproval,
        reply: ReplySender<Done>,
    },
    /// The list has changed, by the session itself or by somebody else.
    List(Snapshot),
    /// The session is deleted.
    Deleted,
}

pub(super) type ReplySender<T> = oneshot::Sender<Result<T>>;

#[derive(Clone)]
pub(super) struct Handle {
    pub(super) inputs: mpsc::Sender<Input>,
    pub(super) view: View,
}

impl Handle {
    /// Sends an input and waits for the reply to it.
    pub(super) async fn ask<T>(&self, input: impl FnOnce(ReplySender<T>) -> Input) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        let ended = || Error::new(Code::Unavailable, say::chat_at_rest());
        self.inputs.send(input(reply)).await.map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?
    }

    pub(super) fn published(&self) -> Published {
        self.view.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

pub(super) fn no_approval() -> Error {
    Error::new(Code::NoPendingApproval, say::chat_no_approval())
}

pub(super) fn no_preflight() -> Error {
    Error::new(Code::NoPendingPreflight, say::chat_no_plan())
}
