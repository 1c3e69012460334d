//! The order of a merged list, three-way: an item that the caller did not move stays at its present place.

use crate::Item;
use crate::rank::longest_ascending;
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// Items in their merged order, and the present items that the caller moved.
pub(super) struct Arranged {
    pub(super) items: Vec<Item>,
    pub(super) moved: HashSet<Uuid>,
}

/// Arranges the items that were sent, given in that order, and those that stay without having been sent.
///
/// `bases` are orders that the caller may go by: its own last list, the list as it knows it. Of the items in such an
/// order, a longest run that was sent in the same order was not moved; the base with the longer run counts. Moved and
/// new items follow the item that they were sent after, and items that were not sent the item that they followed.
pub(super) fn arrange(
    head: &[Item],
    sent: Vec<Item>,
    is_kept: impl Fn(&Item) -> bool,
    bases: &[&HashMap<Uuid, usize>],
) -> Arranged {
    let is_in_order = |base: &&HashMap<Uuid, usize>| {
        let places = || sent.iter().map(|item| base.get(&item.uid));
        places().all(|place| place.is_some()) && places().is_sorted_by(|one, next| one < next)
    };
    // The most usual case: the same items, in the order of before.
    if head.iter().map(|item| item.uid).eq(sent.iter().map(|item| item.uid)) && bases.iter().any(is_in_order) {
        return Arranged { items: sent, moved: HashSet::new() };
    }
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
        // The first of equals: its own list before the list as it knows it.
        .fold(HashSet::new(), |best, next| if next.len() > best.len() { next } else { best });
    let moved =
        sent.iter().map(|item| item.uid).filter(|uid| places.contains_key(uid) && !unmoved.contains(uid)).collect();

    // The sent items form chains: an unmoved item with the moved and new ones that were sent after it.
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
        } else if is_kept(item) {
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
