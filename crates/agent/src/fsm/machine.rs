//! The state of the machine, and what can be read of it.

use super::effect::Effect;
use super::event::RequestId;
use super::list::{Snapshot, tool};
use super::run::{Run, State};
use super::settings::{Checkpoint, Policy, Settings};

/// The state of one session's agent.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentMachine {
    pub(super) settings: Settings,
    pub(super) checkpoint: Checkpoint,
    pub(super) list: Snapshot,
    /// The list has changed since the model was last told of it.
    pub(super) has_news: bool,
    pub(super) last_id: RequestId,
    pub(super) run: Run,
    /// The effects of the event that is being handled.
    pub(super) effects: Vec<Effect>,
}

impl AgentMachine {
    /// A machine without a run, new or from the checkpoint of another process. The list may have been emptied since.
    #[must_use]
    pub fn new(settings: Settings, mut checkpoint: Checkpoint, list: Snapshot) -> Self {
        if list.items.is_empty() {
            checkpoint.emptied();
        }
        let (last_id, run) = (RequestId::default(), Run::default());
        Self { settings, checkpoint, list, has_news: false, last_id, run, effects: Vec::new() }
    }

    /// A run is under way; a prompt has to wait or be refused.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.run.state != State::Idle
    }

    /// This request is outstanding.
    #[must_use]
    pub fn waits_for(&self, id: RequestId) -> bool {
        self.is_running() && self.run.id == id
    }

    /// There is something to resume, and no run is under way.
    #[must_use]
    pub fn can_resume(&self) -> bool {
        !self.is_running() && self.checkpoint.can_resume(&self.list)
    }

    #[must_use]
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// The newest list that the machine has seen.
    #[must_use]
    pub fn list(&self) -> &Snapshot {
        &self.list
    }

    /// The tools that the user approved for the session or by a plan, and those of a plan that waits for approval. Some may
    /// occur more than once.
    pub fn allowed(&self) -> impl Iterator<Item = &str> {
        let approved = self.checkpoint.approved.iter().chain(&self.run.granted).map(String::as_str);
        approved.chain(self.checkpoint.plan.iter().filter_map(tool))
    }

    /// Takes back the user's approvals of these tools, since there are other tools by their names now.
    pub fn forget_approvals(&mut self, is_of: impl Fn(&str) -> bool) {
        self.checkpoint.approved.retain(|tool| !is_of(tool));
        self.run.granted.retain(|tool| !is_of(tool));
        let turn = &mut self.run.turn;
        turn.is_approved &= !turn.calls.front().is_some_and(|call| is_of(&call.tool));
    }

    /// Takes new settings, from now on.
    pub fn configure(&mut self, settings: Settings) {
        self.settings = settings;
    }

    /// The policy of a tool, with the approvals so far.
    pub(super) fn policy(&self, tool: &str) -> Policy {
        match self.settings.policy(tool) {
            Policy::Ask if self.checkpoint.approved.contains(tool) || self.run.granted.contains(tool) => Policy::Auto,
            policy => policy,
        }
    }
}
