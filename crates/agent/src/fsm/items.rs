//! One item after the other (REQUIREMENTS T10, K3): which is next, and what becomes of it.

use super::list::can_start;
use super::run::{After, State, Turn};
use super::{Change, Grounds, Machine, Mark, Outcome, Purpose};
use todo::Status;
use uuid::Uuid;

impl Machine {
    /// On to the next item; where there is none, whatever ends the run or goes on with it.
    pub(super) fn next(&mut self) {
        self.run.turn = Turn::default();
        let last = self.run.item.take();
        if self.list.items.is_empty() {
            return self.end(Outcome::Emptied);
        }
        self.run.is_over_list = true;
        self.kept.unfinished = true;
        if let Some(item) = self.choose(last) {
            self.begin(item);
        } else if self.list.open().any(|item| !self.run.older.contains(&item.uid)) {
            self.end_heard(Outcome::Blocked);
        } else if self.kept.postponed.is_empty() {
            self.ask(State::Validating, Purpose::Validate);
        } else {
            // They stay until there is a plan of them.
            let suggestions = self.kept.postponed.clone();
            let reason = "The plan before had no room for these steps.".to_owned();
            self.plan(Grounds { reason: Some(reason), suggestions, too_long: None });
        }
    }

    /// What is in progress, since somebody began it: first what is not the last item. Else the first that can start, of
    /// the task's own items before older ones.
    pub(super) fn choose(&self, last: Option<Uuid>) -> Option<Uuid> {
        let is_free = |uid: &Uuid| !self.run.aside.contains(uid);
        let others = self.list.in_progress().filter(is_free).find(|uid| Some(*uid) != last);
        let same = || last.filter(|uid| is_free(uid) && self.list.is_in_progress(*uid));
        let startable = || self.list.items.iter().filter(|item| can_start(item)).map(|item| item.uid).filter(is_free);
        let first = || startable().find(|uid| !self.run.older.contains(uid)).or_else(|| startable().next());
        others.or_else(same).or_else(first)
    }

    /// The item is to be in progress, and nothing else.
    fn begin(&mut self, item: Uuid) {
        let others = self.list.in_progress().filter(|uid| *uid != item);
        let mut marks: Vec<Mark> = others.map(|uid| Mark::new(uid, Status::Pending)).collect();
        if !self.list.is_in_progress(item) {
            marks.push(Mark::new(item, Status::InProgress));
        }
        match marks.is_empty() {
            true => self.work(item),
            false => self.change(After::Work(item), Change::Set(marks)),
        }
    }

    /// The item was to be in progress. Where it is not so, somebody was faster.
    pub(super) fn begun(&mut self, item: Uuid) {
        if self.list.in_progress().eq([item]) {
            self.work(item);
        } else {
            self.run.item = Some(item);
            self.next();
        }
    }

    fn work(&mut self, item: Uuid) {
        self.run.item = Some(item);
        self.run.turn = Turn::default();
        self.ask(State::Turning, Purpose::Work { item });
    }

    pub(super) fn complete(&mut self, item: Uuid) {
        self.finish(Mark::new(item, Status::Completed));
    }

    /// The item is left, and stays in the list with the reason (T5, T14).
    pub(super) fn skip(&mut self, item: Uuid, reason: &str) {
        self.reject_calls(reason);
        self.finish(Mark::skipped(item, reason));
    }

    fn finish(&mut self, mark: Mark) {
        self.run.aside.insert(mark.uid);
        self.change(After::Next, Change::Set(vec![mark]));
    }

    /// The item that the model works on: the turn's, or the one that it went on to by itself.
    pub(super) fn doing(&self) -> Option<Uuid> {
        let own = self.run.item.filter(|uid| self.list.is_in_progress(*uid));
        own.or_else(|| self.list.in_progress().next())
    }

    /// The same, where it is the task's: what the user does by hand beside a simple answer is not.
    pub(super) fn at_work(&self) -> Option<Uuid> {
        self.doing().filter(|uid| !self.run.older.contains(uid))
    }
}
