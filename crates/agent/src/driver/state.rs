//! A session beside its list and its messages: what is stored of it, and what requests read while its task works.

use crate::fsm::Checkpoint;
use hub::ChatEntry;
use protocol::ChatRun;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Messages of a conversation that are read when its session is opened.
pub(super) const ENTRIES: usize = 500;

/// The stored state of a session, as JSON beside its messages.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct SessionState {
    /// `provider:model`.
    pub(super) model: String,
    /// That model has no tool calls.
    pub(super) prose: bool,
    #[serde(rename = "kept")]
    pub(super) checkpoint: Checkpoint,
    /// The number of the newest message.
    pub(super) seq: u64,
    /// A digest of each approved tool, made when it was approved.
    pub(super) approved: BTreeMap<String, String>,
    /// The model keeps its list by tool calls, so `<todo>` blocks in its prose are quotations.
    pub(super) calls_todo_tools: bool,
    /// The conversation came from elsewhere, and the user has not allowed yet that a model reads it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) imported: bool,
}

/// The part of a session that requests read while its task works.
pub(super) type View = Arc<Mutex<Published>>;

#[derive(Debug, Clone, Default)]
pub(super) struct Published {
    pub(super) run: Option<ChatRun>,
    /// Set while the database takes nothing, since its disk is full or gone.
    pub(super) unsaved: Option<Unsaved>,
}

/// The newest state and messages that are not in the database; they go before the stored ones.
#[derive(Debug, Clone, Default)]
pub(super) struct Unsaved {
    pub(super) state: SessionState,
    pub(super) messages: Vec<ChatEntry>,
}
