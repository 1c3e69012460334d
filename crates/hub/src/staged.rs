//! The effects of a batch that is not committed yet.

use crate::bindings::ByEvidence;
use crate::hook_memory::HookMemory;
use crate::keys::{KnownKey, Trust};
use crate::live::Live;
use crate::permissions::Settled;
use protocol::{Event, Rule, Settings};
use session::Actor;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use uuid::Uuid;

/// Changes to what is in memory, and what subscribers are told of them. Dropped when the batch fails or is done anew.
#[derive(Default)]
pub(crate) struct Staged {
    /// Sessions that were changed.
    pub(crate) lives: HashMap<String, Live>,
    /// Sessions that were deleted.
    pub(crate) deleted: HashSet<String>,
    /// Evidence that was bound to a session.
    pub(crate) bindings: ByEvidence<String>,
    /// The memory of hooks' reports; the committed one until it is changed.
    pub(crate) hooks: Arc<HookMemory>,
    /// Events in the order of their cursors.
    pub(crate) events: Vec<Event>,
    /// Connections of agents, each with a session that it used.
    pub(crate) used: Vec<(String, String)>,
    /// Sessions that only the history learnt of: nobody is told, and memory does not keep them.
    pub(crate) quiet: HashSet<String>,
    /// The rules, where they were changed.
    pub(crate) rules: Option<Arc<Vec<Rule>>>,
    /// Permissions that nobody waits for any more.
    pub(crate) settled: Vec<Settled>,
    /// The settings, where they were changed.
    pub(crate) settings: Option<Settings>,
    /// The valid keys, where they were changed.
    pub(crate) keys: Option<Arc<Vec<KnownKey>>>,
    /// The hosts, where they were changed.
    pub(crate) hosts: Option<Arc<Vec<store::HostRow>>>,
    /// Hosts for which an edit waits.
    pub(crate) waited_for: HashSet<String>,
    /// The trust for being first, where it was changed.
    pub(crate) trust: Option<Trust>,
    /// A session that was deleted is back.
    pub(crate) undeletes: bool,
    /// Something is to be swept from the archive at once.
    pub(crate) has_dirt: bool,
    /// Items that were taken out, and who did.
    pub(crate) removed: HashMap<Uuid, Actor>,
}
