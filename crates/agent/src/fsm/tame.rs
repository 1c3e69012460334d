//! What a model may not say of the list by its own tools and blocks. The driver asks here before it sends that on.

use super::Machine;
use super::list::needs_verification;
use todo::{Draft, Item, Status};
use uuid::Uuid;

impl Machine {
    /// Takes out of a whole list, as the model sends it, what it cannot decide: an item that needs verification is not
    /// completed by being called so (REQUIREMENTS T12), and one item at most is in progress (K3): the one that the
    /// model works on, else the first. Gives the item that it works on where it called that completed.
    pub fn tame(&self, drafts: &mut [Draft]) -> Option<Uuid> {
        let meant: Vec<Option<&Item>> = drafts.iter().map(|draft| self.meant(draft)).collect();
        let mut claimed = None;
        for (draft, item) in drafts.iter_mut().zip(&meant) {
            if let Some(item) = item.filter(|item| draft.status == Status::Completed && holds(item)) {
                draft.status = item.status;
                claimed = claimed.or(Some(item.uid).filter(|uid| Some(*uid) == self.run.item));
            }
        }
        let is_doing = |item: &Option<&Item>| item.is_some_and(|item| Some(item.uid) == self.doing());
        let active = || drafts.iter().enumerate().filter(|(_, draft)| draft.status == Status::InProgress);
        let own = active().find(|(at, _)| meant.get(*at).is_some_and(is_doing));
        let kept = own.or_else(|| active().next()).map(|(at, _)| at);
        for (at, draft) in drafts.iter_mut().enumerate() {
            if draft.status == Status::InProgress && Some(at) != kept {
                draft.status = Status::Pending;
            }
        }
        claimed
    }

    /// The same of numbers that the model calls completed (`todo_manager`), which mean the items of `told`, the list
    /// that it was told last.
    pub fn tame_numbers(&self, numbers: &mut Vec<usize>, told: &[Item]) -> Option<Uuid> {
        let mut claimed = None;
        numbers.retain(|number| {
            let item = number.checked_sub(1).and_then(|at| told.get(at)).and_then(|item| self.list.item(item.uid));
            let Some(item) = item.filter(|item| holds(item)) else { return true };
            claimed = claimed.or(Some(item.uid).filter(|uid| Some(*uid) == self.run.item));
            false
        });
        claimed
    }

    /// The item that a model means: by uid, by its very words, or by id, as the list itself reads it.
    fn meant(&self, draft: &Draft) -> Option<&Item> {
        let by = |fits: &dyn Fn(&Item) -> bool| self.list.items.iter().find(|item| fits(item));
        by(&|item| Some(item.uid) == draft.uid)
            .or_else(|| by(&|item| item.content == draft.content))
            .or_else(|| by(&|item| Some(&item.id) == draft.id.as_ref()))
    }
}

fn holds(item: &Item) -> bool {
    needs_verification(item) && !item.status.is_terminal()
}
