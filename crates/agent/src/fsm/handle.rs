//! The entry of the machine: each event goes to the part that decides on it.

use super::machine::AgentMachine;
use super::request::ENDED;
use super::run::{After, State};
use super::{Answer, Effect, Event, RunEnd, Snapshot};

impl AgentMachine {
    /// Takes an event; returns what is to be done, in this order.
    #[must_use]
    pub fn handle(&mut self, event: Event) -> Vec<Effect> {
        match event {
            Event::Prompt { text } if !self.is_running() => self.prompted(text),
            Event::Resume if !self.is_running() => self.resumed(),
            Event::Prompt { .. } | Event::Resume => {}
            Event::Abort => self.aborted(),
            Event::List { list, by } => self.listed(list, by),
            Event::Answer { id, answer } if self.is_running() && id == self.run.id => self.answered(answer),
            Event::Answer { .. } => {}
        }
        std::mem::take(&mut self.effects)
    }

    fn aborted(&mut self) {
        match &mut self.run.state {
            // The change may have been made: its answer says what is in progress.
            State::Changing(After::End(..)) => self.run.is_unheard = false,
            State::Changing(after) => {
                *after = After::End(RunEnd::Aborted, 0);
                self.reject_calls(ENDED);
            }
            // Only items that a killed process left in progress are to be released.
            State::Idle if self.list.all_in_progress().next().is_none() => {}
            _ => self.end(RunEnd::Aborted),
        }
    }

    fn answered(&mut self, answer: Answer) {
        if std::mem::take(&mut self.run.adds_plan) && matches!(answer, Answer::Changed(_)) {
            self.checkpoint.plan.clear();
        }
        match (std::mem::take(&mut self.run.state), answer) {
            (State::Changing(After::End(outcome, tries)), answer) => {
                if let Answer::Changed(list) = answer {
                    self.take_list(list);
                }
                self.release(outcome, tries);
            }
            (_, Answer::Failed(why)) => self.end(RunEnd::Failed(why)),
            (State::Changing(after), Answer::Changed(list)) => self.changed(after, list),
            (State::Classifying, Answer::Classified { complex }) => self.classified(Some(complex)),
            (State::Classifying, Answer::Unreadable) => self.classified(None),
            (State::Planning, Answer::Planned(steps)) => self.planned(steps),
            (State::Planning, Answer::Unreadable) => self.end(RunEnd::Unplanned),
            (State::Checking, Answer::Checked(answer)) => self.checked(answer),
            (State::Turning, Answer::Turned(reply)) => self.turned(reply),
            (State::Approving, Answer::Approved(approval)) => self.approved(approval),
            (State::Calling, Answer::Called { error }) => self.called(error),
            (State::Verifying, Answer::Judged(verdict)) => self.verified(Some(verdict)),
            (State::Verifying, Answer::Unreadable) => self.verified(None),
            (State::Validating, Answer::Judged(verdict)) => self.validated(Some(verdict)),
            (State::Validating, Answer::Unreadable) => self.validated(None),
            (State::Turning, Answer::Unreadable) => {
                self.end(RunEnd::Failed("The model's answer could not be read.".to_owned()));
            }
            // An answer of the wrong kind: to wait on would be to wait for ever.
            (_, _) => self.end(RunEnd::Failed("An answer came that nobody asked for.".to_owned())),
        }
    }

    fn changed(&mut self, after: After, list: Snapshot) {
        self.take_list(list);
        match after {
            After::Classify => self.classify(),
            After::Add(steps) => self.add(steps),
            After::Next => self.next(),
            After::Turn => self.go_on(),
            After::Work(item) => self.begun(item),
            After::End(outcome, tries) => self.release(outcome, tries),
        }
    }
}
