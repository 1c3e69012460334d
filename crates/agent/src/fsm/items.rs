//! One item after the other (requirements T10, K3): the choice of the next, and its end.

use super::list::can_start;
use super::run::{After, State, Turn};
use super::{AgentMachine, Change, Grounds, Purpose, RunEnd, StatusChange};
use todo::Status;
use uuid::Uuid;

impl AgentMachine {
    /// Goes on with the next item, or if there is none, ends the run, asks for the steps that were postponed, or for a
    /// validation.
    pub(super) fn next(&mut self) {
        self.run.turn = Turn::default();
        let last = self.run.item.take();
        if self.list.items.is_empty() {
            return self.end(RunEnd::Emptied);
        }
        self.run.is_over_list = true;
        self.checkpoint.unfinished = true;
        if let Some(item) = self.choose(last) {
            self.begin(item);
        } else if self.list.open().any(|item| !self.run.older.contains(&item.uid)) {
            self.end_heard(RunEnd::Blocked);
        } else if self.checkpoint.postponed.is_empty() {
            self.ask(State::Validating, Purpose::Validate);
        } else {
            // They stay postponed until they are planned.
            let suggestions = self.checkpoint.postponed.clone();
            let reason = "The plan before had no room for these steps.".to_owned();
            self.plan(Grounds { reason: Some(reason), suggestions, too_long: None });
        }
    }

    /// An item in progress, since somebody has begun it: another than the last one first. Otherwise the first that can
    /// start; the task's own items come before older ones.
    pub(super) fn choose(&self, last: Option<Uuid>) -> Option<Uuid> {
        let is_free = |uid: &Uuid| !self.run.aside.contains(uid);
        let others = self.list.in_progress().filter(is_free).find(|uid| Some(*uid) != last);
        let same = || last.filter(|uid| is_free(uid) && self.list.is_in_progress(*uid));
        let startable = || self.list.items.iter().filter(|item| can_start(item)).map(|item| item.uid).filter(is_free);
        let first = || startable().find(|uid| !self.run.older.contains(uid)).or_else(|| startable().next());
        others.or_else(same).or_else(first)
    }

    /// Puts the item in progress, and no other.
    fn begin(&mut self, item: Uuid) {
        let others = self.list.in_progress().filter(|uid| *uid != item);
        let mut marks: Vec<StatusChange> = others.map(|uid| StatusChange::new(uid, Status::Pending)).collect();
        if !self.list.is_in_progress(item) {
            marks.push(StatusChange::new(item, Status::InProgress));
        }
        match marks.is_empty() {
            true => self.work(item),
            false => self.change(After::Work(item), Change::Set(marks)),
        }
    }

    /// More than one item is in progress.
    pub(super) fn has_others_in_progress(&self) -> bool {
        self.list.in_progress().nth(1).is_some()
    }

    /// Sets items in progress beside that of the turn back to pending (K3).
    pub(super) fn put_back(&mut self) {
        let doing = self.doing();
        let others = self.list.in_progress().filter(|uid| Some(*uid) != doing);
        let marks = others.map(|uid| StatusChange::new(uid, Status::Pending)).collect();
        self.change(After::Turn, Change::Set(marks));
    }

    /// Works on the item after [`Self::begin`] has put it in progress, unless somebody has changed that meanwhile.
    pub(super) fn begun(&mut self, item: Uuid) {
        if self.list.in_progress().eq([item]) {
            self.work(item);
        } else {
            self.run.item = Some(item);
            self.next();
        }
    }

    fn work(&mut self, item: Uuid) {
        self.run.older.remove(&item);
        self.run.item = Some(item);
        self.run.turn = Turn::default();
        self.ask(State::Turning, Purpose::Work { item });
    }

    pub(super) fn complete(&mut self, item: Uuid) {
        self.finish(StatusChange::new(item, Status::Completed));
    }

    /// Skips the item, which stays in the list with the reason (T5, T14).
    pub(super) fn skip(&mut self, item: Uuid, reason: &str) {
        self.reject_calls(reason);
        self.finish(StatusChange::skipped(item, reason));
    }

    fn finish(&mut self, mark: StatusChange) {
        self.run.aside.insert(mark.uid);
        self.change(After::Next, Change::Set(vec![mark]));
    }

    /// The item that the model works on: that of the turn, or the one that the model has begun by itself.
    pub(super) fn doing(&self) -> Option<Uuid> {
        let own = self.run.item.filter(|uid| self.list.is_in_progress(*uid));
        own.or_else(|| self.list.in_progress().next())
    }

    /// The same, if it belongs to the task. An item that the user works on beside a simple answer does not.
    pub(super) fn at_work(&self) -> Option<Uuid> {
        self.doing().filter(|uid| !self.run.older.contains(uid))
    }
}
