//! The user's settings for the machine, and the machine's checkpoint beside the list.

use super::Snapshot;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use todo::Draft;

/// The todo tools need no approval (requirement G3), and are not counted as tool calls of an item (T10).
pub use mcp::TODO_TOOLS;

/// True if a tool may be called (requirement G3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// Without asking.
    Auto,
    /// After the user's approval.
    #[default]
    Ask,
    /// Never, whatever the user has approved.
    Deny,
}

/// When a new prompt archives the list (requirements P1, G4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Archiving {
    /// If all of its items are terminal.
    #[default]
    WhenCompleted,
    /// In any case.
    Always,
    /// Not at all: only the user archives it.
    Never,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Settings {
    /// Steps of one run: calls of the model, for whatever purpose (requirement T11).
    pub max_steps: u32,
    /// Continuations after one prompt (requirement P2).
    pub max_continuations: u8,
    pub archiving: Archiving,
    /// Policies by the names of tools.
    pub tools: BTreeMap<String, Policy>,
    /// The policy of all other tools.
    pub other_tools: Policy,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_steps: 100,
            max_continuations: 3,
            archiving: Archiving::default(),
            tools: BTreeMap::new(),
            other_tools: Policy::default(),
        }
    }
}

impl Settings {
    /// The policy of a tool, without regard to approvals.
    #[must_use]
    pub fn policy(&self, tool: &str) -> Policy {
        if TODO_TOOLS.contains(&tool) {
            return Policy::Auto;
        }
        self.tools.get(tool).copied().unwrap_or(self.other_tools)
    }
}

/// The part of the machine that is stored beside the list, so that another process can go on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Checkpoint {
    /// The user's last prompt.
    pub task: Option<String>,
    /// Continuations since then (requirement P2); the next prompt and `/todo clear` reset it.
    pub continuations: u8,
    /// Tools that the user has approved for this session.
    pub approved: BTreeSet<String>,
    /// Steps for which a plan had no room, to be planned when the others are done.
    pub postponed: Vec<String>,
    /// The last prompt has led to no answer, no plan and no list by the model: a resumption begins with it again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unanswered: bool,
    /// A run over the list has not come to its end: open items are still to be done, and if there are none, nobody has
    /// said yet that the task is complete.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
    /// The steps of a plan, until they are in the list or the user has refused them. A resumption asks about them again if
    /// that is needed; the next prompt drops them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plan: Vec<Draft>,
}

impl Checkpoint {
    /// There is something to resume (requirement T14): a prompt without an answer, an open item, a list of which nobody has
    /// said that it completes the task, or a plan that waits.
    #[must_use]
    pub fn can_resume(&self, list: &Snapshot) -> bool {
        let is_open = list.open().next().is_some() || (self.unfinished && !list.items.is_empty());
        self.task.is_some() && (self.unanswered || is_open || !self.plan.is_empty())
    }

    /// Forgets what belonged to a list that is empty now. Postponed steps stay if they belong to a plan that waits.
    pub(super) fn emptied(&mut self) {
        self.continuations = 0;
        self.unfinished = false;
        if self.plan.is_empty() {
            self.postponed.clear();
        }
    }
}
