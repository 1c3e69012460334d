//! What the user has settled, and what a machine keeps beside the list.

use super::Snapshot;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use todo::Draft;

/// Tools for the list itself: they need no approval (REQUIREMENTS G3) and count as no tool call of an item (T10). No
/// tool of another server may have one of these names.
pub const TODO_TOOLS: [&str; 3] = ["todo_write", "todo_read", "todo_manager"];

/// What has to happen before a tool is called (REQUIREMENTS G3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// Nothing.
    Auto,
    /// The user is asked.
    #[default]
    Ask,
    /// It is not called, whatever was approved.
    Deny,
}

/// When a new prompt puts the list into the history (REQUIREMENTS P1, G4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Archiving {
    /// When all its items are terminal.
    #[default]
    WhenCompleted,
    /// Each time.
    Always,
    /// Only the user does that.
    Never,
}

/// What the user has settled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Settings {
    /// Steps that one run may take: calls of the model, for whatever purpose (REQUIREMENTS T11).
    pub max_steps: u32,
    /// When a new prompt puts the list into the history.
    pub archiving: Archiving,
    /// The policy of each tool, by its name.
    pub tools: BTreeMap<String, Policy>,
    /// That of tools that are not named.
    pub other_tools: Policy,
}

impl Default for Settings {
    fn default() -> Self {
        Self { max_steps: 100, archiving: Archiving::default(), tools: BTreeMap::new(), other_tools: Policy::default() }
    }
}

impl Settings {
    /// The policy of a tool, whatever was approved so far.
    #[must_use]
    pub fn policy(&self, tool: &str) -> Policy {
        if TODO_TOOLS.contains(&tool) {
            return Policy::Auto;
        }
        self.tools.get(tool).copied().unwrap_or(self.other_tools)
    }
}

/// What a session keeps of its machine beside the list, so that another process can go on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Kept {
    /// The user's last prompt.
    pub task: Option<String>,
    /// Continuations since then (REQUIREMENTS P2); the next prompt and `/todo clear` set it back.
    pub continuations: u8,
    /// Tools that the user has approved for this session.
    pub approved: BTreeSet<String>,
    /// Steps for which a plan had no room, to be planned when the others are done.
    pub postponed: Vec<String>,
    /// The last prompt has come to neither an answer nor a plan, nor to a list of the model's: a resumption begins with
    /// it again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unanswered: bool,
    /// A run over the list has not come to its end: what is open in it is still to be done, and where nothing is open
    /// nobody has said yet that the task is complete.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
    /// The steps of a plan, until they stand in the list or the user has refused them; a resumption asks about it again
    /// where that is needed, the next prompt forgets it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plan: Vec<Draft>,
}

impl Kept {
    /// There is something to resume (REQUIREMENTS T14): a prompt without an answer, an open item of the list as it is,
    /// a list of which nobody has said that it is enough, or a plan that waits.
    #[must_use]
    pub fn can_resume(&self, list: &Snapshot) -> bool {
        let is_open = list.open().next().is_some() || (self.unfinished && !list.items.is_empty());
        self.task.is_some() && (self.unanswered || is_open || !self.plan.is_empty())
    }

    /// The list is empty: nothing is left to continue, nor to be planned later, unless that belongs to a plan that
    /// waits.
    pub(super) fn emptied(&mut self) {
        self.continuations = 0;
        self.unfinished = false;
        if self.plan.is_empty() {
            self.postponed.clear();
        }
    }
}
