//! Whether an item is done, and whether the whole task is (REQUIREMENTS T10 to T12).

use super::list::needs_verification;
use super::run::{After, State, Turn};
use super::{CALLS, CHECKS, Change, Effect, Grounds, Machine, Mark, Notice, Outcome, Purpose, Verdict};
use todo::{Item, Origin, Status, short};
use uuid::Uuid;

/// What stands in the list of an item that the model did not need.
const NOT_NEEDED: &str = "The task was complete without it.";

impl Machine {
    pub(super) fn verify(&mut self, item: Uuid) {
        self.ask(State::Verifying, Purpose::Verify { item });
    }

    /// What cannot be read is no proof: the item is not done.
    pub(super) fn verified(&mut self, verdict: Option<Verdict>) {
        let Some(item) = self.run.item.filter(|uid| self.list.is_in_progress(*uid)) else { return self.next() };
        let verdict = verdict.unwrap_or_else(|| Verdict {
            reason: "Whether it is done could not be read.".to_owned(),
            ..Verdict::default()
        });
        if verdict.done {
            return match self.run.turn.is_done {
                true => self.finish_task(item),
                false => self.complete(item),
            };
        }
        let effort = self.run.efforts.entry(item).or_default();
        effort.failed_checks += 1;
        if effort.failed_checks >= CHECKS || effort.calls >= CALLS {
            return self.skip(item, &format!("It is not done: {}", short(&verdict.reason)));
        }
        self.run.turn = Turn::default();
        self.ask(State::Turning, Purpose::Redo { item, reason: verdict.reason });
    }

    /// The model says that the whole task is complete, and with it the item that it works on.
    pub(super) fn task_done(&mut self, item: Uuid) {
        let is_unproven = self.list.item(item).is_some_and(needs_verification) && self.list.is_in_progress(item);
        if is_unproven { self.verify(item) } else { self.finish_task(item) }
    }

    /// The run ends, and what the model had planned beside it is not needed. What the user added is: it is done first.
    fn finish_task(&mut self, item: Uuid) {
        self.run.turn.is_done = false;
        let is_worked_on = self.list.is_in_progress(item);
        let pending = |other: &&Item| other.uid != item && other.status == Status::Pending;
        let (users, others): (Vec<&Item>, Vec<&Item>) =
            self.list.items.iter().filter(pending).partition(|other| other.origin == Origin::User);
        if users.iter().any(|other| !self.run.aside.contains(&other.uid)) {
            return if is_worked_on { self.complete(item) } else { self.next() };
        }
        let mut marks: Vec<Mark> = others.iter().map(|other| Mark::skipped(other.uid, NOT_NEEDED)).collect();
        if is_worked_on {
            marks.insert(0, Mark::new(item, Status::Completed));
        }
        match marks.is_empty() {
            true => self.end(Outcome::Completed),
            false => self.change(After::End(Outcome::Completed, 0), Change::Set(marks)),
        }
    }

    /// T11. What came into the list meanwhile is done first; a verdict that cannot be read ends the run, since each
    /// item is done and asking for another plan without a reason would only repeat them.
    pub(super) fn validated(&mut self, verdict: Option<Verdict>) {
        if self.choose(None).is_some() {
            return self.next();
        }
        match verdict {
            Some(Verdict { done: false, reason, suggestions }) => {
                self.effects.push(Effect::Tell(Notice::Replanned { reason: reason.clone() }));
                self.plan(Grounds { reason: Some(reason), suggestions, too_long: None });
            }
            Some(_) => self.end(Outcome::Completed),
            None => {
                self.effects.push(Effect::Tell(Notice::Unvalidated));
                self.end(Outcome::Completed);
            }
        }
    }
}
