//! Items that are gone come back.

use super::{World, todos};
use crate::{EditState, Error, Status};
use serde_json::json;

// Issue 4: an edit to an item that has just vanished offers to restore it.
#[test]
fn what_the_agent_dropped_comes_back_at_its_place_and_stays() {
    let mut world = World::new();
    world.write(
        "codex",
        json!([{"content": "A"}, {"content": "B", "notes": "n", "subtasks": [{"content": "B1"}]}, {"content": "C"}]),
    );
    let uid = world.item("B").uid;
    world.write("codex", todos(&["A", "C"]));
    let gone = world.still_removed().into_iter().find(|gone| gone.item.uid == uid).expect("it was there");
    let done = world.restore(gone).expect("it comes back");
    assert_eq!(done.message, "Restored TODO at position 2: \"B\"");
    assert_eq!(world.contents(), ["A", "B", "B1", "C"]);
    assert_eq!((world.item("B").uid, world.item("B").notes.as_deref()), (uid, Some("n")));
    let edit = done.edit;
    world.write("codex", todos(&["A", "C"]));
    assert_eq!(world.contents(), ["A", "B", "B1", "C"], "the agent had not heard of it");
    world.write("codex", todos(&["A", "B", "C"]));
    assert_eq!(world.edit(edit).state, EditState::Reflected);
    world.undo().expect("it can be taken back");
    assert_eq!(world.contents(), ["A", "C"]);
}

#[test]
fn what_the_user_deleted_and_nobody_heard_of_comes_back_untold() {
    let mut world = World::new();
    world.write("codex", todos(&["A", "B"]));
    let deleted = world.delete("2").expect("it is there").edit;
    let gone = world.still_removed().remove(0);
    let restored = world.restore(gone).expect("it comes back");
    assert_eq!(restored.message, "Restored TODO at position 2: \"B\"");
    let states = |world: &World| [world.edit(deleted).state, world.edit(restored.edit).state];
    assert_eq!(states(&world), [EditState::Superseded; 2]);
    world.undo().expect("it can be taken back");
    assert_eq!(world.contents(), ["A"]);
    assert_eq!(world.edit(deleted).state, EditState::Queued, "the removal is told after all");
    let queued = world.list.edits.iter().filter(|edit| edit.state == EditState::Queued);
    assert_eq!(queued.count(), 1, "once");
    world.write("codex", todos(&["A", "B"]));
    assert_eq!(world.contents(), ["A"], "and holds against repetition");
}

#[test]
fn one_item_of_a_list_that_another_took_the_place_of_comes_back_alone() {
    let mut world = World::new();
    world.write("codex", todos(&["Only"]));
    let uid = world.item("Only").uid;
    world.load(Vec::new()).expect("an empty list can be loaded");
    world.write("codex", todos(&[]));
    world.add("1", "Mine").expect("there is room");
    let gone = world.still_removed().into_iter().find(|gone| gone.item.uid == uid).expect("it was there");
    world.restore(gone).expect("it comes back");
    assert_eq!(world.contents().len(), 2, "nothing else changes: {:?}", world.contents());
}

#[test]
fn it_comes_back_as_it_was_last_and_insisting_does_not_take_it() {
    let mut world = World::new();
    world.write("codex", todos(&["A", "B", "C"]));
    let deleted = world.delete("2-3").expect("they are there").edit;
    world.hear("codex");
    world.write("codex", todos(&["A"]));
    world.write("codex", json!([{"content": "A"}, {"content": "B", "status": "completed", "notes": "done twice"}]));
    world.write("codex", todos(&["A"]));
    let gone = world.still_removed().into_iter().find(|gone| gone.item.content == "B").expect("it was there");
    world.restore(gone).expect("it comes back");
    assert_eq!(world.item("B").notes.as_deref(), Some("done twice"));
    let change = crate::Change::Insist { edit: deleted, client: "me".to_owned() };
    world.change(change).expect("the agent went against it");
    assert_eq!(world.contents(), ["A", "B"], "what the user has back is his");
}

#[test]
fn one_of_several_that_the_user_deleted_is_kept_away_no_more() {
    let mut world = World::new();
    world.write("codex", todos(&["A", "B", "C"]));
    world.delete("2-3").expect("they are there");
    world.write("codex", todos(&["A"]));
    let gone = world.still_removed().into_iter().find(|gone| gone.item.content == "B").expect("it was there");
    world.restore(gone).expect("it comes back");
    world.write("codex", todos(&["A", "B", "C"]));
    assert_eq!(world.contents(), ["A", "B"], "the other stays away");
    world.write("codex", todos(&["A", "B"]));
    world.write("codex", todos(&["A", "B", "C"]));
    assert_eq!(world.contents(), ["A", "B", "C"], "until the agent, once told, has dropped it and sends it again");
    world.undo().expect("the restoring");
    assert_eq!(world.contents(), ["A", "C"]);
}

#[test]
fn a_subtask_needs_its_item() {
    let mut world = World::new();
    world.write("codex", json!([{"content": "A", "subtasks": [{"content": "A1"}]}, {"content": "B"}]));
    let sub = world.item("A1").uid;
    world.write("codex", todos(&["B"]));
    let all = world.still_removed();
    let gone = |content: &str| all.iter().find(|gone| gone.item.content == content).cloned().expect("it was there");
    let refused = world.restore(gone("A1")).expect_err("it has no place");
    assert_eq!(refused, Error::NoHome("A1".to_owned()));
    world.restore(gone("A")).expect("it comes back");
    assert_eq!(world.contents(), ["A", "A1", "B"], "with its subtask");
    let again = world.restore(gone("A1")).expect("it is there");
    assert!(again.is_nothing() && world.has(sub));
}

#[test]
fn what_is_being_told_while_it_comes_back_is_told_the_other_way_round() {
    let mut world = World::new();
    world.write("codex", todos(&["A", "B"]));
    let deleted = world.delete("2").expect("it is there").edit.expect("it is an edit");
    let restored = world.restore(world.still_removed().remove(0)).expect("it comes back").edit;
    let told = world.list.items.clone();
    world.list.delivered("codex", Some(told), &[deleted], None, jiff::Timestamp::UNIX_EPOCH);
    assert_eq!(world.edit(restored).state, EditState::Queued);
}

// Found by the law that merging twice is merging once.
#[test]
fn of_two_steps_in_progress_that_the_user_brought_back_one_that_the_agent_sends_stays() {
    let mut world = World::new();
    world.write(
        "codex",
        json!([{"content": "A"}, {"content": "B", "status": "doing"}, {"content": "C", "status": "doing"}]),
    );
    world.write("codex", todos(&["A"]));
    for _ in 0..2 {
        let gone = world.still_removed().remove(0);
        world.restore(gone).expect("it comes back");
    }
    world.told_apart("codex");
    world.write("codex", todos(&["A", "B"]));
    let once = world.list.items.clone();
    assert_eq!(once.iter().filter(|item| item.status == Status::InProgress).count(), 2);
    world.write("codex", todos(&["A", "B"]));
    assert_eq!(world.list.items, once);
}
