//! An agent that sends a part of its list.

use super::{World, todos};
use crate::EditState::{Ignored, Overridden, Queued, Reflected};
use crate::{Priority, Status};
use rstest::rstest;
use serde_json::{Value, json};

#[test]
fn what_is_not_named_stays() {
    let mut world = World::new();
    world.write("agent", json!([{"id": "a", "content": "A", "priority": "high"}, {"id": "b", "content": "B"}]));
    world.part("agent", json!([{"id": "b", "status": "in_progress"}, {"content": "C"}])).expect("it is taken");
    assert_eq!(world.contents(), ["A", "B", "C"]);
    assert_eq!(world.item("B").status, Status::InProgress);
    assert_eq!(world.item("A").priority, Some(Priority::High));
    world.part("agent", json!([{"content": "A", "status": "done"}])).expect("it is taken");
    assert_eq!(world.item("A").status, Status::Completed, "named by its text");
    assert_eq!(world.item("A").priority, Some(Priority::High), "what was not given stays");
    world.part("agent", json!([{"id": "a", "content": "A, again"}])).expect("it is taken");
    assert_eq!(world.contents(), ["A, again", "B", "C"]);
}

#[test]
fn what_is_deleted_goes_and_comes_back_as_new() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    world.part("agent", json!([{"content": "A", "status": "deleted"}])).expect("it is taken");
    assert_eq!(world.contents(), ["B"]);
    world.part("agent", json!([{"content": "gone already", "status": "deleted"}])).expect("it is taken");
    assert_eq!(world.contents(), ["B"]);
    world.write("agent", json!([{"content": "B"}, {"content": "C", "status": "deleted"}]));
    assert_eq!(world.contents(), ["B"], "a whole list leaves out what it calls deleted");
}

#[rstest]
#[case(json!([{"id": "zz", "status": "done"}]), "todos[0] names \"zz\", which is not in the list; send a \"content\" to add it")]
#[case(json!([{"status": "done"}]), "todos[0] names no item; send its \"id\", or \"content\" for a new one")]
fn what_cannot_be_found(#[case] part: Value, #[case] error: &str) {
    let mut world = World::new();
    world.write("agent", todos(&["A"]));
    assert_eq!(world.part("agent", part).expect_err("it is refused").to_string(), error);
    assert_eq!(world.list.revision, 1);
}

#[test]
fn the_users_word_is_protected_here_too() {
    let mut world = World::new();
    world.write("agent", json!([{"id": "a", "content": "A"}, {"id": "b", "content": "B"}]));
    let added = world.add("last", "Mine").expect("there is room").edit;
    let deleted = world.delete("1").expect("it is there").edit;
    let set = world.set("1", json!({"status": "skipped"})).expect("it is there").edit;
    world.hear("agent");
    let done = world
        .part("agent", json!([{"id": "a", "content": "A"}, {"id": "b", "status": "pending"}, {"content": "Mine", "status": "deleted"}]))
        .expect("it is taken");
    assert_eq!(world.contents(), ["B", "Mine"]);
    assert_eq!(world.item("B").status, Status::Skipped, "said again");
    assert!(done.remarks.iter().any(|remark| remark.english.contains("\"Mine\" is the user's")), "{:?}", done.remarks);
    world.part("agent", json!([{"id": "b", "status": "in_progress"}])).expect("it is taken");
    assert_eq!(world.edit(set).state, Overridden);
    world.part("agent", json!([{"content": "Mine", "status": "done"}])).expect("it is taken");
    assert_eq!(world.edit(added).state, Reflected);
    for _ in 0..3 {
        world.part("agent", json!([{"id": "a", "content": "A"}])).expect("it is taken");
    }
    assert_eq!(world.contents(), ["B", "Mine"]);
    assert_eq!(world.edit(deleted).state, Ignored);
}

#[test]
fn silence_in_a_part_ignores_nothing() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    let added = world.add("last", "Mine").expect("there is room").edit;
    let deleted = world.delete("1").expect("it is there").edit;
    for _ in 0..4 {
        world.part("agent", json!([{"content": "B", "status": "in_progress"}])).expect("it is taken");
    }
    assert_ne!(world.edit(added).state, Queued);
    assert_eq!((world.edit(added).repeats, world.edit(deleted).repeats), (0, 0));
}

#[test]
fn subtasks_are_named_under_their_item() {
    let mut world = World::new();
    world.write(
        "agent",
        json!([{"id": "a", "content": "A", "subtasks": [{"id": "1", "content": "A1"}, {"id": "2", "content": "A2"}]}]),
    );
    let part = json!([{"id": "a", "subtasks": [{"id": "2", "status": "done"}, {"content": "A3"}]}]);
    world.part("agent", part).expect("it is taken");
    assert_eq!(world.contents(), ["A", "A1", "A2", "A3"]);
    assert_eq!(world.item("A2").status, Status::Completed);
}

#[test]
fn a_whole_list_after_parts_is_measured_by_both() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    world.part("agent", json!([{"content": "A", "status": "done"}, {"content": "C"}])).expect("it is taken");
    world.set("1", json!({"status": "pending"})).expect("it is there");
    world.write("agent", json!([{"content": "A", "status": "done"}, {"content": "B"}]));
    assert_eq!(world.item("A").status, Status::Pending, "done is what it said last: repetition");
    assert_eq!(world.contents(), ["A", "B"], "and C, its own, it dropped");
}
