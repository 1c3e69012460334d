//! The invariants of a list, whatever was done to it.

use crate::list::flat;
use crate::{Difference, Draft, Field, Item, List, SentDifference, Status, limits, rank};
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// An item that was read is within the limits of length and depth.
pub(super) fn within_limits(draft: &Draft) {
    let long = |text: &str, limit: usize| text.chars().count() > limit;
    assert!(!long(&draft.content, limits::TEXT_CHARS), "the content is too long");
    assert!(!draft.id.as_deref().is_some_and(|id| long(id, limits::WORD_CHARS)), "the id is too long");
    assert!(draft.subtasks.len() <= limits::ITEMS, "too many subtasks");
    for sub in &draft.subtasks {
        assert!(sub.subtasks.is_empty(), "a subtask has subtasks");
        within_limits(sub);
    }
}

/// There is something to see in a text.
pub(super) fn says_something(text: &str) -> bool {
    text.chars().any(|c| !c.is_whitespace() && !c.is_control())
}

/// The items of a list that is whole.
pub(super) fn check(items: &[Item]) {
    let mut uids = HashSet::new();
    for (item, parent) in flat(items) {
        assert!(uids.insert(item.uid), "two items are {}", item.uid);
        assert!(says_something(&item.content), "{} says nothing", item.uid);
        assert!(parent.is_none() || item.subtasks.is_empty(), "a subtask has subtasks");
        assert_eq!(item.depends_on_uids.len(), item.depends_on.len(), "what each dependency means: {item:?}");
        assert!(!item.waiting || item.status == Status::Pending, "only what is pending waits: {item:?}");
    }
    level(items);
    assert!(!waits_for_itself(items), "a list waits for itself: {items:?}");
    let mut again = items.to_vec();
    rank::assign(&mut again);
    assert!(again == items, "ranks that ascend stay");
}

fn level(items: &[Item]) {
    let ids: HashSet<&str> = items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids.len(), items.len(), "two items of one level have one id: {items:?}");
    assert!(items.windows(2).all(|pair| pair[0].rank < pair[1].rank), "ranks ascend: {items:?}");
    items.iter().for_each(|item| level(&item.subtasks));
}

/// Takes away, again and again, what waits for nothing that is left; what then is left waits for itself.
fn waits_for_itself(items: &[Item]) -> bool {
    let mut left: HashMap<Uuid, Vec<Uuid>> =
        flat(items).map(|(item, _)| (item.uid, item.depends_on_uids.iter().flatten().copied().collect())).collect();
    loop {
        let free: Vec<Uuid> =
            left.iter().filter(|(_, on)| on.iter().all(|uid| !left.contains_key(uid))).map(|(uid, _)| *uid).collect();
        if free.is_empty() {
            return !left.is_empty();
        }
        for uid in free {
            left.remove(&uid);
        }
    }
}

/// The last list of each caller is the same after it was stored beside the list and read again.
pub(super) fn memories(list: &List) {
    for memory in list.callers.values() {
        let packed = serde_json::to_string(&SentDifference::pack(memory, &list.items)).expect("it is plain data");
        let read: SentDifference = serde_json::from_str(&packed).expect("it was written");
        let (last_sent, order, parents) = read.unpack(&list.items);
        assert_eq!(order, memory.last_sent_order, "the order in which it was last_sent");
        assert_eq!(parents, memory.last_sent_parents, "what each was last_sent under");
        assert!(
            last_sent.keys().eq(memory.last_sent.keys()),
            "what was last_sent: {last_sent:?} is not {:?}",
            memory.last_sent
        );
        for (draft, was) in last_sent.values().zip(memory.last_sent.values()) {
            for field in Field::ALL {
                assert!(draft.same(field, was), "the {} of {draft:?} is not that of {was:?}", field.name());
            }
        }
    }
}

/// A difference names what is otherwise, and nothing else.
pub(super) fn difference(before: &[Item], after: &[Item], difference: &Difference) {
    let uids = |items: &[Item]| -> HashSet<Uuid> { flat(items).map(|(item, _)| item.uid).collect() };
    let (old, new) = (uids(before), uids(after));
    assert!(difference.added.iter().all(|uid| new.contains(uid) && !old.contains(uid)), "what was added");
    assert!(difference.removed.iter().all(|uid| old.contains(uid) && !new.contains(uid)), "what was removed");
    assert!(difference.changed.iter().all(|uid| old.contains(uid) && new.contains(uid)), "what was changed");
    assert_eq!(old.len() + difference.added.len(), new.len() + difference.removed.len(), "nothing is left out");
}
