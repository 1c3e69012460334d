//! Fields that the user sets, and lists of the agent after that.

use super::{World, todos};
use crate::EditState::{Delivered, Ignored, Overridden, Queued, Reflected, Superseded};
use crate::{EditState, Error, Priority, Status};
use rstest::rstest;
use serde_json::{Value, json};

#[rstest]
#[case("2", json!({"status": "in_progress"}), "Set TODO at 2 to in_progress: \"B\"")]
#[case("last", json!({"status": "done"}), "Set TODO at 3 to completed: \"C\"")]
#[case("2-3", json!({"status": "skipped", "reason": "not now"}), "Set 2 TODOs at 2-3 to skipped")]
#[case("all", json!({"status": "pending"}), "Set 3 TODOs at 1-3 to pending")]
#[case("1.1", json!({"status": "blocked"}), "Set TODO at 1.1 to blocked: \"A1\"")]
#[case("1", json!({"content": "Better"}), "Changed TODO at 1: \"A\" to \"Better\"")]
#[case("1", json!({"priority": "high", "notes": "x"}), "Changed the priority and notes of TODO at 1: \"A\"")]
#[case("1-2", json!({"owner": "me"}), "Changed the owner of 2 TODOs at 1-2")]
fn setting(#[case] positions: &str, #[case] fields: Value, #[case] message: &str) {
    let mut world = World::new();
    world
        .write("agent", json!([{"content": "A", "subtasks": [{"content": "A1"}]}, {"content": "B"}, {"content": "C"}]));
    let done = world.set(positions, fields).expect("it is accepted");
    assert_eq!(done.message, message);
}

#[rstest]
#[case("9", json!({"status": "done"}), "Position 9 does not exist")]
#[case("1-9", json!({"status": "done"}), "Position 9 does not exist")]
#[case("2-1", json!({"status": "done"}), "Invalid positions: 2-1. Use 1, 2, last, 1.1, 1.last, 2-4, or all")]
#[case("x-2", json!({"status": "done"}), "Invalid positions: x-2. Use 1, 2, last, 1.1, 1.last, 2-4, or all")]
#[case("1", json!({"status": "later"}), "\"later\" is no status; use pending, in_progress, completed, blocked, skipped or cancelled")]
#[case("1", json!({}), "todo.edit changes nothing; send at least one field, such as \"content\" or \"priority\"")]
#[case("1", json!({"content": " "}), "todo.edit.content is empty; it must be text of 1 to 2000 characters")]
#[case("1", json!({"content": null}), "todo.edit.content is null; it must be text of 1 to 2000 characters")]
#[case("1", json!({"subtasks": [{"content": "x"}]}), "todo.edit.subtasks cannot be set here; change each subtask by its own position")]
fn setting_what_cannot_be(#[case] positions: &str, #[case] fields: Value, #[case] error: &str) {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    assert_eq!(world.set(positions, fields).expect_err("it is refused").to_string(), error);
}

#[test]
fn fields_are_emptied_by_nothing() {
    let mut world = World::new();
    world.write("agent", json!([{"content": "A", "priority": "high", "notes": "n", "metadata": {"a": 1}, "b": 2}]));
    world.set("1", json!({"priority": null, "notes": "", "b": null, "c": 3})).expect("it is there");
    let item = world.item("A");
    assert_eq!((item.priority, item.notes.as_deref()), (None, None));
    assert_eq!(Value::Object(item.extra.clone()), json!({"metadata": {"a": 1}, "c": 3}));
}

#[test]
fn a_new_text_has_no_old_active_form() {
    let mut world = World::new();
    world.write("agent", json!([{"content": "Fix the parser", "activeForm": "Fixing the parser", "status": "doing"}]));
    let edit = world.set("1", json!({"content": "Fix the lexer"})).expect("it is there").edit;
    assert_eq!(world.item("Fix the lexer").label(), "Fix the lexer");
    let again = json!([{"content": "Fix the parser", "activeForm": "Fixing the parser", "status": "doing"}]);
    world.write("agent", again);
    assert_eq!(world.item("Fix the lexer").active_form, None, "the old form said again is repetition");
    world.write("agent", json!([{"content": "Fix the lexer", "activeForm": "Fixing the lexer", "status": "doing"}]));
    assert_eq!(world.edit(edit).state, Reflected);
    assert_eq!(world.item("Fix the lexer").label(), "Fixing the lexer");
    world.undo().expect("the text is the user's still");
    assert_eq!(world.item("Fix the parser").label(), "Fixing the lexer", "what the agent said since is left");
}

/// The user sets one field of "A", which the agent called pending; then the agent's lists, and what becomes of it.
#[rstest]
#[case::follows(json!({"status": "completed"}), &["completed"], Reflected, Status::Completed)]
#[case::follows_later(json!({"status": "completed"}), &["pending", "completed"], Reflected, Status::Completed)]
#[case::repeats_once(json!({"status": "completed"}), &["pending"], Queued, Status::Completed)]
#[case::repeats_after_delivery(json!({"status": "completed"}), &["pending", "pending"], Delivered, Status::Completed)]
#[case::goes_on(json!({"status": "completed"}), &["pending", "pending", "pending"], Ignored, Status::Completed)]
#[case::goes_on_for_ever(json!({"status": "skipped"}), &["pending"; 9], Ignored, Status::Skipped)]
#[case::decides_otherwise(json!({"status": "skipped"}), &["in_progress"], Overridden, Status::InProgress)]
#[case::decides_otherwise_later(json!({"status": "skipped"}), &["pending", "in_progress"], Overridden, Status::InProgress)]
#[case::follows_after_all(json!({"status": "skipped"}), &["pending", "pending", "pending", "skipped"], Reflected, Status::Skipped)]
fn what_becomes_of_it(#[case] set: Value, #[case] lists: &[&str], #[case] state: EditState, #[case] status: Status) {
    let mut world = World::new();
    world.write("agent", json!([{"content": "A", "status": "pending"}, {"content": "B"}]));
    let edit = world.set("1", set).expect("it is there").edit;
    for (at, said) in lists.iter().enumerate() {
        let list = json!([{"content": "A", "status": said}, {"content": "B"}]);
        // The first list was on its way before the agent could hear of the edit; each answer tells it then.
        if at + 1 < lists.len() {
            world.write("agent", list);
        } else {
            world.send("agent", &list);
        }
    }
    assert_eq!(world.item("A").status, status);
    assert_eq!(world.edit(edit).state, state);
}

#[test]
fn a_field_that_the_agent_never_speaks_of_is_kept_and_held_against_nobody() {
    let mut world = World::new();
    world.write("agent", todos(&["A"]));
    let edit = world.set("1", json!({"priority": "high"})).expect("it is there").edit;
    for _ in 0..4 {
        world.write("agent", todos(&["A"]));
    }
    assert_eq!(world.item("A").priority, Some(Priority::High));
    assert_eq!(world.edit(edit).state, Delivered);
}

#[test]
fn a_changed_step_that_the_agent_drops_stays_until_it_is_done() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    let edit = world.set("2", json!({"status": "in_progress"})).expect("it is there").edit;
    for _ in 0..3 {
        world.write("agent", todos(&["A"]));
        assert_eq!(world.contents(), ["A", "B"], "the agent dropped it before it heard");
    }
    assert_eq!(world.edit(edit).state, Ignored);
    world.set("2", json!({"status": "skipped"})).expect("it is there");
    world.write("agent", todos(&["A"]));
    assert_eq!(world.contents(), ["A"]);
}

#[test]
fn a_step_that_the_user_closed_may_be_dropped() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B"]));
    let edit = world.set("2", json!({"status": "skipped"})).expect("it is there").edit;
    world.hear("agent");
    world.write("agent", todos(&["A"]));
    assert_eq!(world.edit(edit).state, Reflected);
}

#[test]
fn an_agent_that_never_heard_or_said_anything_does_not_undo_it() {
    let mut world = World::new();
    world.write("one", json!([{"content": "A", "notes": "n"}, {"content": "B"}]));
    world.set("1", json!({"status": "completed", "notes": "user's"})).expect("it is there");
    world.write("two", json!([{"content": "A", "status": "pending"}, {"content": "B"}]));
    let item = world.item("A");
    assert_eq!((item.status, item.notes.as_deref()), (Status::Completed, Some("user's")));
    world.write("two", json!([{"content": "A", "status": "in_progress"}, {"content": "B"}]));
    assert_eq!(world.item("A").status, Status::InProgress, "now it decides");
}

#[test]
fn of_two_steps_that_the_user_started_one_that_the_agent_follows_first_stays() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B", "C"]));
    for at in ["2", "3"] {
        world.set(at, json!({"status": "in_progress"})).expect("it is there");
    }
    let statuses = |world: &World| world.list.items.iter().map(|item| item.status).collect::<Vec<_>>();
    let follows_one = json!([{"content": "A"}, {"content": "B", "status": "doing"}, {"content": "C"}]);
    for _ in 0..3 {
        world.write("agent", follows_one.clone());
        assert_eq!(statuses(&world), [Status::Pending, Status::InProgress, Status::InProgress]);
    }
    // One that the user starts after the agent has followed takes its place.
    world.set("3", json!({"status": "pending"})).expect("it is there");
    world.set("1", json!({"status": "in_progress"})).expect("it is there");
    for _ in 0..2 {
        world.write("agent", follows_one.clone());
        assert_eq!(statuses(&world), [Status::InProgress, Status::Pending, Status::Pending]);
    }
}

#[test]
fn the_users_step_in_progress_stands_against_the_agents() {
    let mut world = World::new();
    let list = json!([{"content": "A", "status": "doing"}, {"content": "B"}, {"content": "C"}]);
    world.write("agent", list.clone());
    let edit = world.set("2", json!({"status": "in_progress"})).expect("it is there").edit;
    for _ in 0..2 {
        let done = world.write("agent", list.clone());
        let said: Vec<Status> = world.list.items.iter().map(|item| item.status).collect();
        assert_eq!(said, [Status::Pending, Status::InProgress, Status::Pending]);
        if world.edit(edit).state != Delivered {
            assert!(
                done.remarks.iter().any(|remark| remark.english.contains("The user wants \"B\"")),
                "{:?}",
                done.remarks
            );
        }
    }
    world.write("agent", json!([{"content": "A"}, {"content": "B", "status": "doing"}, {"content": "C"}]));
    assert_eq!(world.edit(edit).state, Reflected);
    world.write(
        "agent",
        json!([{"content": "A", "status": "doing"}, {"content": "B", "status": "done"}, {"content": "C"}]),
    );
    let said: Vec<Status> = world.list.items.iter().map(|item| item.status).collect();
    assert_eq!(said, [Status::InProgress, Status::Completed, Status::Pending], "then the agent goes on as it likes");
}

#[test]
fn a_later_edit_of_the_same_thing_takes_the_place_of_the_first() {
    let mut world = World::new();
    world.write("agent", todos(&["A"]));
    let first = world.set("1", json!({"status": "skipped"})).expect("it is there").edit;
    let other = world.set("1", json!({"notes": "n"})).expect("it is there").edit;
    let second = world.set("1", json!({"status": "completed"})).expect("it is there").edit;
    assert_eq!(world.edit(first).state, Superseded);
    assert_eq!(world.edit(other).state, Queued, "that is another thing");
    world.undo().expect("the second is undone");
    assert_eq!(world.edit(first).state, Queued, "the first counts again");
    assert_eq!(world.item("A").status, Status::Skipped);
    assert_eq!(world.edit(second).state, Superseded);
}

#[test]
fn setting_what_is_so_already_tells_nobody() {
    let mut world = World::new();
    world.write("agent", todos(&["A"]));
    let done = world.set("1", json!({"status": "pending"})).expect("it is there");
    assert!(done.is_nothing() && done.edit.is_none());
    assert_eq!(world.undo(), Err(Error::NothingToUndo));
}

#[test]
fn undoing_what_was_set() {
    let mut world = World::new();
    world.write("agent", json!([{"content": "A", "notes": "old"}, {"content": "B"}]));
    world.set("1-2", json!({"status": "completed", "notes": "new"})).expect("they are there");
    let undone = world.undo().expect("it is undone");
    assert_eq!(undone.message, "Undone: changed the status and notes of 2 items");
    assert_eq!(world.item("A").notes.as_deref(), Some("old"));
    assert_eq!((world.item("A").status, world.item("B").status), (Status::Pending, Status::Pending));
}

#[test]
fn what_others_changed_since_is_left_and_named() {
    let mut world = World::new();
    world.write("agent", json!([{"content": "A", "notes": "old"}]));
    world.set("1", json!({"status": "skipped", "notes": "mine"})).expect("it is there");
    world.write("agent", json!([{"content": "A", "notes": "old", "status": "in_progress"}]));
    let undone = world.undo().expect("the notes are the user's still");
    assert_eq!(world.item("A").notes.as_deref(), Some("old"));
    assert_eq!(world.item("A").status, Status::InProgress);
    assert_eq!(undone.remarks, ["the status of \"A\" was changed since"]);
}

#[test]
fn what_was_told_and_undone_is_told_the_other_way_round() {
    let mut world = World::new();
    world.write("agent", todos(&["A"]));
    world.set("1", json!({"status": "skipped"})).expect("it is there");
    world.hear("agent");
    world.undo().expect("it is undone");
    let queued: Vec<_> = world.list.edits.iter().filter(|edit| edit.state == Queued).collect();
    assert!(matches!(&queued[..], [edit] if edit.inverse), "{queued:?}");
    world.write("agent", json!([{"content": "A", "status": "skipped"}]));
    assert_eq!(world.item("A").status, Status::Pending, "what it was told before is no decision against the undo");
}

#[test]
fn an_edit_whose_every_field_was_changed_cannot_be_undone() {
    let mut world = World::new();
    world.write("agent", todos(&["A"]));
    let edit = world.set("1", json!({"status": "skipped"})).expect("it is there").edit;
    world.write("agent", json!([{"content": "A", "status": "in_progress"}]));
    let refused = world.change(crate::Change::Undo { edit, client: "me".to_owned() });
    let left = texts::all::left_changed("status", "A").in_english("the status of \"A\" was changed since");
    assert_eq!(refused, Err(Error::ChangedSince(left)));
    assert_eq!(world.undo(), Err(Error::NothingToUndo), "and a plain undo passes it over");
}
