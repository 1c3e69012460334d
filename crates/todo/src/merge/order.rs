//! The order of a merged list, three ways: an item that the caller did not move stands where it is by now.

use crate::Item;
use crate::rank::longest_ascending;
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// Items in their merged order, and those of the old ones that the caller moved.
pub(super) struct Arranged {
    pub(super) items: Vec<Item>,
    pub(super) moved: HashSet<Uuid>,
}

/// Arranges what was sent (in the order in which it was sent) and what stays without having been sent.
///
/// `bases` are orders that the caller goes by: its own last list, the last list it was told. Of the items in such an
/// order, a longest run that was sent in the same order was not moved; the base with the longer run counts. What was
/// moved or is new follows the item that it was sent after, and what was not sent the item that it followed.
pub(super) fn arrange(
    head: &[Item],
    sent: Vec<Item>,
    kept: &HashSet<Uuid>,
    bases: &[&HashMap<Uuid, usize>],
) -> Arranged {
    let places: HashMap<Uuid, usize> = head.iter().enumerate().map(|(at, item)| (item.uid, at)).collect();
    let unmoved = bases
        .iter()
        .map(|base| {
            let known: Vec<(usize, Uuid)> = sent
                .iter()
                .filter(|item| places.contains_key(&item.uid))
                .filter_map(|item| base.get(&item.uid).map(|at| (*at, item.uid)))
                .collect();
            let keep = longest_ascending(&known.iter().map(|(at, _)| Some(*at)).collect::<Vec<_>>());
            known.iter().zip(keep).filter(|(_, keep)| *keep).map(|((_, uid), _)| *uid).collect::<HashSet<Uuid>>()
        })
        // The first of equals: its own list before the one it was told.
        .fold(HashSet::new(), |best, next| if next.len() > best.len() { next } else { best });
    let moved =
        sent.iter().map(|item| item.uid).filter(|uid| places.contains_key(uid) && !unmoved.contains(uid)).collect();

    // What was sent falls into chains: an unmoved item with the moved and new ones that were sent after it.
    let mut chains: HashMap<Option<Uuid>, Vec<Item>> = HashMap::new();
    let mut anchor = None;
    for item in sent {
        if unmoved.contains(&item.uid) {
            anchor = Some(item.uid);
        }
        chains.entry(anchor).or_default().push(item);
    }
    let present: HashSet<Uuid> = chains.values().flatten().map(|item| item.uid).collect();
    let mut followers: HashMap<Option<Uuid>, Vec<Item>> = HashMap::new();
    let mut before = None;
    let mut order = vec![None];
    for item in head {
        if present.contains(&item.uid) {
            before = Some(item.uid);
        } else if kept.contains(&item.uid) {
            followers.entry(before).or_default().push(item.clone());
        }
        if unmoved.contains(&item.uid) {
            order.push(Some(item.uid));
        }
    }
    let mut items = followers.remove(&None).unwrap_or_default();
    for anchor in order {
        for item in chains.remove(&anchor).unwrap_or_default() {
            let uid = item.uid;
            items.push(item);
            items.extend(followers.remove(&Some(uid)).unwrap_or_default());
        }
    }
    Arranged { items, moved }
}
