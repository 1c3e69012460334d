//! Taking edits back.

use super::{World, todos};
use crate::EditState::{Queued, Superseded};
use crate::{Change, EditAction, Error};
use serde_json::json;

#[test]
fn a_removed_item_comes_back_to_its_place() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B", "C"]));
    let uid = world.item("B").uid;
    world.delete("2").expect("it is there");
    world.add("1", "First").expect("there is room");
    let undone = world.undo().expect("the add is undone first");
    assert_eq!(undone.message, "Undone: added \"First\"");
    world.undo().expect("then the delete");
    assert_eq!(world.contents(), ["A", "B", "C"]);
    assert!(world.has(uid), "it is the same item");
}

#[test]
fn a_cleared_list_comes_back_whole() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B", "C"]));
    world.add("2", "Mine").expect("there is room");
    world.clear();
    assert!(world.list.items.is_empty());
    world.undo().expect("the clear is undone");
    assert_eq!(world.contents(), ["A", "Mine", "B", "C"]);
    let queued: Vec<_> = world.list.edits.iter().filter(|edit| edit.state == Queued).collect();
    assert_eq!(queued.len(), 1, "the item that the agent never heard of is still to be told: {queued:?}");
    assert!(matches!(queued[0].action, EditAction::Add { .. }));
}

#[test]
fn what_was_told_is_taken_back_by_telling_the_opposite() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    let deleted = world.delete("2").expect("it is there");
    world.hear("agent");
    world.undo().expect("it is undone");
    assert_eq!(world.edit(deleted.edit).state, Superseded);
    let queued: Vec<_> = world.list.edits.iter().filter(|edit| edit.state == Queued).collect();
    assert!(matches!(&queued[..], [edit] if matches!(edit.action, EditAction::Add { .. })), "{queued:?}");
    world.write("agent", todos(&["A"]));
    assert_eq!(world.contents(), ["A", "B"], "the item that was brought back is protected like one that was added");
}

#[test]
fn what_was_never_told_needs_no_telling() {
    let mut world = World::new();
    world.write("agent", todos(&["A"]));
    world.add("last", "Mine").expect("there is room");
    world.delete("last").expect("it is there");
    assert!(world.list.edits.iter().all(|edit| edit.state != Queued), "{:?}", world.list.edits);
}

#[test]
fn there_may_be_nothing_to_undo() {
    let mut world = World::new();
    assert_eq!(world.undo(), Err(Error::NothingToUndo));
    world.add("1", "Mine").expect("there is room");
    world.undo().expect("it is undone");
    assert_eq!(world.undo(), Err(Error::NothingToUndo), "an undo is not undone by another");
}

#[test]
fn an_undo_that_can_put_nothing_back_says_so() {
    let mut world = World::new();
    world.write("agent", json!([{"content": "A", "subtasks": [{"content": "A1"}]}]));
    let first = world.delete("1.1").expect("it is there").edit;
    world.delete("1").expect("it is there");
    let change = Change::Undo { edit: first, client: "me".to_owned() };
    assert!(matches!(world.change(change.clone()), Err(Error::CannotUndo(_))), "the item that it belonged to is gone");
    world.undo().expect("first the item");
    world.change(change).expect("then its subtask");
    assert_eq!(world.contents(), ["A", "A1"]);
}

#[test]
fn an_edit_whose_item_is_gone_does_not_stand_in_the_way() {
    let mut world = World::new();
    world.write("agent", todos(&["A"]));
    world.add("last", "one").expect("there is room");
    world.add("last", "two").expect("there is room");
    world.write("agent", json!([{"content": "A"}, {"content": "one"}, {"content": "two", "status": "done"}]));
    world.write("agent", json!([{"content": "A"}, {"content": "one"}]));
    world.undo().expect("what is left of it is undone");
    assert_eq!(world.contents(), ["A"]);
}

#[test]
fn what_others_changed_since_is_left() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    world.delete("1").expect("it is there");
    world.write("agent", todos(&["B", "C", "D"]));
    world.undo().expect("it is undone");
    assert_eq!(world.contents(), ["A", "B", "C", "D"]);
}
