//! The beginning of a run: the old list, and the question whether the task needs a plan.

use super::run::{After, Run, State};
use super::{AgentMachine, Archiving, Change, Effect, Grounds, Notice, Purpose, RunEnd};

impl AgentMachine {
    pub(super) fn prompted(&mut self, text: String) {
        self.checkpoint.task = Some(text);
        self.checkpoint.continuations = 0;
        self.checkpoint.postponed.clear();
        self.checkpoint.plan.clear();
        self.checkpoint.unfinished = false;
        self.checkpoint.unanswered = true;
        self.new_run();
        let archives = match self.settings.archiving {
            Archiving::WhenCompleted => todo::is_finished(&self.list.items),
            Archiving::Always => !self.list.items.is_empty(),
            Archiving::Never => false,
        };
        if archives {
            self.change(After::Classify, Change::Archive);
        } else {
            self.classify();
        }
    }

    pub(super) fn resumed(&mut self) {
        self.new_run();
        if !self.checkpoint.unanswered {
            self.run.older.clear();
        }
        if !self.checkpoint.plan.is_empty() {
            return self.check(self.checkpoint.plan.clone());
        }
        if self.checkpoint.unanswered {
            return self.classify();
        }
        if self.list.items.is_empty() {
            return self.end(RunEnd::Emptied);
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
}
