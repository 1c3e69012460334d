//! Changes of the list during a run: by the user, who is obeyed at once, or by the model itself.

use super::run::State;
use super::{AgentMachine, ChangedBy, Effect, Notice, RunEnd, Snapshot};
use std::collections::BTreeSet;
use todo::short;
use uuid::Uuid;

impl AgentMachine {
    pub(super) fn listed(&mut self, list: Snapshot, by: ChangedBy) {
        if list.revision < self.list.revision {
            return;
        }
        let doing = self.doing();
        self.run.is_unheard |= by == ChangedBy::User && list.revision > self.list.revision && self.is_running();
        let before = self.take_list(list);
        match by {
            ChangedBy::Model { claims } => {
                // A list by the model counts as an answer; a call that changed nothing does not.
                let is_own = !self.list.items.is_empty() && self.list.items != before.items;
                self.checkpoint.unanswered &= !is_own;
                self.run.has_own_list |= is_own && self.is_running();
                self.checkpoint.unfinished |= is_own && self.is_running();
                // Items that the model begins belong to its task from now on.
                let begun: BTreeSet<Uuid> =
                    self.list.in_progress().filter(|uid| !before.is_in_progress(*uid)).collect();
                self.run.older.retain(|uid| !begun.contains(uid));
                self.run.turn.claims = claims.or(self.run.turn.claims);
            }
            ChangedBy::User => self.edited(&before, doing),
        }
    }

    /// Takes the current list and returns the one before. Items that are open again are no longer set aside.
    pub(super) fn take_list(&mut self, list: Snapshot) -> Snapshot {
        if list.revision < self.list.revision {
            return list;
        }
        self.has_news |= list != self.list;
        let before = std::mem::replace(&mut self.list, list);
        if before.items != self.list.items {
            self.run.turn.idle_listings = 0;
        }
        let returned = returned(&before, &self.list);
        self.run.aside.retain(|uid| !returned.contains(uid));
        before
    }

    fn edited(&mut self, before: &Snapshot, doing: Option<Uuid>) {
        let is_emptied = self.list.items.is_empty() && !before.items.is_empty();
        if is_emptied && (!self.is_running() || self.works_on_list()) {
            self.checkpoint.plan.clear();
        }
        if self.list.items.is_empty() {
            self.checkpoint.emptied();
        }
        // An item that the user wants done again begins anew.
        let returned = returned(before, &self.list);
        self.run.efforts.retain(|uid, _| !returned.contains(uid));
        let were: BTreeSet<Uuid> = before.in_progress().collect();
        let begun: BTreeSet<Uuid> = self.list.in_progress().filter(|uid| !were.contains(uid)).collect();
        self.run.aside.retain(|uid| !begun.contains(uid));
        // No continuation follows (P3).
        if is_emptied && self.works_on_list() {
            return self.end(RunEnd::Emptied);
        }
        let Some(item) = doing.filter(|_| self.run.item.is_some()) else { return };
        let is_stopped = !self.list.is_in_progress(item);
        if is_stopped {
            self.run.aside.insert(item);
        }
        if (is_stopped || !begun.is_empty()) && self.run.state.is_work() {
            self.drop_work(before, item);
        }
    }

    /// The run's work is for the list, and pointless without it.
    fn works_on_list(&self) -> bool {
        match self.run.state {
            State::Validating => true,
            State::Planning | State::Checking => self.run.has_started,
            _ => self.run.state.is_work() && self.run.item.is_some(),
        }
    }

    /// Stops the work on an item, whatever it waits for.
    fn drop_work(&mut self, before: &Snapshot, item: Uuid) {
        self.abandon("The user changed this item; it is not worked on any more.");
        let named = before.item(item).map(|item| short(&item.content)).unwrap_or_default();
        self.effects.push(Effect::Tell(Notice::Dropped { item: named }));
        self.run.item = Some(item);
        self.next();
    }
}

/// The items that are open now, and were done or not there before.
fn returned(before: &Snapshot, now: &Snapshot) -> BTreeSet<Uuid> {
    let was_open: BTreeSet<Uuid> = before.open().map(|item| item.uid).collect();
    now.open().map(|item| item.uid).filter(|uid| !was_open.contains(uid)).collect()
}
