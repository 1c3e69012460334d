//! What a model may not say of the list by its own tools and blocks. The driver asks here before it sends that on.

use super::Machine;
use super::list::needs_verification;
use jiff::Timestamp;
use todo::{Change, Item, List, Stamp, Status, apply};
use uuid::Uuid;

/// Looks at what the list would make of a change. Taking something out can bring out something else, where the user has
/// chosen an item meanwhile; what the second look takes out does not.
const PREVIEWS: usize = 2;

/// The key of a draft's `extra` by which it is known again in a preview; it goes nowhere else.
const PLACE: &str = "\u{0}place";

impl Machine {
    /// Takes out of what the model sends ([`Change::Replace`], [`Change::Merge`]) what it cannot decide: an item that
    /// needs verification is not completed by being called so (REQUIREMENTS T12), and one item at most is in progress
    /// (K3): the one that the model works on, else one of which it says nothing, else the first. Gives the item that it
    /// works on where it called that completed.
    ///
    /// `list` is the list as it is now: what a draft means is what the list makes of it. The hub waits for this, so that
    /// the list is asked for that a few times at most, however many items there are.
    pub fn tame(&self, list: &List, change: &mut Change) -> Option<Uuid> {
        self.tame_by(list, change, &mut preview)
    }

    pub(super) fn tame_by(&self, list: &List, change: &mut Change, preview: &mut Preview<'_>) -> Option<Uuid> {
        let mut claimed = None;
        for _ in 0..PREVIEWS {
            let Some(made) = preview(list, change) else { break };
            let (Change::Replace { drafts, .. } | Change::Merge { drafts, .. }) = &mut *change else { break };
            let too_much = self.too_much(list, &made);
            if too_much.is_empty() {
                break;
            }
            for Stays { draft, item, status, raw } in too_much {
                let Some(draft) = drafts.get_mut(draft) else { continue };
                if draft.status == Status::Completed {
                    claimed = claimed.or(Some(item).filter(|uid| Some(*uid) == self.run.item));
                }
                (draft.status, draft.status_raw) = (status, raw);
            }
        }
        claimed
    }

    /// What is not to be as it would be. What no draft says cannot be taken out of one.
    fn too_much(&self, list: &List, made: &[Made]) -> Vec<Stays> {
        let mut stays = Vec::new();
        let mut active = Vec::new();
        for Made { item, draft } in made {
            let before = list.items.iter().find(|known| known.uid == item.uid);
            let unproven = before.filter(|before| item.status == Status::Completed && holds(before));
            stays.extend(unproven.zip(*draft).map(|(before, draft)| Stays {
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
        stays.extend(
            others.filter_map(|(_, (item, draft))| {
                Some(Stays { draft: draft?, item, status: Status::Pending, raw: None })
            }),
        );
        stays
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

/// An item of the top level as a change would leave it, and the place of the draft that says its status.
pub(super) struct Made {
    item: Item,
    draft: Option<usize>,
}

/// The status that an item keeps, against what the draft at a place says.
struct Stays {
    draft: usize,
    item: Uuid,
    status: Status,
    raw: Option<String>,
}

/// What a change would make of a list: [`preview`], and in tests one that counts.
pub(super) type Preview<'a> = dyn FnMut(&List, &Change) -> Option<Vec<Made>> + 'a;

/// The items that the change would leave. Which draft an item is of stands in what the list remembers as said, where the
/// draft's mark comes back.
pub(super) fn preview(list: &List, change: &Change) -> Option<Vec<Made>> {
    let mut marked = change.clone();
    let (Change::Replace { caller, drafts } | Change::Merge { caller, drafts }) = &mut marked else { return None };
    for (place, draft) in drafts.iter_mut().enumerate() {
        draft.extra.insert(PLACE.to_owned(), place.into());
    }
    let (caller, said) = (caller.clone(), drafts.iter().map(|draft| draft.status).collect::<Vec<_>>());
    // No item's: what is new must not be taken for one.
    let mut next = u128::MAX;
    let mut uid = || {
        next -= 1;
        Uuid::from_u128(next)
    };
    // What the list refuses is refused again when it is sent.
    let made = apply(list, marked, &mut Stamp { now: Timestamp::UNIX_EPOCH, uid: &mut uid }).ok()?.list;
    let memory = made.callers.get(&caller)?;
    let place = |item: &Item| {
        let place = memory.said.get(&item.uid)?.extra.get(PLACE)?.as_u64()?;
        usize::try_from(place).ok().filter(|at| said.get(*at) == Some(&item.status))
    };
    Some(made.items.iter().map(|item| Made { item: item.clone(), draft: place(item) }).collect())
}

fn holds(item: &Item) -> bool {
    needs_verification(item) && !item.status.is_terminal()
}
