//! Requests of the machine, and the end of a run: no request outstanding, no item in progress. They are in one file, since
//! a request that exceeds a limit ends the run, and the end of a run may take requests.

use super::effect::{Change, Effect, Grounds, Purpose, StatusChange};
use super::event::RequestId;
use super::limits::{CHANGES, RELEASES};
use super::machine::AgentMachine;
use super::run::{After, Run, State, Turn};
use super::run_end::RunEnd;
use todo::Status;

/// The result of calls that were not made, for the model.
pub(super) const ENDED: &str = "The run was ended.";

impl AgentMachine {
    /// Sends a request: the machine waits for its answer from now on.
    pub(super) fn request(&mut self, state: State, effect: impl FnOnce(RequestId) -> Effect) {
        self.last_id.0 += 1;
        self.run.id = self.last_id;
        self.run.state = state;
        self.effects.push(effect(self.run.id));
    }

    /// Calls the model, which is a step. Only a turn tells the model the news.
    pub(super) fn ask(&mut self, state: State, purpose: Purpose) {
        if self.run.steps >= self.settings.max_steps {
            return self.end(RunEnd::StepLimit(self.settings.max_steps));
        }
        self.run.steps += 1;
        self.run.changes = 0;
        let reminder = self.has_news;
        self.has_news &= !purpose.is_turn();
        self.run.is_unheard &= !purpose.is_turn();
        let more = self.settings.max_steps - self.run.steps;
        self.request(state, |id| Effect::Ask { id, purpose, reminder, more });
    }

    /// Changes the list. The number of changes in a row is limited, so that a list that does not take them ends the run.
    pub(super) fn change(&mut self, after: After, change: Change) {
        self.run.changes = self.run.changes.saturating_add(1);
        if self.run.changes > CHANGES && !matches!(after, After::End(..)) {
            return self.end(RunEnd::Failed("The list does not take the changes of its agent.".to_owned()));
        }
        self.request(State::Changing(after), |id| Effect::Change { id, change });
    }

    /// Starts the stream in the chat, once a run.
    pub(super) fn start(&mut self) {
        if !self.run.has_started {
            self.run.has_started = true;
            self.effects.push(Effect::Start);
        }
    }

    /// Asks for a plan.
    pub(super) fn plan(&mut self, grounds: Grounds) {
        self.run.item = None;
        self.run.older.clear();
        self.run.shortened = 0;
        self.run.grounds = grounds;
        self.ask(State::Planning, Purpose::Plan(self.run.grounds.clone()));
    }

    pub(super) fn end(&mut self, outcome: RunEnd) {
        self.abandon(ENDED);
        self.checkpoint.unanswered &= outcome != RunEnd::Completed;
        self.release(outcome, 0);
    }

    /// Ends the run since the user has not answered in time.
    pub(super) fn unanswered(&mut self) {
        self.end(RunEnd::Unanswered { can_resume: self.checkpoint.can_resume(&self.list) });
    }

    /// Sets the items in progress to pending (T12), then ends the run; after a few tries also if the list does not take
    /// that.
    pub(super) fn release(&mut self, outcome: RunEnd, tries: u8) {
        let marks: Vec<StatusChange> =
            self.list.all_in_progress().map(|uid| StatusChange::new(uid, Status::Pending)).collect();
        if outcome == RunEnd::Completed && self.run.is_unheard {
            // The user has said something while the last change was under way.
            return self.completed();
        }
        if marks.is_empty() || tries >= RELEASES {
            // These ends leave nothing to do.
            self.checkpoint.unfinished &= !matches!(outcome, RunEnd::Completed | RunEnd::Emptied | RunEnd::Refused);
            self.run = Run::default();
            self.effects.push(Effect::End(outcome));
        } else {
            self.change(After::End(outcome, tries + 1), Change::Set(marks));
        }
    }

    /// Cancels the outstanding request and rejects the calls of the turn.
    pub(super) fn abandon(&mut self, reason: &str) {
        if self.run.state.is_cancellable() {
            self.effects.push(Effect::Cancel { id: self.run.id });
        }
        self.run.state = State::Idle;
        self.reject_calls(reason);
    }

    /// Ends the run as completed, as far as the model knows.
    pub(super) fn completed(&mut self) {
        self.end_heard(RunEnd::Completed);
    }

    /// Ends the run, unless the user has said something since the model's last turn: that is for another turn first.
    pub(super) fn end_heard(&mut self, outcome: RunEnd) {
        if !self.run.is_unheard {
            return self.end(outcome);
        }
        self.run.item = None;
        self.run.turn = Turn::default();
        self.ask(State::Turning, Purpose::Heed);
    }

    /// Rejects the calls of the turn that are not answered.
    pub(super) fn reject_calls(&mut self, reason: &str) {
        let turn = &mut self.run.turn;
        for call in turn.current.take().into_iter().chain(turn.calls.drain(..)) {
            self.effects.push(Effect::Reject { call, reason: reason.to_owned() });
        }
    }
}
