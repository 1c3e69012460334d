//! Sequences that a review found, each once wrong.

use super::{World, todos};
use crate::EditState::{Delivered, Ignored, Overridden, Queued, Reflected, Superseded};
use crate::Status;
use serde_json::json;

#[test]
fn a_step_does_not_make_the_users_words_the_agents() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    world.set("1", json!({"content": "A2"})).expect("it is there");
    world.agent_set("agent", "1", "completed").expect("it is there");
    world.write("agent", json!([{"content": "A", "status": "completed"}, {"content": "B"}]));
    assert_eq!(world.item("A2").status, Status::Completed);
}

#[test]
fn a_value_that_was_told_undoes_nothing_that_was_not() {
    let mut world = World::new();
    world.write("agent", todos(&["Ship"]));
    world.set("1", json!({"status": "blocked"})).expect("it is there");
    world.write("agent", todos(&["Ship"]));
    let edit = world.set("1", json!({"status": "skipped"})).expect("it is there").edit;
    world.write("agent", json!([{"content": "Ship", "status": "blocked"}]));
    assert_eq!((world.item("Ship").status, world.edit(edit).state), (Status::Skipped, Delivered));
}

#[test]
fn a_part_that_names_a_removed_item_by_its_id_brings_it_back_whole() {
    let mut world = World::new();
    world.write("agent", json!([{"id": "a", "content": "A"}, {"id": "b", "content": "B", "notes": "n"}]));
    world.delete("2").expect("it is there");
    world.hear("agent");
    world.write("agent", json!([{"id": "a", "content": "A"}]));
    world.part("agent", json!([{"id": "b", "status": "in_progress"}])).expect("it is taken");
    let item = world.item("B");
    assert_eq!((item.status, item.notes.as_deref()), (Status::InProgress, Some("n")));
}

#[test]
fn what_was_cleared_and_loaded_again_is_no_contradiction() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    let items = world.list.items.clone();
    let cleared = world.clear().edit;
    let loaded = world.load(items).expect("it is loaded").edit;
    assert_eq!(world.edit(cleared).state, Superseded, "only the load is told");
    world.hear("agent");
    let done = world.write("agent", todos(&["A", "B"]));
    assert!(done.remarks.is_empty(), "{:?}", done.remarks);
    assert_eq!(world.edit(loaded).state, Reflected);
}

#[test]
fn what_was_loaded_counts_against_what_was_set_before() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    let items = world.list.items.clone();
    let set = world.set("1", json!({"status": "completed"})).expect("it is there").edit;
    world.load(items).expect("it is loaded");
    assert_eq!(world.edit(set).state, Superseded);
    world.write("agent", todos(&["A"]));
    assert_eq!(world.contents(), ["A", "B"], "what the user just loaded is not dropped unheard");
}

#[test]
fn undoing_a_load_puts_the_order_back() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B", "C"]));
    let early = world.list.items.clone();
    world.write("agent", todos(&["C", "B", "A"]));
    world.load(early).expect("it is loaded");
    assert_eq!(world.contents(), ["A", "B", "C"]);
    world.undo().expect("it is undone");
    assert_eq!(world.contents(), ["C", "B", "A"]);
}

#[test]
fn an_undo_that_can_do_nothing_passes_on_to_the_one_before() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    world.add("last", "Mine").expect("there is room");
    world.delete("2").expect("it is there");
    world.write("agent", todos(&["A", "B", "Mine"]));
    world.write("agent", todos(&["A", "Mine"]));
    world.write("agent", todos(&["A", "B", "Mine"]));
    world.undo().expect("the add can still be undone");
    assert_eq!(world.contents(), ["A", "B"]);
}

#[test]
fn what_was_removed_stays_removed_over_any_number_of_other_edits() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    world.delete("2").expect("it is there");
    for _ in 0..4 {
        world.write("agent", todos(&["A", "B"]));
    }
    for at in 0..200 {
        world.set("1", json!({"notes": format!("{at}")})).expect("it is there");
    }
    assert!(world.list.edits.len() < 100, "others are forgotten: {}", world.list.edits.len());
    world.write("agent", todos(&["A", "B"]));
    assert_eq!(world.contents(), ["A"]);
}

#[test]
fn what_is_put_back_for_the_users_choice_is_taken_up_again_after_it() {
    let mut world = World::new();
    world.write("agent", json!([{"content": "A", "status": "doing"}, {"content": "B"}]));
    world.set("2", json!({"status": "in_progress"})).expect("it is there");
    world.write("agent", json!([{"content": "A", "status": "doing"}, {"content": "B"}]));
    world.write("agent", json!([{"content": "A", "status": "doing"}, {"content": "B", "status": "doing"}]));
    world.write("agent", json!([{"content": "A", "status": "doing"}, {"content": "B", "status": "done"}]));
    assert_eq!(world.item("A").status, Status::InProgress);
}

#[test]
fn what_was_only_told_keeps_its_place_beside_what_was_said() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B", "C"]));
    world.move_to("3", "1").expect("it is there");
    world.add("last", "Mine").expect("there is room");
    world.hear("agent");
    world.write("agent", todos(&["A", "B", "C", "Mine"]));
    assert_eq!(world.contents(), ["C", "A", "B", "Mine"]);
}

#[test]
fn an_agent_that_was_not_told_of_a_removal_cannot_decide_against_it() {
    let mut world = World::new();
    world.write("one", todos(&["X", "Y"]));
    world.write("two", todos(&["X", "Y"]));
    let deleted = world.delete("1").expect("it is there").edit;
    world.hear("one");
    world.send("two", &todos(&["Y"]));
    world.send("two", &todos(&["X", "Y"]));
    assert_eq!(world.contents(), ["Y"]);
    assert_ne!(world.edit(deleted).state, Overridden);
}

#[test]
fn an_edit_of_several_is_not_overridden_by_the_users_own_delete() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    let set = world.set("all", json!({"priority": "high"})).expect("they are there").edit;
    world.delete("2").expect("it is there");
    world.hear("agent");
    world.write("agent", json!([{"content": "A", "priority": "high"}]));
    assert_eq!(world.edit(set).state, Reflected);
}

#[test]
fn parts_keep_unknown_keys_and_tell_equal_texts_apart() {
    let mut world = World::new();
    world.write("agent", json!([{"id": "a", "content": "A", "ticket": "X"}, {"content": "Fix"}, {"content": "Fix"}]));
    let part =
        json!([{"id": "a", "cost": 3}, {"content": "Fix", "status": "done"}, {"content": "Fix", "status": "done"}]);
    world.part("agent", part).expect("it is taken");
    assert_eq!(serde_json::Value::Object(world.item("A").extra.clone()), json!({"ticket": "X", "cost": 3}));
    let done = world.list.items.iter().filter(|item| item.status == Status::Completed).count();
    assert_eq!((world.contents().len(), done), (3, 2));
}

#[test]
fn a_returned_item_goes_on_with_the_subtasks_that_were_sent() {
    let mut world = World::new();
    let whole = json!([{"content": "P", "subtasks": [{"content": "S"}]}]);
    world.write("agent", whole.clone());
    world.delete("1").expect("it is there");
    world.hear("agent");
    world.write("agent", json!([]));
    world.write("agent", whole);
    assert_eq!(world.contents(), ["P", "S"]);
    world.write("agent", todos(&["P"]));
    assert_eq!(world.contents(), ["P"]);
}

#[test]
fn a_position_means_the_list_that_was_sent() {
    let mut world = World::new();
    world.write("agent", todos(&["A"]));
    world.add("1", "Mine").expect("there is room");
    world.write("agent", json!([{"content": "A"}, {"content": "C", "dependsOn": ["1"]}]));
    assert_eq!(world.item("C").depends_on_uids, [Some(world.item("A").uid)]);
}

#[test]
fn an_undo_of_what_is_just_being_told_is_told_as_well() {
    let mut world = World::new();
    world.write("agent", todos(&["A"]));
    let added = world.add("last", "X").expect("there is room").edit.expect("it is an edit");
    let told = world.list.items.clone();
    world.undo().expect("nobody has heard of it yet");
    // Now the answer that told of it turns out to have been sent.
    world.list.delivered("agent", Some(told), &[added], None, jiff::Timestamp::UNIX_EPOCH);
    assert!(world.list.edits.iter().any(|edit| edit.state == Queued && edit.inverse), "{:?}", world.list.edits);
    world.write("agent", todos(&["A", "X"]));
    assert_eq!(world.contents(), ["A"]);
}

#[test]
fn a_missing_status_of_what_it_never_said_is_no_decision() {
    let mut world = World::new();
    world.write("agent", todos(&["A"]));
    world.add("last", "Mine").expect("there is room");
    world.set("2", json!({"status": "in_progress"})).expect("it is there");
    world.hear("agent");
    world.write("agent", todos(&["A", "Mine"]));
    assert_eq!(world.item("Mine").status, Status::InProgress);
}

#[test]
fn a_circle_of_a_part_is_refused() {
    let mut world = World::new();
    world.write("agent", json!([{"id": "a", "content": "A", "dependsOn": ["b"]}, {"id": "b", "content": "B"}]));
    assert!(world.part("agent", json!([{"id": "b", "dependsOn": ["a"]}])).is_err());
    assert_eq!(world.item("B").depends_on, Vec::<String>::new());
}

#[test]
fn numbers_are_those_of_the_list_that_was_told() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    let added = world.add("1", "Mine").expect("there is room").edit;
    world.manage("complete_multiple", json!({"ids": [1]})).expect("it is done");
    assert_eq!((world.item("A").status, world.item("Mine").status), (Status::Completed, Status::Pending));
    assert_eq!(world.edit(added).state, Delivered);
    world.delete("2").expect("it is there");
    let refused = world.manage("complete_multiple", json!({"ids": [2]})).expect_err("it is gone").to_string();
    let expected = "TODO 2, \"A\", is not in the list any more. Nothing was changed; call list and use its ids";
    assert_eq!(refused, expected);
    assert_eq!(world.edit(added).repeats, 0);
    assert_ne!(world.edit(added).state, Ignored);
}

#[test]
fn of_several_that_the_user_began_one_that_the_agent_puts_back_leaves_the_others() {
    let mut world = World::new();
    world.add("1", "Mine").expect("there is room");
    world.write("agent", json!([{"content": "Plan", "status": "in_progress"}, {"content": "Test"}]));
    world.set("all", json!({"status": "in_progress"})).expect("they are there");
    let statuses = |world: &World| world.list.items.iter().map(|item| item.status).collect::<Vec<_>>();
    for _ in 0..2 {
        world.write("agent", todos(&["Plan"]));
        assert_eq!(statuses(&world), [Status::InProgress, Status::Pending, Status::InProgress]);
    }
}

#[test]
fn what_another_agent_made_of_it_is_not_put_back_to_pending() {
    for made in ["completed", "blocked", "on hold"] {
        let mut world = World::new();
        world.write("one", todos(&["Plan"]));
        world.add("last", "Mine").expect("there is room");
        world.set("last", json!({"status": "in_progress"})).expect("it is there");
        let begun = json!([{"content": "Plan", "status": "in_progress"}]);
        world.write("one", begun.clone());
        assert_eq!(world.item("Plan").status, Status::Pending, "the user's choice comes first");
        world.write("two", json!([{"content": "Plan", "status": made}]));
        let before = world.item("Plan").clone();
        world.write("one", begun);
        let after = world.item("Plan");
        assert_eq!((after.status, &after.status_raw), (before.status, &before.status_raw), "{made}");
    }
}

#[test]
fn a_caller_without_memory_repeats_what_was_before_all_edits() {
    let mut world = World::new();
    world.write("first", todos(&["A", "B"]));
    world.set("2", json!({"status": "blocked"})).expect("it is there");
    let last = world.set("2", json!({"status": "skipped"})).expect("it is there").edit;
    let sent = world.send("came back", &todos(&["A", "B"]));
    assert_eq!((world.edit(last).state, sent.list.items[1].status), (Queued, Status::Skipped));
}
