//! `todo_manager` (requirements T1 to T7).

use super::{World, todos};
use crate::EditState::{Overridden, Reflected};
use crate::manager::{Action, Managed, manage};
use crate::{Error, Origin, Result, Stamp, Status};
use rstest::rstest;
use serde_json::{Value, json};
use uuid::Uuid;

impl World {
    /// An agent does one thing, and hears what came of it.
    #[expect(clippy::needless_pass_by_value, reason = "so that tables can be written in place")]
    pub(super) fn manage(&mut self, action: &str, fields: Value) -> Result<Managed> {
        let fields = fields.as_object().cloned().expect("fields are an object");
        let action = Action::read(action, &fields)?;
        let mut next = 1_000_000 + self.list.revision as u128 * 1_000;
        let mut uid = || {
            next += 1;
            Uuid::from_u128(next)
        };
        let now = jiff::Timestamp::from_second(self.list.revision as i64 + 1).expect("a small number is a time");
        let done = manage(&self.list, "agent", action, &mut Stamp { now, uid: &mut uid })?;
        if let Some(applied) = &done.applied {
            self.list = applied.list.clone();
        }
        self.hear("agent");
        Ok(done)
    }

    fn statuses(&self) -> Vec<&'static str> {
        self.list.items.iter().map(|item| item.status.name()).collect()
    }
}

fn contents(contents: &[&str]) -> Value {
    json!({ "todos": todos(contents) })
}

// T1
#[rstest]
#[case("add_multiple", json!({"todos": [{"content": "X"}, {"content": "Y"}]}), "Added 2 TODOs", &["A", "B", "X", "Y"])]
#[case("add_after_position", json!({"todos": [{"content": "X"}], "position": 1}), "Added 1 TODOs", &["A", "X", "B"])]
#[case("add_after_position", json!({"todos": [{"content": "X"}, {"content": "Y"}], "position": 0}), "Added 2 TODOs", &["X", "Y", "A", "B"])]
#[case("add_after_position", json!({"todos": [{"content": "X"}], "position": "2"}), "Added 1 TODOs", &["A", "B", "X"])]
#[case("complete_multiple", json!({"ids": [1, 2]}), "Completed TODOs: 1, 2", &["A", "B"])]
#[case("complete_multiple", json!({"ids": [2, "2", 2]}), "Completed TODOs: 2", &["A", "B"])]
#[case("complete_multiple", json!({"ids": 2}), "Completed TODOs: 2", &["A", "B"])]
#[case("skip", json!({"ids": [2]}), "Skipped TODO: 2", &["A", "B"])]
#[case("replace_all", json!({"todos": [{"content": "X"}, {"content": "Y"}]}), "Replaced all TODOs with 2 new items", &["X", "Y"])]
#[case("replace_all", json!({"todos": []}), "Replaced all TODOs with 0 new items", &[])]
fn actions(#[case] action: &str, #[case] fields: Value, #[case] output: &str, #[case] after: &[&str]) {
    let mut world = World::new();
    world.manage("add_multiple", contents(&["A", "B"])).expect("it is done");
    assert_eq!(world.manage(action, fields).expect("it is done").output, json!(output));
    assert_eq!(world.contents(), after);
}

// T1, T3, T6
#[rstest]
#[case("add_multiple", json!({}), "Todos required")]
#[case("add_multiple", json!({"todos": []}), "Todos required")]
#[case("add_multiple", json!({"todos": null}), "Todos required")]
#[case("add_multiple", json!({"todos": [{"content": ""}]}), "todos[0].content is empty; it must be text of 1 to 2000 characters")]
#[case("add_after_position", json!({"todos": [{"content": "X"}]}), "Position required")]
#[case("add_after_position", json!({"todos": [{"content": "X"}], "position": 3}), "Position 3 out of range (0-2)")]
#[case("add_after_position", json!({"todos": [{"content": "X"}], "position": -1}), "Position required")]
#[case("replace_all", json!({}), "Todos required")]
#[case("complete_multiple", json!({}), "IDs required")]
#[case("complete_multiple", json!({"ids": []}), "IDs required")]
#[case("complete_multiple", json!({"ids": [1, 9]}), "Unknown ID: 9; the list has 1 to 2. Nothing was changed")]
#[case("complete_multiple", json!({"ids": [0]}), "Unknown ID: 0; the list has 1 to 2. Nothing was changed")]
#[case("complete_multiple", json!({"ids": ["t1"]}), "Unknown ID: \"t1\"; an ID is a number as in the list. Nothing was changed")]
#[case("complete_multiple", json!({"ids": [1.5]}), "Unknown ID: 1.5; an ID is a number as in the list. Nothing was changed")]
#[case("skip", json!({}), "IDs required")]
#[case("skip", json!({"ids": [1, 2]}), "Skip takes exactly one id, 2 were sent; skip one at a time")]
#[case("add_multiple", json!({"todos": [{"content": "X", "status": "doing"}, {"content": "Y", "status": "doing"}]}), "Only one TODO can be doing at a time. Nothing was changed; complete or skip that one first")]
#[case("go_back", json!({}), "Unknown action: go_back. Use one of list, next, add_multiple, add_after_position, complete_multiple, skip, replace_all")]
fn refusals(#[case] action: &str, #[case] fields: Value, #[case] error: &str) {
    let mut world = World::new();
    world.manage("add_multiple", contents(&["A", "B"])).expect("it is done");
    let before = world.list.items.clone();
    assert_eq!(world.manage(action, fields).expect_err("it is refused").to_string(), error);
    assert_eq!(world.list.items, before);
}

// T4
#[test]
fn next_is_what_is_doing_or_the_first_that_can_start() {
    let mut world = World::new();
    world.write(
        "agent",
        json!([
            {"content": "A", "status": "done"}, {"content": "B", "status": "blocked"},
            {"content": "C", "dependsOn": ["B"]}, {"content": "D"}, {"content": "E"}
        ]),
    );
    let next = world.manage("next", json!({})).expect("it is done");
    assert_eq!(next.output, json!({"id": 4, "content": "D", "status": "doing"}));
    assert_eq!(world.statuses(), ["completed", "blocked", "pending", "in_progress", "pending"]);
    let again = world.manage("next", json!({})).expect("it is done");
    assert_eq!((again.applied, again.output), (None, json!({"id": 4, "content": "D", "status": "doing"})));
    world.manage("complete_multiple", json!({"ids": [4]})).expect("it is done");
    world.manage("skip", json!({"ids": [5], "reason": "not needed"})).expect("it is done");
    let none = world.manage("next", json!({})).expect("it is done");
    assert_eq!(none.output, json!("No TODO can be started: those that are left wait for others or are blocked"));
}

#[test]
fn next_of_nothing() {
    let mut world = World::new();
    assert_eq!(world.manage("next", json!({})).expect("it is done").output, json!("No active TODOs"));
    world.write("agent", json!([{"content": "A", "status": "done"}]));
    assert_eq!(world.manage("next", json!({})).expect("it is done").output, json!("All TODOs are done or skipped"));
}

// T5
#[test]
fn what_is_skipped_stays_with_its_reason() {
    let mut world = World::new();
    world.manage("add_multiple", contents(&["A", "B"])).expect("it is done");
    world.manage("skip", json!({"ids": [1], "reason": "the user said no"})).expect("it is done");
    let item = world.item("A");
    assert_eq!((item.status, item.reason.as_deref()), (Status::Skipped, Some("the user said no")));
}

// T6
#[test]
fn thirty_items_and_no_more_but_for_the_users() {
    let mut world = World::new();
    let many = |count: usize| json!({ "todos": vec![json!({ "content": "x" }); count] });
    assert!(matches!(world.manage("add_multiple", many(31)), Err(Error::Manager(_))));
    world.manage("add_multiple", many(30)).expect("it is done");
    for _ in 0..3 {
        world.add("last", "Mine").expect("there is room");
    }
    assert!(world.manage("add_multiple", many(1)).is_err(), "the agent has its thirty");
    world.manage("replace_all", many(30)).expect("the user's do not count");
    assert_eq!(world.list.items.iter().filter(|item| item.origin == Origin::User).count(), 3);
    let refused = world.manage("replace_all", many(31)).expect_err("it is refused").to_string();
    assert_eq!(
        refused,
        "Too many TODOs: 31 would be in the list, 30 may be. Nothing was changed; put small steps together"
    );
}

// T6
#[test]
fn a_longer_list_of_todo_write_can_still_be_worked_off() {
    let mut world = World::new();
    world.write("agent", Value::Array((0..40).map(|at| json!({ "content": format!("Step {at}") })).collect()));
    world.manage("complete_multiple", json!({"ids": [40]})).expect("nothing was added");
    assert_eq!(world.list.items[39].status, Status::Completed);
}

#[test]
fn both_tools_work_on_one_list_under_one_set_of_rules() {
    let mut world = World::new();
    world.write("agent", todos(&["A", "B", "C"]));
    let deleted = world.delete("2").expect("it is there").edit;
    let set = world.set("2", json!({"status": "skipped"})).expect("it is there").edit;
    world.manage("complete_multiple", json!({"ids": [1]})).expect("it is done");
    world.write("agent", json!([{"content": "A", "status": "completed"}, {"content": "B"}, {"content": "C"}]));
    assert_eq!(world.contents(), ["A", "C"]);
    assert_eq!(world.statuses(), ["completed", "skipped"], "what it completed step by step it said; C is the user's");
    world.manage("complete_multiple", json!({"ids": [2]})).expect("it is done");
    assert_eq!(world.edit(set).state, Overridden, "a step is a decision, never repetition");
    world.manage("add_multiple", contents(&["B"])).expect("it is done");
    assert_eq!(world.contents(), ["A", "C", "B"], "and what is added outright comes back");
    assert_eq!(world.edit(deleted).state, Overridden);
}

#[test]
fn the_users_items_are_worked_on_like_any_other() {
    let mut world = World::new();
    let added = world.add("1", "Mine").expect("there is room").edit;
    world.hear("agent");
    let next = world.manage("next", json!({})).expect("it is done");
    assert_eq!(next.output, json!({"id": 1, "content": "Mine", "status": "doing"}));
    assert_eq!(world.edit(added).state, Reflected);
}

#[test]
fn all_of_it_replaced_by_the_same_begins_anew() {
    let mut world = World::new();
    world.manage("add_multiple", contents(&["A", "B"])).expect("it is done");
    world.manage("complete_multiple", json!({"ids": [1]})).expect("it is done");
    world.manage("replace_all", contents(&["A", "B"])).expect("it is done");
    assert_eq!(world.statuses(), ["pending", "pending"]);
}

#[test]
fn the_list_is_given_as_xml_and_nothing_changes() {
    let mut world = World::new();
    world.write("agent", todos(&["A < B"]));
    let done = world.manage("list", json!({})).expect("it is done");
    assert_eq!(done.applied, None);
    assert_eq!(done.output, json!("<todos>\n<todo id=\"1\" status=\"todo\">A &lt; B</todo>\n</todos>"));
}
