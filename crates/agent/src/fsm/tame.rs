//! What a model may not say of the list by its own tools and blocks. The driver asks here before it sends that on.

use super::Machine;
use super::list::needs_verification;
use jiff::Timestamp;
use todo::{Change, Draft, Item, List, Stamp, Status, apply};
use uuid::Uuid;

impl Machine {
    /// Takes out of what the model sends ([`Change::Replace`], [`Change::Merge`]) what it cannot decide: an item that
    /// needs verification is not completed by being called so (REQUIREMENTS T12), and one item at most is in progress
    /// (K3): the one that the model works on, else the first. Gives the item that it works on where it called that
    /// completed.
    ///
    /// `list` is the list as it is now: what a draft means is what the list makes of it.
    pub fn tame(&self, list: &List, change: &mut Change) -> Option<Uuid> {
        let mut claimed = None;
        // Each round takes one thing out.
        while let Some((item, status)) = preview(list, change).and_then(|items| self.too_much(list, &items)) {
            let (Change::Replace { drafts, .. } | Change::Merge { drafts, .. }) = &mut *change else { break };
            let Some(draft) = draft_of(drafts, &item) else { break };
            draft.status = status;
            if item.status == Status::Completed {
                claimed = claimed.or(Some(item.uid).filter(|uid| Some(*uid) == self.run.item));
            }
        }
        claimed
    }

    /// The first item that is not to be as it would be, and the status that it keeps.
    fn too_much(&self, list: &List, items: &[Item]) -> Option<(Item, Status)> {
        let before = |item: &Item| list.items.iter().find(|known| known.uid == item.uid);
        let unproven = |item: &&Item| item.status == Status::Completed && before(item).is_some_and(holds);
        if let Some(item) = items.iter().find(unproven) {
            return Some((item.clone(), before(item)?.status));
        }
        let active: Vec<&Item> = items.iter().filter(|item| item.status == Status::InProgress).collect();
        let own = active.iter().position(|item| Some(item.uid) == self.doing());
        let (_, other) = active.iter().enumerate().find(|(at, _)| *at != own.unwrap_or_default())?;
        Some(((*other).clone(), Status::Pending))
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
}

/// The items that the change would leave.
fn preview(list: &List, change: &Change) -> Option<Vec<Item>> {
    let mut given = 0;
    let mut uid = || {
        given += 1;
        Uuid::from_u128(given)
    };
    // What the list refuses is refused again when it is sent.
    Some(apply(list, change.clone(), &mut Stamp { now: Timestamp::UNIX_EPOCH, uid: &mut uid }).ok()?.list.items)
}

/// The draft that an item has its status of.
fn draft_of<'drafts>(drafts: &'drafts mut [Draft], item: &Item) -> Option<&'drafts mut Draft> {
    let says_so = |draft: &Draft| draft.status == item.status;
    let by_uid = drafts.iter().position(|draft| draft.uid == Some(item.uid) && says_so(draft));
    let by_words = || drafts.iter().position(|draft| draft.content == item.content && says_so(draft));
    let at = by_uid.or_else(by_words)?;
    drafts.get_mut(at)
}

fn holds(item: &Item) -> bool {
    needs_verification(item) && !item.status.is_terminal()
}
