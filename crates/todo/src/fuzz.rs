//! Checks of any input: one function for each fuzz target, which panics where a law does not hold.
//!
//! The programs in `fuzz/` call them with what libFuzzer makes up, and the tests with the inputs in `fuzz/corpus/`.

mod changes;
mod story;
mod text;
mod whole;

pub use changes::changes;
pub use text::{markdown, show, tokens, xml};

use crate::manager::{ACTIONS, Action};
use crate::{Draft, Item, List, Position, Positions, Stamp, limits};
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

/// A fuzz target: what it is called, and what it calls.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 7] = [
    ("tokens", tokens),
    ("xml", xml),
    ("markdown", markdown),
    ("show", show),
    ("draft", draft),
    ("position", position),
    ("changes", changes),
];

/// JSON as agents send it: whole lists, parts of lists, values for one item, the fields of an action.
pub fn draft(bytes: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return };
    let drafts = Draft::list(&value);
    for draft in drafts.iter().flatten() {
        assert!(whole::says_something(&draft.content), "an item without content was taken: {draft:?}");
        whole::within_limits(draft);
    }
    for draft in Draft::part(&value).iter().flatten() {
        whole::within_limits(draft);
    }
    if let Ok(patch) = Draft::patch(&value, "todo.edit") {
        assert!(!patch.given.is_empty(), "a patch without fields was taken");
        whole::within_limits(&patch);
    }
    if let Value::Object(fields) = &value {
        for action in ACTIONS {
            // A refusal needs no more than words.
            let _ = Action::read(action, fields);
        }
    }
    let Some(items) = drafts.ok().and_then(listed) else { return };
    whole::check(&items);
    sent_back(&items);
}

/// A model that sends our own list back says what the list says.
fn sent_back(items: &[Item]) {
    let json = serde_json::to_value(items).expect("a list is plain data");
    if json.to_string().len() > limits::LIST_BYTES {
        return;
    }
    let drafts = Draft::list(&json).unwrap_or_else(|error| panic!("our own list is refused: {error}: {json}"));
    let agree = |draft: &Draft, item: &Item| {
        assert!(draft.fields == item.fields, "{draft:?} is not {item:?}");
        assert_eq!(draft.uid, Some(item.uid));
    };
    assert_eq!(drafts.len(), items.len());
    for (draft, item) in drafts.iter().zip(items) {
        agree(draft, item);
        assert_eq!(draft.subtasks.len(), item.subtasks.len());
        for (draft, item) in draft.subtasks.iter().zip(&item.subtasks) {
            agree(draft, item);
        }
    }
}

/// Positions as people type them, looked up in a small list.
pub fn position(bytes: &[u8]) {
    let typed = String::from_utf8_lossy(bytes);
    let mut items = listed(vec![Draft::new("a"), Draft::new("b"), Draft::new("c")]).unwrap_or_default();
    items[1].subtasks = listed(vec![Draft::new("d"), Draft::new("e")]).unwrap_or_default();
    if let Ok(positions) = Positions::parse(&typed) {
        assert!(positions.slots(&[]).is_err(), "an empty list has no {typed:?}");
        if let Ok(slots) = positions.slots(&items) {
            assert!(!slots.is_empty(), "{typed:?} names nothing");
            for slot in slots {
                assert!(slot.item(&items).is_some(), "{typed:?} names {slot:?}, where nothing is");
                let number = slot.number();
                let again = Position::parse(&number).and_then(|position| position.existing(&items));
                assert_eq!(again.as_ref(), Ok(&slot), "{typed:?} is {number}");
            }
        }
    }
    let Ok(position) = Position::parse(&typed) else { return };
    assert_eq!(Positions::parse(&typed), Ok(Positions::One(position.clone())), "one is one of several");
    for list in [&items, &Vec::new()] {
        if let Ok(slot) = position.insertion(list) {
            // One past the end is a place, and an item that is there has one too.
            let there = position.existing(list);
            assert!(slot.item(list).is_none() || there.is_ok(), "{typed:?} is {slot:?}");
        }
    }
}

/// Drafts as the items of a new list; `None` where they wait for each other.
fn listed(drafts: Vec<Draft>) -> Option<Vec<Item>> {
    let mut given = 0;
    let mut uid = || {
        given += 1;
        Uuid::from_u128(given)
    };
    let mut stamp = Stamp { now: Timestamp::UNIX_EPOCH, uid: &mut uid };
    let change = crate::Change::Replace { caller: "one".to_owned(), drafts };
    Some(crate::apply(&List::default(), change, &mut stamp).ok()?.list.items)
}
