//! What a run is doing: its state, and what it has used up.

use super::{Change, Grounds, Outcome, RequestId, ToolCall};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use todo::Draft;
use uuid::Uuid;

/// What the machine waits for. Every state but the first has one request outstanding.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) enum State {
    /// No run.
    #[default]
    Idle,
    Classifying,
    Planning,
    /// The user looks at the plan that is kept.
    Checking,
    /// The model's answer in a turn.
    Turning,
    /// The user's approval of the current call.
    Approving,
    /// The current call's result.
    Calling,
    Verifying,
    Validating,
    /// A change of the list, and what comes after it.
    Changing(After),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum After {
    Classify,
    Add(Vec<Draft>),
    Next,
    /// The turn goes on.
    Turn,
    /// The item is to be in progress.
    Work(Uuid),
    /// Nothing is to be in progress; after how many tries.
    End(Outcome, u8),
}

impl State {
    /// A request that can be cancelled: a change of the list cannot, it may have happened.
    pub(super) fn is_cancellable(&self) -> bool {
        !matches!(self, Self::Idle | Self::Changing(_))
    }

    /// It is in a turn, or judges what came of one.
    pub(super) fn is_work(&self) -> bool {
        matches!(self, Self::Turning | Self::Approving | Self::Calling | Self::Verifying)
    }
}

/// One run, from a prompt or a resumption to its end.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Run {
    pub(super) state: State,
    /// The request that is outstanding.
    pub(super) id: RequestId,
    /// Calls of the model.
    pub(super) steps: u32,
    /// Changes of the list since the last call of the model.
    pub(super) changes: u8,
    /// The chat was told that it starts.
    pub(super) has_started: bool,
    /// What the plan starts from.
    pub(super) grounds: Grounds,
    /// How often it was asked for again since it was too long.
    pub(super) shortened: u8,
    /// The change that is outstanding puts the plan into the list.
    pub(super) adds_plan: bool,
    /// Tools of a plan that the user approved.
    pub(super) granted: BTreeSet<String>,
    /// It works through the list, an item after the other.
    pub(super) is_over_list: bool,
    /// The items that are none of the task's: they were there before its prompt, and it has neither been planned on top
    /// of them nor begun one of them.
    pub(super) older: BTreeSet<Uuid>,
    /// Its model has written a list of its own.
    pub(super) has_own_list: bool,
    /// The user has changed the list, or left a note, since the model was told of it last.
    pub(super) is_unheard: bool,
    /// What the turn is about; none where the prompt is answered without a plan.
    pub(super) item: Option<Uuid>,
    pub(super) turn: Turn,
    pub(super) efforts: BTreeMap<Uuid, Effort>,
    /// Items that are not taken up again in this run, unless the user says so.
    pub(super) aside: BTreeSet<Uuid>,
}

/// A turn: the model's answers and tool calls, from what it is told to an answer without tool calls.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Turn {
    /// Being approved or called.
    pub(super) current: Option<ToolCall>,
    /// Yet to be called.
    pub(super) calls: VecDeque<ToolCall>,
    /// The user has approved the next of them.
    pub(super) is_approved: bool,
    /// There were tool calls in the model's last answer.
    pub(super) has_called: bool,
    /// There were some in this turn.
    pub(super) has_acted: bool,
    /// Calls that were denied or refused, where the turn has no item.
    pub(super) not_allowed: u8,
    /// The model's last answer called nothing but todo tools.
    pub(super) is_listing: bool,
    /// So did so many before it, one after the other, and so many since the list changed.
    pub(super) listings: u8,
    pub(super) idle_listings: u8,
    /// The model says that the whole task is complete.
    pub(super) is_done: bool,
    /// The model says that this item is completed, which has to be verified.
    pub(super) claims: Option<Uuid>,
}

/// What was spent on an item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Effort {
    /// Tool calls, those of todo tools left out.
    pub(super) calls: u8,
    /// Verifications that it did not pass.
    pub(super) failed_checks: u8,
    /// What went wrong last.
    pub(super) error: Option<String>,
}

impl super::Machine {
    /// Sends a request: the machine waits for its answer from now on.
    pub(super) fn request(&mut self, state: State, effect: impl FnOnce(RequestId) -> super::Effect) {
        self.last_id.0 += 1;
        self.run.id = self.last_id;
        self.run.state = state;
        self.effects.push(effect(self.run.id));
    }

    /// Calls the model, which is a step. Only a turn settles what it has to hear.
    pub(super) fn ask(&mut self, state: State, purpose: super::Purpose) {
        if self.run.steps >= self.settings.max_steps {
            return self.end(Outcome::StepLimit(self.settings.max_steps));
        }
        self.run.steps += 1;
        self.run.changes = 0;
        let reminder = self.has_news;
        self.has_news &= !purpose.is_turn();
        self.run.is_unheard &= !purpose.is_turn();
        let more = self.settings.max_steps - self.run.steps;
        self.request(state, |id| super::Effect::Ask { id, purpose, reminder, more });
    }

    /// Changes the list. A list that does not take what it is given must not keep the machine turning.
    pub(super) fn change(&mut self, after: After, change: Change) {
        self.run.changes = self.run.changes.saturating_add(1);
        if self.run.changes > super::CHANGES && !matches!(after, After::End(..)) {
            return self.end(Outcome::Failed("The list does not take the changes of its agent.".to_owned()));
        }
        self.request(State::Changing(after), |id| super::Effect::Change { id, change });
    }
}
