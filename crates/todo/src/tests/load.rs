//! Lists that go to the history, and lists that come back (requirement P8).

use super::{World, todos};
use crate::EditState::{Ignored, Queued, Reflected};
use crate::{Change, Error, Item, Status};
use serde_json::json;

fn other_list() -> Vec<Item> {
    let mut other = World::new();
    other.write("else", json!([{"content": "X", "status": "done"}, {"content": "Y", "subtasks": [{"content": "Y1"}]}]));
    let mut items = other.list.items;
    for (at, item) in items.iter_mut().enumerate() {
        item.uid = uuid::Uuid::from_u128(1000 + at as u128);
        for sub in &mut item.subtasks {
            sub.uid = uuid::Uuid::from_u128(2000 + at as u128);
        }
    }
    items
}

// P8
#[test]
fn another_list_takes_the_place_of_this_one() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    let done = world.load(other_list()).expect("it is loaded");
    assert_eq!(done.message, "Loaded a TODO list of 2 item(s)");
    assert_eq!(world.contents(), ["X", "Y", "Y1"]);
    assert_eq!(world.item("X").status, Status::Completed, "statuses are kept");
    assert_eq!(world.edit(done.edit).state, Queued, "the agent is told");
    world.write("agent", todos(&["A", "B"]));
    assert_eq!(world.contents(), ["Y", "Y1"], "what it repeats stays away, what was loaded stays until it is done");
    world.write("agent", todos(&["Y"]));
    assert_eq!(world.edit(done.edit).state, Reflected);
}

#[test]
fn an_agent_that_goes_on_with_its_own_list_ignores_it() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    let done = world.load(other_list()).expect("it is loaded");
    for _ in 0..4 {
        world.write("agent", todos(&["A", "B"]));
    }
    assert_eq!(world.edit(done.edit).state, Ignored);
    assert_eq!(world.contents(), ["Y", "Y1"]);
}

#[test]
fn loading_is_undone() {
    let mut world = World::new();
    world.write("agent", json!([{"content": "A", "subtasks": [{"content": "A1"}]}, {"content": "B"}]));
    let before = world.list.items.clone();
    world.load(other_list()).expect("it is loaded");
    world.undo().expect("it is undone");
    assert_eq!(world.list.items, before);
}

#[test]
fn an_earlier_state_of_the_same_list_keeps_its_items() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    let early = world.list.items.clone();
    world.write("agent", json!([{"content": "A", "status": "done"}, {"content": "C"}]));
    let late = world.list.items.clone();
    let done = world.load(early.clone()).expect("it is loaded");
    assert_eq!(world.contents(), ["A", "B"]);
    assert_eq!(world.item("A").uid, early[0].uid);
    assert_eq!(world.item("A").status, Status::Pending);
    assert_eq!((done.difference.added.len(), done.difference.changed.len(), done.difference.removed.len()), (1, 1, 1));
    world.undo().expect("it is undone");
    assert_eq!(world.contents(), ["A", "C"]);
    assert_eq!(world.item("A").status, Status::Completed);
    assert_eq!(world.item("C").uid, late[1].uid);
}

#[test]
fn a_list_that_is_too_long_is_not_loaded() {
    let mut world = World::new();
    let items: Vec<Item> = std::iter::repeat_n(other_list().swap_remove(0), 257).collect();
    assert_eq!(world.load(items), Err(Error::TooManyItems { sent: 257 }));
}

#[test]
fn a_list_is_archived_and_that_is_undone() {
    let mut world = World::new();
    world.write("agent", todos(&["B"]));
    let done =
        world.change(Change::Archive { by: crate::By::User { client: "me".to_owned() } }).expect("it always works");
    assert_eq!(done.message, "TODO list archived");
    world.write("agent", todos(&["B"]));
    assert!(world.list.items.is_empty(), "what is archived is not brought back by repetition");
    world.undo().expect("it is undone");
    assert_eq!(world.contents(), ["B"]);
}

#[test]
fn an_agent_that_archives_its_list_begins_anew() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    world.add("last", "C").expect("it is added");
    let note =
        world.change(Change::Note { text: "Mind the gap".to_owned(), client: "me".to_owned() }).expect("kept").edit;
    let by = crate::By::Agent { caller: "agent".to_owned() };
    world.change(Change::Archive { by }).expect("it always works");
    assert!(world.list.items.is_empty());
    let open = world.list.edits.iter().filter(|edit| edit.is_open()).map(|edit| edit.id);
    assert_eq!(open.collect::<Vec<_>>(), note.into_iter().collect::<Vec<_>>(), "a note is still to be heard");
    world.write("agent", todos(&["B", "D"]));
    assert_eq!(world.contents(), ["B", "D"], "what it says again it means");
}
