//! Limits to what a model may decide by its todo tools and blocks. The driver applies them before it sends a change on.

use super::AgentMachine;
use super::list::needs_verification;
use jiff::Timestamp;
use todo::{Change, Item, List, Stamp, Status, apply};
use uuid::Uuid;

/// Previews of a change. The first round of corrections can bring out something else to correct, if the user has chosen an
/// item meanwhile; the second cannot.
const PREVIEWS: usize = 2;

/// The key of a draft's `extra` by which a preview finds it again; it is used nowhere else.
const PLACE: &str = "\u{0}place";

impl AgentMachine {
    /// Takes out of a change by the model ([`Change::Replace`], [`Change::Merge`]) what the model cannot decide. An item that
    /// has to be verified is not completed by the model's word (requirement T12). At most one item is in progress (K3):
    /// the one that the model works on, else one that is not in the change, else the first. Returns the item that the
    /// model works on, if the change called it completed.
    ///
    /// `list` is the current list; the change is tried on it to see what it means. The hub waits for this, so the number of
    /// tries does not depend on the number of items.
    pub fn tame(&self, list: &List, change: &mut Change) -> Option<Uuid> {
        self.tame_by(list, change, &mut preview)
    }

    pub(super) fn tame_by(&self, list: &List, change: &mut Change, preview: &mut Preview<'_>) -> Option<Uuid> {
        let mut claimed = None;
        for _ in 0..PREVIEWS {
            let Some(made) = preview(list, change) else { break };
            let (Change::Replace { drafts, .. } | Change::Merge { drafts, .. }) = &mut *change else { break };
            let corrections = self.corrections(list, &made);
            if corrections.is_empty() {
                break;
            }
            for Correction { draft, item, status, raw } in corrections {
                let Some(draft) = drafts.get_mut(draft) else { continue };
                if draft.status == Status::Completed {
                    claimed = claimed.or(Some(item).filter(|uid| Some(*uid) == self.run.item));
                }
                (draft.status, draft.status_raw) = (status, raw);
            }
        }
        claimed
    }

    /// The statuses that are to be corrected. An item without a draft in the change is never corrected.
    fn corrections(&self, list: &List, made: &[PreviewedItem]) -> Vec<Correction> {
        let mut corrections = Vec::new();
        let mut active = Vec::new();
        for PreviewedItem { item, draft } in made {
            let before = list.items.iter().find(|known| known.uid == item.uid);
            let unproven = before.filter(|before| item.status == Status::Completed && holds(before));
            corrections.extend(unproven.zip(*draft).map(|(before, draft)| Correction {
                draft,
                item: item.uid,
                status: before.status,
                raw: before.status_raw.clone(),
            }));
            if unproven.unwrap_or(item).status == Status::InProgress {
                active.push((item.uid, *draft));
            }
        }
        let doing = self.doing();
        let own = active.iter().position(|(uid, _)| Some(*uid) == doing);
        let own = own.or_else(|| active.iter().position(|(_, draft)| draft.is_none())).unwrap_or_default();
        let others = active.into_iter().enumerate().filter(|(at, _)| *at != own);
        corrections.extend(others.filter_map(|(_, (item, draft))| {
            Some(Correction { draft: draft?, item, status: Status::Pending, raw: None })
        }));
        corrections
    }

    /// The same for numbers of completed items (`todo_manager`). They are places in `told`, the list that the model was told
    /// last.
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

/// An item of the top level after a change, and the place of the draft that sets its status.
pub(super) struct PreviewedItem {
    item: Item,
    draft: Option<usize>,
}

/// The status that an item keeps, instead of that in the draft at this place.
struct Correction {
    draft: usize,
    item: Uuid,
    status: Status,
    raw: Option<String>,
}

/// Tries a change on a list: [`preview`], and in tests one that counts its calls.
pub(super) type Preview<'a> = dyn FnMut(&List, &Change) -> Option<Vec<PreviewedItem>> + 'a;

/// The items after the change. The draft of an item is found by its mark in the list's memory of what the caller said.
pub(super) fn preview(list: &List, change: &Change) -> Option<Vec<PreviewedItem>> {
    let mut marked = change.clone();
    let (Change::Replace { caller, drafts } | Change::Merge { caller, drafts }) = &mut marked else { return None };
    for (place, draft) in drafts.iter_mut().enumerate() {
        draft.extra.insert(PLACE.to_owned(), place.into());
    }
    let (caller, said) = (caller.clone(), drafts.iter().map(|draft| draft.status).collect::<Vec<_>>());
    // From the end of the range, so that no new item gets the uid of an existing one.
    let mut next = u128::MAX;
    let mut uid = || {
        next -= 1;
        Uuid::from_u128(next)
    };
    // A refused change is refused again when it is sent.
    let made = apply(list, marked, &mut Stamp { now: Timestamp::UNIX_EPOCH, uid: &mut uid }).ok()?.list;
    let memory = made.callers.get(&caller)?;
    let place = |item: &Item| {
        let place = memory.last_sent.get(&item.uid)?.extra.get(PLACE)?.as_u64()?;
        usize::try_from(place).ok().filter(|at| said.get(*at) == Some(&item.status))
    };
    Some(made.items.iter().map(|item| PreviewedItem { item: item.clone(), draft: place(item) }).collect())
}

fn holds(item: &Item) -> bool {
    needs_verification(item) && !item.status.is_terminal()
}
