//! Messages to the agent, and edits that are sent again.

use super::{World, todos};
use crate::EditState::{Delivered, Ignored, Overridden, Queued, Reflected, Superseded};
use crate::{Applied, Change, EditAction, Error, Result, Status};
use rstest::rstest;
use serde_json::json;
use uuid::Uuid;

impl World {
    fn note(&mut self, text: &str) -> Result<Applied> {
        self.change(Change::Note { text: text.to_owned(), client: "me".to_owned() })
    }

    fn insist(&mut self, edit: Option<Uuid>) -> Result<Applied> {
        let edit = edit.expect("the change made an edit");
        self.change(Change::Insist { edit: Some(edit), client: "me".to_owned() })
    }
}

#[test]
fn a_note_is_told_once_and_ends_there() {
    let mut world = World::new();
    world.write("agent", todos(&["A"]));
    let noted = world.note("  use the staging database ").expect("it is noted");
    assert_eq!(noted.message, "Message pending, delivered on the agent's next call: \"use the staging database\"");
    assert!(noted.difference.is_empty());
    assert_eq!(world.edit(noted.edit).state, Queued);
    for _ in 0..4 {
        world.write("agent", todos(&["A"]));
    }
    assert_eq!(world.edit(noted.edit).state, Delivered);
    assert_eq!(world.undo(), Err(Error::NothingToUndo), "what was heard cannot be unsaid");
}

#[test]
fn a_note_that_nobody_heard_is_taken_back() {
    let mut world = World::new();
    let noted = world.note("one moment").expect("it is noted");
    world.undo().expect("nobody heard it");
    assert_eq!(world.edit(noted.edit).state, Superseded);
    world.hear("agent");
    assert_eq!(world.edit(noted.edit).state, Superseded);
}

#[rstest]
#[case("")]
#[case(" \n ")]
#[case(&"x".repeat(2_001))]
fn what_is_no_note(#[case] text: &str) {
    assert!(World::new().note(text).is_err());
}

#[test]
fn insisting_sets_again_what_the_agent_overrode() {
    let mut world = World::new();
    world.write("agent", todos(&["A"]));
    let edit = world.set("1", json!({"status": "skipped", "reason": "no"})).expect("it is there").edit;
    world.write("agent", json!([{"content": "A", "status": "in_progress"}]));
    assert_eq!(world.edit(edit).state, Overridden);
    let again = world.insist(edit).expect("it is overridden");
    assert_eq!(again.message, "Sent again: \"A\"");
    assert_eq!(world.item("A").status, Status::Skipped);
    assert_eq!(world.edit(edit).state, Superseded);
    assert!(world.edit(again.edit).insisted && world.edit(again.edit).state == Queued);
    world.write("agent", json!([{"content": "A", "status": "in_progress"}]));
    assert_eq!(world.item("A").status, Status::Skipped, "what it said before is repetition");
    world.write("agent", json!([{"content": "A", "status": "skipped"}]));
    assert_eq!(world.edit(again.edit).state, Reflected);
}

#[test]
fn insisting_on_what_is_ignored_tells_it_again() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    let deleted = world.delete("2").expect("it is there").edit;
    let added = world.add("last", "Mine").expect("there is room").edit;
    for _ in 0..4 {
        world.write("agent", todos(&["A", "B"]));
    }
    assert_eq!((world.edit(deleted).state, world.edit(added).state), (Ignored, Ignored));
    let again = world.insist(deleted).expect("it is ignored");
    let anew = world.insist(added).expect("it is ignored");
    assert_eq!(world.contents(), ["A", "Mine"]);
    for edit in [again.edit, anew.edit] {
        assert!(world.edit(edit).insisted && world.edit(edit).state == Queued, "{:?}", world.edit(edit));
    }
    world.write("agent", todos(&["A", "B"]));
    assert_eq!(world.contents(), ["A", "Mine"], "what was removed is away still");
    world.write("agent", todos(&["A", "Mine"]));
    assert_eq!((world.edit(again.edit).state, world.edit(anew.edit).state), (Reflected, Reflected));
}

#[test]
fn insisting_on_what_stands_already_only_tells_it_again() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    let set = world.set("1", json!({"status": "skipped"})).expect("it is there").edit;
    let moved = world.move_to("2", "1").expect("it is there").edit;
    for _ in 0..4 {
        world.write("agent", todos(&["A", "B"]));
    }
    let note = world.note("by the way").expect("it is noted").edit;
    for edit in [set, moved] {
        assert_eq!(world.edit(edit).state, Ignored);
        let again = world.insist(edit).expect("it is ignored");
        assert!(again.difference.is_empty());
        assert!(world.edit(again.edit).insisted && world.edit(again.edit).state == Queued);
    }
    assert!(!world.edit(note).insisted, "that is another edit");
    assert_eq!(world.contents(), ["B", "A"]);
}

#[test]
fn insisting_on_a_removal_that_came_back_removes_it_again() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    let deleted = world.delete("2").expect("it is there").edit;
    world.write("agent", todos(&["A", "B"]));
    world.write("agent", todos(&["A"]));
    world.write("agent", todos(&["A", "B"]));
    assert_eq!(world.edit(deleted).state, Overridden);
    let again = world.insist(deleted).expect("it came back");
    assert_eq!(world.contents(), ["A"]);
    assert!(matches!(world.edit(again.edit).action, EditAction::Delete { .. }));
    world.write("agent", todos(&["A", "B"]));
    assert_eq!(world.contents(), ["A"]);
}

#[test]
fn an_item_that_the_agent_gave_up_is_begun_anew() {
    let mut world = World::new();
    world.write("agent", todos(&["A"]));
    let added = world.add("last", "Mine").expect("there is room").edit;
    world.write("agent", json!([{"content": "A"}, {"content": "Mine", "status": "cancelled"}]));
    world.insist(added).expect("it was given up");
    assert_eq!(world.item("Mine").status, Status::Pending);
}

#[test]
fn there_is_nothing_to_insist_on_while_the_agent_may_still_follow() {
    let mut world = World::new();
    world.write("agent", todos(&["A"]));
    let edit = world.set("1", json!({"status": "skipped"})).expect("it is there").edit;
    assert!(matches!(world.insist(edit), Err(Error::CannotInsist(_))));
    assert!(matches!(world.insist(Some(Uuid::nil())), Err(Error::CannotInsist(_))));
}

#[test]
fn each_item_is_insisted_on_and_told_with_its_own_value() {
    let mut world = World::new();
    world.write("codex", json!([{"content": "A"}, {"content": "B", "status": "blocked"}]));
    world.set("1-2", json!({"status": "completed"})).expect("they are there");
    world.hear("codex");
    world.undo().expect("it can be taken back");
    let told = world.list.edits.iter().find(|edit| edit.state == Queued).cloned().expect("it is told");
    assert_eq!(told.detail().as_deref(), Some("\"A\" status pending; \"B\" status blocked"));
    world.hear("codex");
    world.write("codex", json!([{"content": "A", "status": "skipped"}, {"content": "B", "status": "skipped"}]));
    assert_eq!(world.edit(Some(told.id)).state, Overridden);
    world.insist(Some(told.id)).expect("the agent went against it");
    let statuses: Vec<_> = world.list.items.iter().map(|item| item.status).collect();
    assert_eq!(statuses, [Status::Pending, Status::Blocked]);
}
