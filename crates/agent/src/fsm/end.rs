//! How a run ends: nothing outstanding, nothing in progress.

use super::run::{After, Run, State};
use super::{Change, Effect, Machine, Mark, Outcome, RELEASES};
use todo::Status;

/// What the model reads of calls that were not made.
const ENDED: &str = "The run was ended.";

impl Machine {
    pub(super) fn aborted(&mut self) {
        match &mut self.run.state {
            // A change of the list may have happened: its answer says what is in progress.
            State::Changing(After::End(..)) => self.run.is_unheard = false,
            State::Changing(after) => {
                *after = After::End(Outcome::Aborted, 0);
                self.reject_calls(ENDED);
            }
            // Left over from a process that was killed.
            State::Idle if self.list.all_in_progress().next().is_none() => {}
            _ => self.end(Outcome::Aborted),
        }
    }

    pub(super) fn end(&mut self, outcome: Outcome) {
        self.abandon(ENDED);
        self.kept.unanswered &= outcome != Outcome::Completed;
        self.release(outcome, 0);
    }

    /// Nobody has answered. What is in progress is open again when that is resumed.
    pub(super) fn unanswered(&mut self) {
        self.end(Outcome::Unanswered { can_resume: self.kept.can_resume(&self.list) });
    }

    /// Whatever is in progress goes back to pending (T12); then the run is over. A list that does not take that is
    /// left as it is after a few tries.
    pub(super) fn release(&mut self, outcome: Outcome, tries: u8) {
        let marks: Vec<Mark> = self.list.all_in_progress().map(|uid| Mark::new(uid, Status::Pending)).collect();
        if outcome == Outcome::Completed && self.run.is_unheard {
            // The last change was under way.
            return self.completed();
        }
        if marks.is_empty() || tries >= RELEASES {
            // The user does not want more of it, or there is no more.
            self.kept.unfinished &= !matches!(outcome, Outcome::Completed | Outcome::Emptied | Outcome::Refused);
            self.run = Run::default();
            self.effects.push(Effect::End(outcome));
        } else {
            self.change(After::End(outcome, tries + 1), Change::Set(marks));
        }
    }

    /// Nobody waits for the request any more, nor for the calls of the turn.
    pub(super) fn abandon(&mut self, reason: &str) {
        if self.run.state.is_cancellable() {
            self.effects.push(Effect::Cancel { id: self.run.id });
        }
        self.run.state = State::Idle;
        self.reject_calls(reason);
    }
}
