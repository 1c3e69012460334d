//! The time in progress, and the number of times that items were taken up again.

use super::World;
use serde_json::{Value, json};

fn list(status: &str) -> Value {
    json!([{"content": "A", "status": status}])
}

// Each change comes a second after the one before.

#[test]
fn time_in_progress_adds_up_over_restarts() {
    let mut world = World::new();
    for status in ["pending", "in_progress", "in_progress", "pending", "in_progress", "completed"] {
        world.write("agent", list(status));
    }
    assert_eq!(world.item("A").worked_ms, 3_000, "two seconds and one");
    assert_eq!(world.item("A").reopened, 0, "it was not done in between");
}

#[test]
fn what_goes_on_is_not_in_it() {
    let mut world = World::new();
    world.write("agent", list("in_progress"));
    world.add("last", "B").expect("there is room");
    assert_eq!(world.item("A").worked_ms, 0);
}

#[test]
fn what_is_taken_up_after_it_was_done_is_reopened() {
    let mut world = World::new();
    for status in ["in_progress", "completed", "in_progress", "completed", "pending"] {
        world.write("agent", list(status));
    }
    let item = world.item("A");
    assert_eq!((item.reopened, item.worked_ms), (2, 2_000));
}

#[test]
fn a_slip_that_is_undone_reopens_nothing() {
    let mut world = World::new();
    world.write("agent", list("pending"));
    world.set("1", json!({"status": "completed"})).expect("it is there");
    world.undo().expect("it was an edit");
    assert_eq!(world.item("A").reopened, 0);
}

#[test]
fn subtasks_are_counted_by_themselves() {
    let mut world = World::new();
    for status in ["in_progress", "completed"] {
        world.write(
            "agent",
            json!([{"content": "A", "status": "pending", "subtasks": [{"content": "a", "status": status}]}]),
        );
    }
    assert_eq!(world.item("A").worked_ms, 0);
    assert_eq!(world.item("A").subtasks[0].worked_ms, 1_000);
}

#[test]
fn what_was_counted_survives_a_removal_and_its_undo() {
    let mut world = World::new();
    world.write("agent", list("in_progress"));
    world.write("agent", list("completed"));
    world.delete("1").expect("it is there");
    world.undo().expect("it was an edit");
    assert_eq!(world.item("A").worked_ms, 1_000);
}

#[test]
fn who_sends_back_what_was_read_adds_nothing() {
    let mut world = World::new();
    for status in ["in_progress", "completed", "pending"] {
        world.write("agent", list(status));
    }
    let read = serde_json::to_value(&world.list.items).expect("it can be written");
    assert!(read[0].get("workedMs").is_some() && read[0].get("reopened").is_some());
    assert!(world.write("agent", read).is_nothing());
    assert!(world.item("A").extra.is_empty());
}
