//! The protected merge: what the user's word survives, and what the agent may decide.

use super::{World, todos};
use crate::EditState::{Ignored, Overridden, Queued, Reflected};
use crate::{Origin, Status};
use serde_json::json;

#[test]
fn without_edits_the_result_is_what_was_sent() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B", "C"]));
    world.write("agent", todos(&["C", "X", "A"]));
    assert_eq!(world.contents(), ["C", "X", "A"]);
}

#[test]
fn what_the_user_added_survives_until_it_is_done() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    let added = world.add("2", "Mine").expect("there is room");
    world.write("agent", todos(&["A", "B", "C"]));
    assert_eq!(world.contents(), ["A", "Mine", "B", "C"], "it stays after the item that it followed");
    assert_eq!(world.item("Mine").origin, Origin::User);
    world.write("agent", json!([{"content": "A"}, {"content": "Mine", "status": "completed"}, {"content": "B"}]));
    assert_eq!(world.edit(added.edit).state, Reflected);
    world.write("agent", todos(&["A", "B"]));
    assert_eq!(world.contents(), ["A", "B"], "once it is done the agent may drop it");
}

#[test]
fn what_the_user_removed_stays_away_while_it_is_repeated() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B", "C"]));
    let deleted = world.delete("2").expect("it is there");
    for _ in 0..5 {
        world.write("agent", todos(&["A", "B", "C"]));
        assert_eq!(world.contents(), ["A", "C"]);
    }
    assert_eq!(world.edit(deleted.edit).state, Ignored, "told and still repeated, twice and more");
}

#[test]
fn what_the_user_removed_returns_when_the_agent_means_it() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    let deleted = world.delete("2").expect("it is there");
    world.write("agent", todos(&["A", "B"]));
    world.write("agent", todos(&["A"]));
    assert_eq!(world.edit(deleted.edit).state, Reflected, "told, and dropped");
    world.write("agent", todos(&["A", "B"]));
    assert_eq!(world.contents(), ["A", "B"], "dropped, and sent again: that is a decision");
    assert_eq!(world.edit(deleted.edit).state, Overridden);
}

#[test]
fn an_agent_that_was_not_told_decides_nothing() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    let deleted = world.delete("2").expect("it is there");
    world.send("agent", &todos(&["A"]));
    world.send("agent", &todos(&["A", "B"]));
    assert_eq!(world.contents(), ["A"]);
    assert_eq!(world.edit(deleted.edit).state, Queued);
}

#[test]
fn an_id_used_again_for_another_step_is_another_step() {
    let mut world = World::new();
    world.write("agent", json!([{"id": "1", "content": "Read the docs"}, {"id": "2", "content": "Deploy to staging"}]));
    world.delete("2").expect("it is there");
    world.write("agent", json!([{"id": "1", "content": "Read the docs"}, {"id": "2", "content": "Write tests"}]));
    assert_eq!(
        world.contents(),
        ["Read the docs", "Write tests"],
        "the agent's new step is not taken for the removed one"
    );
}

#[test]
fn a_cleared_list_stays_clear_of_what_was_in_it() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    let cleared = world.clear();
    world.write("agent", todos(&["A", "B", "New"]));
    assert_eq!(world.contents(), ["New"]);
    world.write("agent", todos(&["New"]));
    assert_eq!(world.edit(cleared.edit).state, Reflected);
}

#[test]
fn an_added_item_that_the_agent_gives_up_is_overridden() {
    let mut world = World::new();
    world.write("agent", todos(&["A"]));
    let added = world.add("last", "Mine").expect("there is room");
    world.write("agent", todos(&["A"]));
    world.write("agent", json!([{"content": "A"}, {"content": "Mine", "status": "skipped", "reason": "not now"}]));
    assert_eq!(world.edit(added.edit).state, Overridden);
    assert_eq!(world.item("Mine").status, Status::Skipped);
}

#[test]
fn an_added_item_that_is_not_taken_up_is_ignored_and_stays() {
    let mut world = World::new();
    world.write("agent", todos(&["A"]));
    let added = world.add("last", "Mine").expect("there is room");
    for _ in 0..3 {
        world.write("agent", todos(&["A"]));
    }
    assert_eq!(world.edit(added.edit).state, Ignored);
    assert_eq!(world.contents(), ["A", "Mine"]);
}

#[test]
fn subtasks_are_protected_too() {
    let mut world = World::new();
    let list = json!([{"content": "A", "subtasks": [{"content": "A1"}, {"content": "A2"}]}, {"content": "B"}]);
    world.write("agent", list.clone());
    world.delete("1.1").expect("it is there");
    world.add("1.last", "Mine").expect("there is room");
    world.add("2.1", "Also mine").expect("there is room");
    world.write("agent", list);
    assert_eq!(world.contents(), ["A", "A2", "Mine", "B", "Also mine"]);
}

#[test]
fn two_agents_on_one_list_do_not_undo_each_other_or_the_user() {
    let mut world = World::new();
    world.write("one", todos(&["A", "B"]));
    world.hear("two");
    world.write("one", todos(&["A", "B", "From one"]));
    world.add("1", "Mine").expect("there is room");
    world.write("two", todos(&["A", "B", "From two"]));
    assert_eq!(world.contents(), ["Mine", "A", "B", "From one", "From two"]);
}

#[test]
fn one_agent_that_drops_an_item_does_not_bring_it_back_for_another() {
    let mut world = World::new();
    world.write("one", todos(&["X", "Y"]));
    world.hear("two");
    world.delete("1").expect("it is there");
    world.write("one", todos(&["X", "Y"]));
    world.write("two", todos(&["Y"]));
    world.write("one", todos(&["X", "Y"]));
    assert_eq!(world.contents(), ["Y"], "what one repeats is repetition, whatever two sent");
}

#[test]
fn unknown_keys_stay_where_they_are_when_our_own_list_is_sent_back() {
    let mut world = World::new();
    world.write("agent", json!([{"content": "A", "priority": "urgent", "foo": 1}]));
    for _ in 0..3 {
        let back = serde_json::to_value(&world.list.items).expect("a list is plain data");
        let done = world.write("agent", back);
        assert!(done.difference.is_empty(), "{:?}", world.list.items);
    }
}

#[test]
fn several_items_in_progress_are_kept_and_remarked_upon() {
    let mut world = World::new();
    let done = world.write("agent", json!([{"content": "A", "status": "doing"}, {"content": "B", "status": "doing"}]));
    assert_eq!(world.list.items.iter().filter(|item| item.status == Status::InProgress).count(), 2);
    assert!(done.remarks.iter().any(|remark| remark.english.contains("2 items are in progress")), "{:?}", done.remarks);
}

#[test]
fn a_status_keeps_its_time_until_it_changes() {
    let mut world = World::new();
    world.write("agent", json!([{"content": "A", "status": "doing"}]));
    let since = world.item("A").status_at;
    world.write("agent", json!([{"content": "A", "status": "doing", "notes": "half way"}]));
    assert_eq!(world.item("A").status_at, since);
    world.write("agent", json!([{"content": "A", "status": "done"}]));
    assert!(world.item("A").status_at > since);
}
