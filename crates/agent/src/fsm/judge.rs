//! Judgements: is an item done, and is the whole task (requirements T10 to T12)?

use super::list::needs_verification;
use super::run::{After, State, Turn};
use super::{AgentMachine, CALLS, CHECKS, Change, Effect, Grounds, Notice, Purpose, RunEnd, StatusChange, Verdict};
use todo::{Item, Origin, Status, short};
use uuid::Uuid;

/// The reason in the list for skipping an item that was not needed.
const NOT_NEEDED: &str = "The task was complete without it.";

impl AgentMachine {
    pub(super) fn verify(&mut self, item: Uuid) {
        self.ask(State::Verifying, Purpose::Verify { item });
    }

    /// Takes the verdict on the item. One that cannot be read is no proof: the item is not done.
    pub(super) fn verified(&mut self, verdict: Option<Verdict>) {
        let Some(item) = self.run.item.filter(|uid| self.list.is_in_progress(*uid)) else { return self.next() };
        let verdict = verdict.unwrap_or_else(|| Verdict {
            reason: "Whether it is done could not be read.".to_owned(),
            ..Verdict::default()
        });
        if verdict.done {
            return match self.run.turn.is_done {
                true => self.finish_task(Some(item)),
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

    /// Takes the model's word that the whole task is complete, and with it the item that it works on.
    pub(super) fn task_done(&mut self, item: Option<Uuid>) {
        let item = item.filter(|item| self.list.is_in_progress(*item));
        match item.filter(|item| self.list.item(*item).is_some_and(needs_verification)) {
            Some(unproven) => {
                self.run.item = Some(unproven);
                match self.has_others_in_progress() {
                    true => self.put_back(),
                    false => self.verify(unproven),
                }
            }
            None => self.finish_task(item),
        }
    }

    /// Ends the run and skips the pending items of the task, which are not needed. But items that the user added are done
    /// first, and the user's last words are heard first.
    ///
    /// `worked_on` is in progress.
    fn finish_task(&mut self, worked_on: Option<Uuid>) {
        self.run.turn.is_done = false;
        let pending = |other: &&Item| other.status == Status::Pending;
        let is_its = |other: &&Item| !self.run.older.contains(&other.uid);
        let (users, others): (Vec<&Item>, Vec<&Item>) =
            self.list.items.iter().filter(pending).filter(is_its).partition(|other| other.origin == Origin::User);
        let has_users = users.iter().any(|other| !self.run.aside.contains(&other.uid));
        match worked_on {
            Some(item) if has_users || self.run.is_unheard => return self.complete(item),
            None if has_users => return self.next(),
            None if self.run.is_unheard => return self.completed(),
            _ => {}
        }
        let mut marks: Vec<StatusChange> =
            others.iter().map(|other| StatusChange::skipped(other.uid, NOT_NEEDED)).collect();
        marks.splice(..0, worked_on.map(|item| StatusChange::new(item, Status::Completed)));
        match marks.is_empty() {
            true => self.end(RunEnd::Completed),
            false => self.change(After::End(RunEnd::Completed, 0), Change::Set(marks)),
        }
    }

    /// Takes the verdict on the whole task (T11). Items that were added meanwhile are done first. A verdict that cannot be
    /// read ends the run: each item is done, and another plan without a reason would only repeat them.
    pub(super) fn validated(&mut self, verdict: Option<Verdict>) {
        if self.choose(None).is_some() {
            return self.next();
        }
        match verdict {
            Some(Verdict { done: false, reason, suggestions }) => {
                self.effects.push(Effect::Tell(Notice::Replanned { reason: reason.clone() }));
                self.plan(Grounds { reason: Some(reason), suggestions, too_long: None });
            }
            Some(_) => self.completed(),
            None => {
                self.effects.push(Effect::Tell(Notice::Unvalidated));
                self.completed();
            }
        }
    }
}
