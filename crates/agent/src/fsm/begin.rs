//! How a run begins: the old list, and whether there is to be a plan.

use super::run::{After, Run, State};
use super::{Archiving, Change, Effect, Grounds, Machine, Notice, Outcome, Purpose};

impl Machine {
    pub(super) fn prompted(&mut self, text: String) {
        self.kept.task = Some(text);
        self.kept.continuations = 0;
        self.kept.postponed.clear();
        self.kept.plan.clear();
        self.kept.unfinished = false;
        self.kept.unanswered = true;
        self.new_run();
        let archives = match self.settings.archiving {
            Archiving::WhenCompleted => self.list.open().next().is_none(),
            Archiving::Always => true,
            Archiving::Never => false,
        };
        if archives && !self.list.items.is_empty() {
            self.change(After::Classify, Change::Archive);
        } else {
            self.classify();
        }
    }

    pub(super) fn resumed(&mut self) {
        self.new_run();
        if !self.kept.unanswered {
            self.run.older.clear();
        }
        if !self.kept.plan.is_empty() {
            return self.check(self.kept.plan.clone());
        }
        if self.kept.unanswered {
            return self.classify();
        }
        if self.list.items.is_empty() {
            return self.end(Outcome::Emptied);
        }
        self.start();
        self.next();
    }

    fn new_run(&mut self) {
        let older = self.list.items.iter().map(|item| item.uid).collect();
        self.run = Run { older, ..Run::default() };
        self.has_news = !self.list.items.is_empty();
    }

    pub(super) fn classify(&mut self) {
        self.ask(State::Classifying, Purpose::Classify);
    }

    /// A classification that cannot be read counts as simple (T8): every prompt gets an answer then, a model that
    /// cannot classify cannot plan either, and in a turn it may still write a list by itself.
    pub(super) fn classified(&mut self, complex: Option<bool>) {
        if complex.is_none() {
            self.effects.push(Effect::Tell(Notice::Unclassified));
        }
        if complex == Some(true) {
            return self.plan(Grounds::default());
        }
        self.start();
        self.ask(State::Turning, Purpose::Answer);
    }

    /// The chat hears that it starts, once.
    pub(super) fn start(&mut self) {
        if !self.run.has_started {
            self.run.has_started = true;
            self.effects.push(Effect::Start);
        }
    }
}
