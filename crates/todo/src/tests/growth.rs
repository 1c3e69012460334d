//! Nothing grows without end, and no number is the last.

use super::{World, todos};
use crate::{Change, Draft, Error, Status, limits};
use serde_json::{Value, json};

fn numbered(from: usize, count: usize) -> Value {
    (from..from + count)
        .map(|number| json!({ "id": format!("i{number}"), "content": format!("Step {number}") }))
        .collect()
}

#[test]
fn a_list_that_grows_by_parts_has_an_end() {
    let mut world = World::new();
    for part in 0..4 {
        world.part("agent", numbered(part * 256, 256)).expect("there is room");
    }
    assert_eq!(world.list.items.len(), limits::LEVEL_ITEMS);
    let before = world.list.clone();
    assert_eq!(world.part("agent", numbered(2_000, 1)).expect_err("it is full"), Error::ListFull { items: 1_025 });
    assert_eq!(world.add("last", "Mine").expect_err("it is full"), Error::ListFull { items: 1_025 });
    assert_eq!(world.list, before);
    // Changes that make it no longer still work, and so does the agent's own shorter list.
    world.set("1", json!({ "status": "completed" })).expect("it is set");
    world.write("agent", numbered(0, 3));
    assert_eq!(world.list.items.len(), 3);
}

#[test]
fn subtasks_have_an_end_too() {
    let mut world = World::new();
    world.write("agent", todos(&["A"]));
    let sub = |number: usize| {
        let fields = Draft::new(format!("Sub {number}")).fields;
        let uid = uuid::Uuid::from_u128(1 << 64 | number as u128);
        crate::Item::new(uid, format!("s{number}"), fields, jiff::Timestamp::UNIX_EPOCH)
    };
    world.list.items[0].subtasks = (0..limits::LEVEL_ITEMS).map(sub).collect();
    assert_eq!(world.add("1.last", "One more").expect_err("it is full"), Error::ListFull { items: 1_025 });
}

#[test]
fn edits_that_nobody_hears_have_an_end() {
    let mut world = World::new();
    world.write("agent", todos(&["A"]));
    let note = |number: usize| Change::Note { text: format!("Mind {number}"), client: "me".to_owned() };
    let one = world.change(note(0)).expect("it is sent").list.edits.remove(0);
    let copies = (1..limits::EDITS)
        .map(|number| crate::Edit { id: uuid::Uuid::from_u128(1 << 64 | number as u128), ..one.clone() });
    world.list.edits.extend(copies);
    let refused = world.change(note(1)).expect_err("there is no room");
    assert_eq!(refused, Error::TooManyEdits { edits: limits::EDITS + 1 });
    world.hear("agent");
    world.write("agent", todos(&["A"]));
    world.change(note(2)).expect("the agent has heard the others");
}

#[test]
fn other_keys_are_not_too_deep_and_not_too_large() {
    let deep = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    assert!(Draft::list(&json!([{ "content": "A", "theirs": deep(limits::DEPTH) }])).is_ok());
    let refused =
        Draft::list(&json!([{ "content": "A", "theirs": deep(limits::DEPTH + 1) }])).expect_err("it is too deep");
    assert_eq!(refused.to_string(), "todos[0].theirs is nested more than 64 levels deep; send it flatter");
    let mut world = World::new();
    world.write("agent", todos(&["A"]));
    world.set("1", json!({ "one": "x".repeat(200_000) })).expect("there is room");
    let refused = world.set("1", json!({ "two": "x".repeat(200_000) })).expect_err("together they are too large");
    assert!(matches!(refused, Error::ListTooLarge { sent } if sent > 400_000), "{refused}");
    // An agent's word for a status is no place for more.
    let list = Draft::list(&json!([{ "content": "A", "status": "unknown", "statusRaw": "x".repeat(501) }]))
        .expect("it is a list");
    assert_eq!((list[0].status, list[0].status_raw.clone()), (Status::Unknown, None));
}

#[test]
fn the_last_numbers_are_reached_without_harm() {
    let mut world = World::new();
    world.write("agent", json!([{ "content": "A", "status": "in_progress" }]));
    world.list.ids_given = u64::MAX;
    (world.list.items[0].worked_ms, world.list.items[0].reopened) = (u64::MAX, u64::MAX);
    world.add("last", "Mine").expect("it is added");
    world.add("last", "Mine too").expect("it is added");
    let ids: Vec<&str> = world.list.items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids, ["t1", "t0", "t2"], "none is given twice");
    world.set("1", json!({ "status": "completed" })).expect("it is set");
    world.set("1", json!({ "status": "in_progress" })).expect("it is set");
    assert_eq!((world.list.items[0].worked_ms, world.list.items[0].reopened), (u64::MAX, u64::MAX));
}
